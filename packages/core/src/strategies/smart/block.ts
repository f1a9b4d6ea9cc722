/**
 * Embedded JSON as something that can be chosen: shown as it stands if that fits what it may take,
 * else as `element` shows a document. It stands among the lines as one of them. Units: chars as
 * rendered.
 */

import { Chooser, optionsFrom } from '../../formats/json/keep/choose.ts';
import { Runs } from '../../formats/json/keep/runs.ts';
import type { ByteRange } from '../../model/extent.ts';
import type { Policy } from '../../model/policy.ts';
import type { KeptLines } from '../../model/strategy.ts';
import { CoverBuilder } from '../../text/cover.ts';
import { jsonGap } from '../../wording/json-gap.ts';
import type { Choice } from './choice.ts';
import { type KeptBlock, type KeptRun, writeRun } from './kept.ts';
import type { EmbeddedBlock } from './open-block.ts';
import type { SalientLine } from './salient-line.ts';

export interface BlockChoice extends Choice {
  readonly block: EmbeddedBlock;
  readonly run: KeptBlock;
}

/** How a block may be shown. */
export interface BlockRoom {
  readonly chars: number;
  /** `one`: where lines are counted, it takes a single one. */
  readonly lines: 'one' | 'any';
  readonly priority: number;
}

/** In less nothing of a value can be shown. */
const LEAST_CHARS = 60;

/** Null where so little room shows nothing of it. */
export function blockChoice(block: EmbeddedBlock, room: BlockRoom, policy: Policy): BlockChoice | null {
  const { start, end, first, from, to } = block;
  const lead: KeptRun = { again: null, start, end: from, bytes: block.lead, first };
  const trail: KeptRun = { again: null, start: to, end, bytes: block.trail, first: false };
  const chars = room.chars - shownOf(lead) - shownOf(trail);
  const value = valueWithin(block, { ...room, chars }, policy);
  if (value === null) return null;
  return {
    block,
    run: { start, end, again: null, first, lead, trail, value },
    index: block.firstIndex,
    start,
    end,
    priority: room.priority,
    lines: from.breaks - start.breaks + breaksIn(value, block) + 1,
    shown: shownOf(lead) + renderedChars(value) + shownOf(trail),
    message: null,
  };
}

function valueWithin(block: EmbeddedBlock, { chars, lines }: BlockRoom, policy: Policy): Runs | null {
  const { from, to } = block;
  const value = block.value();
  const isHeld = value.size < Number.POSITIVE_INFINITY;
  const isOneLine = to.breaks === from.breaks;
  if (isHeld && to.chars - from.chars <= chars && (lines === 'any' || isOneLine)) {
    const runs = new Runs();
    runs.keep(value.opening, value.from, value.to);
    return runs;
  }
  // What must be there, brackets and markers, may take more than it was given.
  for (let budget = chars; budget > LEAST_CHARS; ) {
    const runs = new Runs();
    new Chooser(runs, optionsFrom(policy)).value(value, budget, 0);
    const over = renderedChars(runs) - chars;
    if (over <= 0) return runs;
    budget -= Math.max(over, LEAST_CHARS);
  }
  return null;
}

/** Line ends that are shown of a value: all of them, or none. */
function breaksIn(runs: Runs, { from, to }: EmbeddedBlock): number {
  return runs.keptChars === to.chars - from.chars ? to.breaks - from.breaks : 0;
}

function renderedChars(runs: Runs): number {
  return runs.omitted.reduce((sum, what) => sum + jsonGap(what).length, runs.keptChars);
}

function shownOf({ start, end }: KeptRun): number {
  return end.chars - start.chars;
}

/**
 * Lines, and blocks in the place of the lines they lie in; numbered anew, so that neighbours are
 * neighbours.
 */
export function inPlace(
  lines: readonly SalientLine[],
  blocks: readonly BlockChoice[],
): readonly (SalientLine | BlockChoice)[] {
  if (blocks.length === 0) return lines;
  const placed: (SalientLine | BlockChoice)[] = [];
  let at = 0;
  let less = 0;
  for (const choice of [...blocks, null]) {
    const first = choice?.block.firstIndex ?? Number.POSITIVE_INFINITY;
    for (let line = lines[at]; line !== undefined && line.index < first; line = lines[++at])
      placed.push(less === 0 ? line : line.with(line.priority, { index: line.index - less }));
    if (choice === null) break;
    const last = choice.block.lastIndex;
    while ((lines[at]?.index ?? Number.POSITIVE_INFINITY) <= last) at++;
    placed.push({ ...choice, index: first - less });
    less += last - first;
  }
  return placed;
}

/** How many units fewer there are with blocks in the place of theirs. */
export function unitsLess(blocks: readonly BlockChoice[]): number {
  return blocks.reduce((sum, { block }) => sum + block.lastIndex - block.firstIndex, 0);
}

/** The ranges of a block of which nothing but white space was left out. */
export function shownRanges({ run }: BlockChoice): ByteRange[] {
  const cover = new CoverBuilder();
  writeRun(cover, run);
  const ranges: { start: number; end: number }[] = [];
  for (const { kind, start, end } of cover.finish(false)) {
    if (kind === 'omit') continue;
    const last = ranges.at(-1);
    if (last?.end === start) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/** Why it was kept. */
export function blockReason({ block, priority }: BlockChoice): KeptLines {
  const { start, end } = block;
  return {
    firstLine: start.breaks + 1,
    lastLine: Math.max(start.breaks + 1, end.breaks),
    chars: end.chars - start.chars,
    causes: [{ cause: 'structured data', score: Math.round(priority * 10) / 10 }],
  };
}
