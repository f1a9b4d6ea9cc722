/**
 * What is shown of a part that tells of no failure, or ended well, where there is more to it than
 * lines: the beginning and the end, the data in between as its own grammar shows it, the few lines
 * that matter, and the first lines of sections. Each gets what it needs as far as there is room;
 * the ends are preferred. Units: chars as rendered.
 */
import type { Policy } from '../../model/policy.ts';
import type { Share } from '../../model/strategy.ts';
import { allocate } from '../../text/allocate.ts';
import type { BlockChoice } from './block.ts';
import { type EmbeddedBlock, holds } from './open-block.ts';
import type { SalientLine } from './salient-line.ts';
import { type SampledSection, sectionLines } from './section-lines.ts';

/** What a quiet part has to show. */
export interface QuietParts {
  /** The first lines, and the last ones, the last one first. */
  readonly opening: readonly SalientLine[];
  readonly ending: readonly SalientLine[];
  readonly samples: readonly SampledSection[];
  readonly blocks: readonly EmbeddedBlock[];
  readonly totalChars: number;
}

/** How things are shown. */
export interface Showing {
  /** A block within so many chars, if it can be. */
  readonly block: (block: EmbeddedBlock, chars: number, priority: number) => BlockChoice | null;
  /**
   * The share of the room that lines that matter may take, and the best of them that are not shown
   * already.
   */
  readonly salientShare: number;
  readonly ended: 'passed' | 'unknown';
  readonly salient: (shown: ReadonlySet<number>) => readonly SalientLine[];
}

export interface QuietChoices {
  readonly lines: readonly SalientLine[];
  readonly blocks: readonly BlockChoice[];
  readonly ends: EndLines;
}

/** What is shown before what. */
const PRIORITY = { block: 4, extra: 3, section: 2, end: 1 };
/**
 * What the first lines of sections may take of the room with those that matter: little where the
 * whole ended well.
 */
const SECTION_SHARE = { passed: 0.1, unknown: 0.15 };

/** `more`: what lines may take beyond what is surely there. */
export function quietChoices(
  parts: QuietParts,
  share: Share,
  policy: Policy,
  showing: Showing,
  more: number,
): QuietChoices {
  const marker = share.gap.chars;
  const room = Math.max(0, share.chars - marker * (1 + 2 * parts.blocks.length));
  const { blocks, left } = blocksWithin(parts, room, showing);
  const forLines = left + more;
  const least = indexesOf(endLines(parts, forLines * (1 - showing.salientShare), policy));
  const extra = showing.salient(least);
  const taken = extra.reduce((sum, { shown }) => sum + shown + marker, 0);
  const forSections = Math.max(0, Math.min(forLines, share.chars * SECTION_SHARE[showing.ended]) - taken);
  const shown = indexesOf(endLines(parts, forLines - taken - forSections, policy));
  for (const { index } of extra) shown.add(index);
  const sampled = sectionLines(parts, shown, forSections, marker);
  const sections = sampled.reduce((sum, { cost }) => sum + cost, 0);
  const { head, tail } = endLines(parts, forLines - taken - sections, policy);
  const ends = { head: head.map(nearest), tail: tail.map(nearest) };
  const lines = withAll(
    [...ends.head, ...ends.tail.toReversed()],
    [
      ...extra.map((line) => line.with(PRIORITY.extra)),
      ...sampled.map(({ line }) => line.with(PRIORITY.section)),
    ],
  );
  return { lines, blocks, ends };
}

/**
 * Blocks and lines share the room by need, lines first; what blocks do not use after all is left to
 * the lines.
 */
function blocksWithin(
  { blocks: found, totalChars }: QuietParts,
  room: number,
  showing: Showing,
): { readonly blocks: readonly BlockChoice[]; readonly left: number } {
  const sizes = found.map(({ start, end }) => end.chars - start.chars);
  const limit = Number.POSITIVE_INFINITY;
  const [, ...shares] = allocate(room, [
    { size: sizes.reduce((sum, size) => sum - size, totalChars), preferred: true, limit },
    ...sizes.map((size) => ({ size, preferred: false, limit })),
  ]);
  const blocks = found.flatMap((block, i) => showing.block(block, shares[i] ?? 0, PRIORITY.block) ?? []);
  return {
    blocks,
    left: Math.max(
      0,
      blocks.reduce((sum, { shown }) => sum - shown, room),
    ),
  };
}

/**
 * What was chosen without what lies beyond a hole in an end: a line there was too long to be shown.
 */
export function unbroken<T extends SalientLine | BlockChoice>(
  chosen: readonly T[],
  ends: EndLines,
): readonly T[] {
  const shown = new Set(chosen.map((choice) => ('candidate' in choice ? choice.candidate : null)));
  const beyond = [ends.head, ends.tail].flatMap((lines) => {
    const hole = lines.findIndex(({ candidate }) => !shown.has(candidate));
    return hole < 0 ? [] : lines.slice(hole);
  });
  const gone = new Set(beyond.map(({ candidate }) => candidate));
  return chosen.filter(
    (choice) => !('candidate' in choice) || choice.cause !== 'position' || !gone.has(choice.candidate),
  );
}

/**
 * Lines, which are in order, with others among them: of two for the same place the one that counts
 * more.
 */
export function withAll(
  lines: readonly SalientLine[],
  others: readonly SalientLine[],
): readonly SalientLine[] {
  if (others.length === 0) return lines;
  const byIndex = Map.groupBy(others, ({ index }) => index);
  const all = lines.map((line) => {
    const same = byIndex.get(line.index);
    if (same === undefined) return line;
    byIndex.delete(line.index);
    return same.reduce(better, line);
  });
  for (const same of byIndex.values()) all.push(same.reduce(better));
  return all.sort((a, b) => a.index - b.index);
}

/** A line, for the reason of another offer of it if that counts more. */
function better(line: SalientLine, other: SalientLine): SalientLine {
  return other.priority > line.priority ? line.with(other.priority, { cause: other.cause }) : line;
}

/** Lines of both ends, those nearest to their end first. */
interface EndLines {
  readonly head: readonly SalientLine[];
  readonly tail: readonly SalientLine[];
}

/** The beginning gets its ratio of the room, the end what is left of it. */
function endLines(parts: QuietParts, room: number, policy: Policy): EndLines {
  const first = outsideBlocks(parts.opening, parts.blocks);
  const last = outsideBlocks(parts.ending, parts.blocks);
  const tailNeed = last.reduce((sum, { shown }) => sum + shown, 0);
  const head = within(first, Math.max(policy.headRatio * room, room - tailNeed), policy.headLines ?? null);
  const tail = within(
    last.filter(({ index }) => index > (head.at(-1)?.index ?? -1)),
    head.reduce((left, { shown }) => left - shown, room),
    policy.tailLines ?? null,
  );
  return { head, tail };
}

function outsideBlocks(
  lines: readonly SalientLine[],
  blocks: readonly EmbeddedBlock[],
): readonly SalientLine[] {
  if (blocks.length === 0) return lines;
  return lines.filter(({ index }) => !blocks.some((block) => holds(block, index)));
}

/** The nearer to its end, the sooner a line is shown, whether or not it was said before. */
function nearest(line: SalientLine, distance: number): SalientLine {
  return line.with(PRIORITY.end / (1 + distance / 1_000), { mayRepeat: true });
}

function indexesOf({ head, tail }: EndLines): Set<number> {
  const indexes = new Set<number>();
  for (const { index } of head) indexes.add(index);
  for (const { index } of tail) indexes.add(index);
  return indexes;
}

/** As many as fit, none skipped. */
function within(lines: readonly SalientLine[], chars: number, most: number | null): SalientLine[] {
  let left = chars;
  const end = lines.findIndex((line, i) => {
    left -= line.shown;
    return left < 0 || (most !== null && i >= most);
  });
  return end < 0 ? [...lines] : lines.slice(0, end);
}
