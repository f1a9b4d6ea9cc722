/**
 * Messages of compilers and linters. Only recognised: what is kept of them is the work of the text
 * strategies.
 */
import type { Format, LineShapes } from '../../model/format.ts';
import { anyOf, pathThen } from '../by-line/patterns.ts';

const SEVERITY = '(?:fatal error|error|warning|note|remark|info|hint|style|performance|refactor|convention)';

const COMPILER_SHAPES: LineShapes = {
  kind: 'compiler',
  share: 0.3,
  plain: 0.1,
  cover: 0,
  least: 1,
  weighted: [
    [
      1,
      anyOf([
        // gcc, clang, javac, mypy, shellcheck; tsc, msbuild; tsc --pretty; flake8, ruff, pylint
        pathThen(
          String.raw`(?:(?::\d{1,7}(?::\d{1,5})?(?::| -)|\(\d{1,7}(?:,\d{1,5})?\) ?:) ${SEVERITY}|:\d{1,7}:\d{1,5}: [A-Z]{1,4}\d{3,4})\b`,
        ),
        /^(?:error|warning)(?:\[\w{1,12}\])?: \S/, // rustc
        /^\s{0,8}--> \S{1,200}:\d{1,7}:\d/,
        /^\s{1,8}\d{1,7}:\d{1,5}\s{1,8}(?:error|warning)\s/, // eslint
        /^\s{0,4}(?:In file included from \S|from \S{1,200}:\d{1,7}(?::\d{1,5})?[:,]$|collect2: error|\S{1,200}: In (?:member )?(?:function|constructor)|\d{1,5} (?:errors?|warnings?)(?: generated)?\.?$)/,
        /^\d{1,5}\. (?:ERROR|WARNING|INFO) in \S.{0,300} \(at line \d{1,7}\)$/, // ecj
        /^\S{0,80}ld: \S|^make(?:\[\d+\])?: \*\*\*|^Found \d{1,5} errors?|^✖ \d{1,5} problems?/,
      ]),
    ],
    [0.8, anyOf([pathThen(String.raw`:\d{1,7}:\d{1,5}: [^\s\d]`)])], // go build, go vet
    [
      0.5,
      anyOf([
        /^\s{0,12}\d{0,6}\s?\|(?:\s|$)/,
        /^\s{0,200}(?:[|>]\s{0,200})?[\^~]+[\^~\s-]*/,
        /^\s{1,8}= (?:note|help): /,
      ]),
    ],
  ],
};

export const compiler: Format = {
  name: 'compiler',
  kinds: ['compiler'],
  hints: [{ kind: 'compiler', ofCommands: true }],
  shapes: [COMPILER_SHAPES],
  errorLines: 'own',
};
