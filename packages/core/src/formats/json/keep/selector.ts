/**
 * `element` for JSON and for lines of JSON: what comes out is valid JSON for any shape and any
 * budget. One pass, memory bounded by the reach; numbers, escapes and the order of keys stay as
 * written; white space between tokens is left out, but not of a file. A text that is not valid JSON
 * sets `failure`.
 */

import type { Extent } from '../../../model/extent.ts';
import type { Policy } from '../../../model/policy.ts';
import type { Selection } from '../../../model/selection.ts';
import type { SelectionContext, Selector, Share, Strategy } from '../../../model/strategy.ts';
import type { Frame } from './children.ts';
import { Chooser, optionsFrom } from './choose.ts';
import type { Entry } from './nodes.ts';
import { Runs } from './runs.ts';
import { JsonSketch } from './sketch.ts';
import type { Spacing } from './spacing.ts';
import { entriesOf } from './tree.ts';

/**
 * Bytes kept unparsed for each char that may be shown: indentation and dropped parts take room too.
 */
const RAW_FACTOR = 8;
const LF = 10;
const CR = 13;
const LEAST_RAW_BYTES = 16_384;

export const keepJson: Strategy = {
  name: 'element',
  start: (policy, reachChars, context) => jsonSelector(policy, reachChars, false, spacingOf(context)),
};
export const keepNdjson: Strategy = {
  name: 'element',
  start: (policy, reachChars, context) => jsonSelector(policy, reachChars, true, spacingOf(context)),
};

interface Finished {
  readonly top: Frame;
  readonly total: Extent;
}

/** What is shown of a file is exact text. */
function spacingOf(context?: SelectionContext): Spacing {
  return context?.isFile === true ? 'exact' : 'blanks';
}

function jsonSelector(policy: Policy, reachChars: number, many: boolean, spacing: Spacing): Selector {
  const sketch = new JsonSketch(Math.max(LEAST_RAW_BYTES, reachChars * RAW_FACTOR), many);
  let finished: Finished | { failure: string } | undefined;
  let runs = new Runs(spacing);
  let lastByte = 0;
  const entries: Partial<Record<Spacing, readonly Entry[]>> = {};
  const finish = () => {
    finished ??= sketch.finish();
    return finished;
  };
  const choose = ({ top, total }: Finished, share: Share, spacing: Spacing) => {
    runs = new Runs(spacing);
    entries[spacing] ??= entriesOf(top, spacing);
    const [first] = entries[spacing];
    if (first !== undefined && first.start.bytes > 0) runs.leading(first.start);
    new Chooser(runs, optionsFrom(policy)).top(entries[spacing], share.chars - (spacing === 'exact' ? 1 : 0));
    if (lastByte === LF) runs.lastLineEnd(total);
    return runs.finish(total, lastByte === LF || lastByte === CR);
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
      const exact = spacing === 'exact' ? choose(result, share, spacing) : null;
      // Where lines are few, what is left of the text without its line ends says more.
      const fits = exact !== null && linesOf(exact) <= share.lines;
      return fits ? exact : choose(result, share, 'blanks');
    },
    bytes: ({ start, end }) => runs.bytes(start, end),
  };
}

function linesOf(selection: Selection): number {
  return selection.reduce((lines, segment) => lines + (segment.kind === 'keep' ? segment.lines : 0), 0);
}
