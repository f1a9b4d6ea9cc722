/**
 * Reports of test runners. Only recognised: what is kept of them is the work of the text
 * strategies.
 */
import type { Format, LineShapes } from '../../model/format.ts';
import { anyOf } from '../by-line/patterns.ts';

const TEST_SHAPES: LineShapes = {
  kind: 'test',
  share: 0.2,
  plain: 0,
  cover: 0,
  least: 3,
  weighted: [
    [
      3,
      anyOf([
        /^={3,} (?:test session starts|FAILURES|ERRORS|short test summary info|.{0,80}\b(?:passed|failed|skipped)\b.{0,60}) ?={3,}$/, // pytest
        /^(?:Test Suites|Tests|Test Files|Snapshots):?\s{1,8}\d+ \w/, // jest, vitest
        /^(?:running \d+ tests?$|test result: \w)/, // cargo
        /^(?:=== RUN\s|\s{0,12}--- (?:PASS|FAIL|SKIP): |(?:PASS|FAIL)$)/, // go
        /^(?:\[\w+\] )?\s{0,4}(?:T E S T S$|Tests run: \d|Running (?:\w+\.){2,10}\w+$)/, // Surefire
        /^(?:TAP version \d|1\.\.\d+$|# (?:tests|pass|fail|suites) \d)/, // TAP
        /^\s{0,8}\d+ (?:passing|failing|pending)\b|^\d+ examples?, \d+ failure/, // mocha, rspec
        /^Ran \d+ tests? in |^OK \(\d+ tests?|^Tests: \d+, Assertions: |^PHPUnit \d|^\[={10}\] /, // unittest, PHPUnit, gtest
        /^\s{0,8}ℹ (?:tests|suites|pass|fail) \d/, // node --test
      ]),
    ],
    [
      1,
      anyOf([
        /^\s{0,12}(?:not )?ok \d+\b/,
        /^test \S{1,200} \.{3} (?:ok|FAILED|ignored|bench)/,
        /^(?:ok|FAIL|\?)\s{1,4}\t?\S{1,200}\t/,
        /^\[\s{0,4}(?:RUN|OK|FAILED|PASSED|SKIPPED)\s{0,6}\] ?\S/,
        /^(?=\S{0,240}(?:::|\.py ))\S{1,240} (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|[.FEsx]{1,80}\s)/,
        /^(?:PASSED|FAILED|ERROR|PASS|FAIL)\s{1,4}\S{1,200}[./:]\w/,
        /^\w{1,120} \([\w.]{1,200}\) \.{3} (?:ok|FAIL|ERROR|skipped)/,
        /^_{3,} \S.{0,120} _{3,}$|^E {3,}\S|^\s{2,8}● \S/,
        /^\s{0,16}[✓✔✗✘✖√×] \S/,
        /^\s{2,16}(?:duration_ms|failureType|location|expected|actual|operator): \S/,
        /^\s{0,12}# Subtest: |^\s{2,12}(?:\.{3}|---)$/,
        /^\s{2,12}\d{1,4}\) \S|^(?:Finished in|Duration|Time:|Start at)\s/,
      ]),
    ],
  ],
};

export const testRun: Format = {
  name: 'test-run',
  kinds: ['test'],
  hints: [{ kind: 'test', tools: /(?:^|_)tests?(?:_|$)/, ofCommands: true }],
  shapes: [TEST_SHAPES],
  errorLines: 'own',
};
