/** Hits of a search: `path:12:text` and its relatives. */
import type { Format, LineShapes } from '../../model/format.ts';
import { anyOf, pathThen } from '../by-line/patterns.ts';
import { hitsPlan } from './plan.ts';

const HITS_SHAPES: LineShapes = {
  kind: 'hits',
  share: 0.7,
  // `-C 5` prints a hit in every twelfth line.
  plain: 0.06,
  cover: 0.8,
  least: 2,
  weighted: [
    [
      1,
      anyOf([
        pathThen(String.raw`:\d{1,7}:`), // grep -n, rg
        pathThen(String.raw`:(?=[^\s:]{0,200}[./])[^\s:]{1,200}:\d{1,7}:`), // git grep -n REV
        /^\d{1,7}:(?!\d\d\b)/, // rg --heading, grep -n in one file
        /^(?:\w:)?(?=[^\s:]{0,200}\/)(?![a-z]+:\/\/)[^\s:"'`<>|*?;={},()[\]]{1,200}:(?! \S|:|\d{0,15}$)/, // grep -r; `::` is the name of a test
        /^(?:\w:)?(?=[^\s:]{0,200}\.\w{1,8}:)[^\s:"'`<>|*?;={},()[\]]{1,200}:(?![ :]|\d{0,15}$)/, // grep -r; not `grep -c`
      ]),
    ],
    [
      0.7,
      anyOf([
        pathThen(String.raw`-\d{1,7}-`), // lines around a hit
        /^\d{1,7}-(?!\d)/,
        /^--$/,
      ]),
    ],
  ],
};

export const hits: Format = {
  name: 'hits',
  kinds: ['hits'],
  hints: [{ kind: 'hits', tools: /(?:^|_)(?:search|grep|rg|ripgrep)(?:_|$)/ }],
  shapes: [HITS_SHAPES],
  plan: hitsPlan,
  errorLines: 'quoted',
};
