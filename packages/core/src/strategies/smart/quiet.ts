/**
 * What is shown of a part that tells of no failure, or ended well, where there is more to it than lines: the beginning and the end, the data in between
 * as its own grammar shows it, and the few lines that matter. Each gets what it needs as far as there is room; the ends are preferred.
 * Units: chars as rendered.
 */
import type { Policy } from '../../model/policy.ts';
import type { Share } from '../../model/strategy.ts';
import { allocate } from '../../text/allocate.ts';
import type { BlockChoice } from './block.ts';
import type { SalientLine } from './choices.ts';
import { copyOf, type EmbeddedBlock, holds } from './open-block.ts';
import type { Unit } from './units.ts';

/** The first lines of a part. */
export class Opening {
  readonly #budget: number;
  readonly units: Unit[] = [];
  #chars = 0;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number) {
    this.#budget = budget;
  }

  add(unit: Unit): void {
    if (this.#chars > this.#budget) return;
    this.units.push(copyOf(unit));
    this.#chars += unit.end.chars - unit.start.chars;
  }
}

/** What a quiet part has to show. */
export interface QuietParts {
  /** The first lines, and all that are held up to the last. */
  readonly opening: readonly SalientLine[];
  readonly lines: readonly SalientLine[];
  /** Lines that matter, wherever they stand, and what they take. */
  readonly extra: readonly SalientLine[];
  readonly blocks: readonly EmbeddedBlock[];
  readonly totalChars: number;
}

/** Shows a block within so many chars, if it can be. */
type ShowBlock = (block: EmbeddedBlock, chars: number, priority: number) => BlockChoice | null;

/** What is shown before what. */
const PRIORITY = { block: 3, extra: 2, end: 1 };

export function quietChoices(
  parts: QuietParts,
  share: Share,
  policy: Policy,
  show: ShowBlock,
): { readonly lines: readonly SalientLine[]; readonly blocks: readonly BlockChoice[] } {
  const markers = share.gap.chars * (1 + 2 * parts.blocks.length);
  const taken = parts.extra.reduce((sum, { shown }) => sum + shown + share.gap.chars, 0);
  const room = Math.max(0, share.chars - markers - taken);
  const inBlocks = parts.blocks.reduce((sum, { start, end }) => sum + end.chars - start.chars, 0);
  const unlimited = { limit: Number.POSITIVE_INFINITY };
  const [forEnds = 0, ...forBlocks] = allocate(room, [
    { size: parts.totalChars - inBlocks, preferred: true, ...unlimited },
    ...parts.blocks.map(({ start, end }) => ({
      size: end.chars - start.chars,
      preferred: false,
      ...unlimited,
    })),
  ]);
  const blocks = parts.blocks.flatMap((block, i) => show(block, forBlocks[i] ?? 0, PRIORITY.block) ?? []);
  // What the data did not use after all.
  const left = blocks.reduce((sum, { shown }) => sum - shown, room - forEnds);
  const ends = endLines(parts, forEnds + Math.max(0, left), policy);
  return {
    lines: merged([...parts.extra.map((line) => ({ ...line, priority: PRIORITY.extra })), ...ends]),
    blocks,
  };
}

/** Lines of which each stands once, in order: the first of each place counts. */
function merged(lines: readonly SalientLine[]): SalientLine[] {
  const byIndex = new Map<number, SalientLine>();
  for (const line of lines) if (!byIndex.has(line.index)) byIndex.set(line.index, line);
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}

/** The first and the last lines: the beginning gets its ratio, the end what is left of it. Nearer to either end comes first. */
function endLines(parts: QuietParts, room: number, policy: Policy): SalientLine[] {
  const inBlock = ({ index }: SalientLine) => parts.blocks.some((block) => holds(block, index));
  const first = parts.opening.filter((line) => !inBlock(line));
  const last = lastLines(parts.lines, parts.blocks).filter((line) => !inBlock(line));
  const tailNeed = last.reduce((sum, { shown }) => sum + shown, 0);
  const ratio = Math.max(policy.headRatio * room, room - tailNeed);
  const head = within(first, ratio, policy.headLines ?? null);
  const tail = within(
    last.filter(({ index }) => index > (head.at(-1)?.index ?? -1)),
    head.reduce((left, { shown }) => left - shown, room),
    policy.tailLines ?? null,
  );
  return [...head, ...tail].map((line, i) => ({
    ...line,
    priority: PRIORITY.end / (1 + (i < head.length ? i : i - head.length) / 1_000),
  }));
}

/** All lines up to the last one that follow each other without a gap but for blocks; the last one first. */
function lastLines(lines: readonly SalientLine[], blocks: readonly EmbeddedBlock[]): SalientLine[] {
  const last: SalientLine[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] as SalientLine;
    const next = last.at(-1);
    if (next !== undefined && !follows(line, next, blocks)) break;
    last.push(line);
  }
  return last;
}

function follows(line: SalientLine, next: SalientLine, blocks: readonly EmbeddedBlock[]): boolean {
  const after = line.index + 1 + (line.run.again?.count ?? 0);
  if (after >= next.index) return true;
  return blocks.some(({ firstIndex, lastIndex }) => firstIndex <= after && lastIndex + 1 >= next.index);
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
