/**
 * Joins many small blocks into one text, so that their lines are judged together: an error in one
 * of twenty blocks is kept as it would be in one. A block that ends inside a line gets a line end,
 * which belongs to no block. The selection is split up again by block; hidden blocks are counted
 * together. Blocks count from 0.
 */
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { PartRecord } from '../model/part.ts';
import type { PartText, Selected } from '../model/part-text.ts';
import type { Piece } from '../model/piece.ts';
import type { Segment } from '../model/selection.ts';
import type { KeptLines } from '../model/strategy.ts';
import type { Joined, Section, View } from './section.ts';

const LF = 10;
const LINE_END = Uint8Array.of(LF);
const ONE_END: Extent = { bytes: 1, chars: 1, breaks: 1 };

/** `lines`: of all blocks before it. */
interface Block {
  readonly start: number;
  readonly firstChar: number;
  readonly linesBefore: number;
  readonly bytes: number;
  readonly chars: number;
  readonly lines: number;
}

interface BlockCut {
  readonly segments: Segment[];
  readonly texts: string[];
}

export class JoinedBlocks implements Joined {
  readonly #text: PartText;
  readonly #like: Section;
  /** Columns by block. */
  readonly #indexes: number[] = [];
  readonly #ordinals: number[] = [];
  readonly #bytes: number[] = [0];
  readonly #chars: number[] = [0];
  readonly #lines: number[] = [0];
  readonly #added: number[] = [];
  #illFormed = 0;
  #at: Extent = NOTHING;
  #isOpen = false;

  constructor(text: PartText, like: Section) {
    this.#text = text;
    this.#like = like;
  }

  /** Blocks come in order. */
  add({ part, ordinal }: Section, pieces: readonly Piece[]): void {
    if (this.#isOpen) this.#push({ bytes: LINE_END, extent: ONE_END, illFormed: 0 });
    const at = this.#indexes.length;
    this.#added.push(this.#at.bytes - (this.#bytes[at] as number));
    this.#indexes.push(part.index);
    this.#ordinals.push(ordinal ?? 1);
    this.#bytes.push((this.#bytes[at] as number) + part.bytes);
    this.#chars.push((this.#chars[at] as number) + part.chars);
    this.#lines.push((this.#lines[at] as number) + part.lines);
    this.#illFormed += part.illFormed;
    for (const piece of pieces) this.#push(piece);
    this.#isOpen = pieces.at(-1)?.bytes.at(-1) !== LF;
  }

  section(): Section {
    const all = this.#hidden(0, this.#indexes.length);
    const part = { ...all.part, illFormed: this.#illFormed };
    return { ...all, part, text: this.#text, joined: this };
  }

  /** By the index of its part. */
  find(index: number): { readonly ordinal: number; readonly bytes: number } | undefined {
    const at = this.#indexes.indexOf(index);
    return at < 0 ? undefined : { ordinal: this.#ordinals[at] as number, bytes: this.#block(at).bytes };
  }

  views(selected: Selected, texts: number, others: readonly number[]): View[] {
    const reasons = this.#reasons(selected);
    const views: View[] = [];
    let { findings } = selected;
    let next = 0;
    const hideUpTo = (end: number) => {
      for (const other of [...others, Number.POSITIVE_INFINITY]) {
        let to = next;
        while (to < end && (this.#indexes[to] as number) < other) to++;
        if (to > next) views.push({ kind: 'collapsed', sections: [this.#hidden(next, to)] });
        next = to;
      }
    };
    for (const [at, { segments: selection, texts: kept }] of this.#cut(selected)) {
      // Only its last line end is kept: that is nothing.
      if (kept.every((text) => text.trim() === '')) continue;
      hideUpTo(at);
      const own = { ...selected, selection, texts: kept, findings, reasons: () => reasons(this.#block(at)) };
      const from = `part ${this.#ordinals[at]}/${texts}`;
      const { part } = this.#hidden(at, at + 1);
      views.push({ kind: 'text', part, selected: own, from, labelled: false });
      // Reported once.
      findings = null;
      next = at + 1;
    }
    hideUpTo(this.#indexes.length);
    return views;
  }

  #push(piece: Pick<Piece, 'bytes' | 'extent' | 'illFormed'>): void {
    this.#text.push({ ...piece, start: this.#at } as Piece);
    this.#at = sum(this.#at, piece.extent);
  }

  #block(at: number): Block {
    const between = (sums: readonly number[]) => (sums[at + 1] as number) - (sums[at] as number);
    const added = this.#added[at] as number;
    return {
      start: (this.#bytes[at] as number) + added,
      firstChar: (this.#chars[at] as number) + added,
      linesBefore: this.#lines[at] as number,
      bytes: between(this.#bytes),
      chars: between(this.#chars),
      lines: between(this.#lines),
    };
  }

  #hidden(from: number, to: number): Section {
    const total = (sums: readonly number[]) => (sums[to] as number) - (sums[from] as number);
    const index = this.#indexes[from] as number;
    const last = this.#indexes[to - 1] as number;
    const sizes = { bytes: total(this.#bytes), chars: total(this.#chars), lines: total(this.#lines) };
    const part: PartRecord = { ...this.#like.part, ...sizes, index, illFormed: 0 };
    const run = { parts: to - from, texts: to - from, last, firstBytes: this.#block(from).bytes };
    return { part, text: null, blank: false, ordinal: this.#ordinals[from] as number, run };
  }

  /**
   * Without blocks that lie inside a gap. Each block ends a line, so lines add up at block ends.
   */
  #cut({ selection, texts }: Selected): Map<number, BlockCut> {
    const cuts = new Map<number, BlockCut>();
    const last = this.#indexes.length - 1;
    let at = 0;
    let chars = 0;
    let lines = 0;
    for (const [i, segment] of selection.entries()) {
      const linesAfter = lines + segment.lines;
      for (let isFirst = true; ; at++, isFirst = false) {
        const block = this.#block(at);
        const goesOn = segment.end > block.start + block.bytes && at < last;
        const counted = goesOn ? block.linesBefore + block.lines : linesAfter;
        const from = Math.max(chars, block.firstChar);
        const to = Math.min(chars + segment.chars, block.firstChar + block.chars);
        if (to > from && (isFirst || !goesOn || segment.kind !== 'omit')) {
          const cut = cuts.get(at) ?? { segments: [], texts: [] };
          cut.segments.push(partOf(segment, block, to - from, counted - lines));
          cut.texts.push((texts[i] as string).slice(from - chars, to - chars));
          cuts.set(at, cut);
        }
        lines = counted;
        if (!goesOn) break;
      }
      chars += segment.chars;
    }
    return cuts;
  }

  #reasons({ reasons }: Selected): (block: Block) => KeptLines[] {
    let known: readonly KeptLines[] | undefined;
    return ({ linesBefore, lines }) => {
      known ??= reasons();
      return known.flatMap((kept) => {
        const firstLine = Math.max(1, kept.firstLine - linesBefore);
        const lastLine = Math.min(lines, kept.lastLine - linesBefore);
        return lastLine < firstLine ? [] : [{ ...kept, firstLine, lastLine }];
      });
    };
  }
}

/** In positions of the block. */
function partOf(segment: Segment, block: Block, chars: number, lines: number): Segment {
  const start = Math.max(0, segment.start - block.start);
  const end = Math.min(block.bytes, segment.end - block.start);
  // Lines are numbered within their block.
  if (segment.kind === 'keep') return { kind: 'keep', start, end, chars, lines };
  if (segment.kind !== 'omit') return { ...segment, start, end, chars, lines };
  const { what, unfit, ...gap } = segment;
  const { linesBefore, firstChar } = block;
  const isWhole = segment.start >= block.start && segment.end <= block.start + block.bytes;
  const long = unfit && { ...unfit, line: unfit.line - linesBefore, firstChar: unfit.firstChar - firstChar };
  return {
    ...gap,
    ...{ start, end, chars, lines },
    firstLine: Math.max(1, segment.firstLine - linesBefore),
    lastLine: Math.min(block.lines, segment.lastLine - linesBefore),
    ...(isWhole && what !== undefined ? { what } : {}),
    ...(isWhole && long !== undefined ? { unfit: long } : {}),
  };
}
