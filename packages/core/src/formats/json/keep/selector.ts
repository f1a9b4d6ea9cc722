/**
 * `element` for JSON and for lines of JSON: what comes out is valid JSON for any shape and any
 * budget. One pass, memory bounded by the reach; numbers, escapes and the order of keys stay as
 * written; white space between tokens is left out. A text that is not valid JSON sets `failure`.
 */

import type { Extent } from '../../../model/extent.ts';
import type { Policy } from '../../../model/policy.ts';
import type { Selector, Strategy } from '../../../model/strategy.ts';
import type { Frame } from './children.ts';
import { Chooser, optionsFrom } from './choose.ts';
import { Runs } from './runs.ts';
import { JsonSketch } from './sketch.ts';
import { type Entry, entriesOf } from './tree.ts';

/**
 * Bytes kept unparsed for each char that may be shown: indentation and dropped parts take room too.
 */
const RAW_FACTOR = 8;
const LF = 10;
const CR = 13;
const LEAST_RAW_BYTES = 16_384;

export const keepJson: Strategy = {
  name: 'element',
  start: (policy, reachChars) => jsonSelector(policy, reachChars, false),
};
export const keepNdjson: Strategy = {
  name: 'element',
  start: (policy, reachChars) => jsonSelector(policy, reachChars, true),
};

function jsonSelector(policy: Policy, reachChars: number, many: boolean): Selector {
  const sketch = new JsonSketch(Math.max(LEAST_RAW_BYTES, reachChars * RAW_FACTOR), many);
  let finished: { top: Frame; total: Extent } | { failure: string } | undefined;
  let runs = new Runs();
  let lastByte = 0;
  let entries: readonly Entry[] | undefined;
  const finish = () => {
    finished ??= sketch.finish();
    return finished;
  };
  return {
    push(piece) {
      sketch.push(piece);
      lastByte = piece.bytes.at(-1) ?? lastByte;
    },
    get failure() {
      const result = finish();
      return 'failure' in result ? result.failure : null;
    },
    select(share) {
      const result = finish();
      if ('failure' in result) return [];
      runs = new Runs();
      const { top, total } = result;
      entries ??= entriesOf(top);
      const [first] = entries;
      const chooser = new Chooser(runs, optionsFrom(policy));
      if (first !== undefined && first.start.bytes > 0) runs.leading(first.start);
      chooser.top(entries, share.chars);
      return runs.finish(total, lastByte === LF || lastByte === CR);
    },
    bytes: ({ start, end }) => runs.bytes(start, end),
  };
}
