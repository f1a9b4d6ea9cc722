/**
 * Chooses passages within a share: both ends first, then by the new names each brings for its
 * price, more where the call asks for it. A passage beside a chosen one is cheaper than one that
 * needs a marker of its own. Invariant: what is chosen and the markers of its gaps are within the
 * share. Ties go to the earlier passage. Units: chars and lines as rendered.
 */
import type { Extent } from '../../model/extent.ts';
import type { Share } from '../../model/strategy.ts';
import { Heap } from '../../text/heap.ts';
import type { UnitShape } from './chunk-feed.ts';
import type { Passage } from './passages.ts';

/** What the beginning gets of the room. */
const TOP = 0.15;
/**
 * What another gap counts, in chars; what a char is worth without any name; and what the end gets
 * of the room. What a command printed says at its end how it went.
 */
const RULES = {
  blocks: { gap: 100, base: 0.005, bottom: 0.1 },
  lines: { gap: 60, base: 0.002, bottom: 0.2 },
} as const satisfies Record<UnitShape, { gap: number; base: number; bottom: number }>;
const SEGMENT_GAP = 60;
/** What being asked for counts: for each name, and by itself. */
const ASKED = { names: 1, alone: 1 };
const BLANK = 0.2;
/** What a heading counts: it tells what the text below it is about. */
const HEADING = 2;

export interface Candidates {
  readonly passages: readonly Passage[];
  readonly relevance: Float64Array;
  readonly nameCount: number;
  /** Where the part ends. */
  readonly end: Extent;
  readonly shape: UnitShape;
  /** The most lines at either end. */
  readonly headLines: number;
  readonly tailLines: number;
}

export class Choice {
  readonly #given: Candidates;
  readonly #share: Share;
  readonly #taken: Uint8Array;
  readonly #shown: Uint8Array;
  readonly #queue = new Heap<number>();
  #chars: number;
  #lines: number;

  constructor(given: Candidates, share: Share) {
    this.#given = given;
    this.#share = share;
    this.#taken = new Uint8Array(given.passages.length);
    this.#shown = new Uint8Array(given.nameCount);
    this.#chars = this.#gapChars(null, null);
    this.#lines = share.gap.lines;
  }

  /** Whether a passage is chosen. */
  has(at: number): boolean {
    return this.#taken[at] === 1;
  }

  /** Chars that are left. */
  get left(): number {
    return this.#share.chars - this.#chars;
  }

  /** Takes passages that must be shown, the first ones first, as far as there is room. */
  force(indices: readonly number[]): void {
    for (const at of indices) this.#take(at);
  }

  /** Takes whole passages from both ends. */
  ends(): void {
    const { passages, shape, headLines, tailLines } = this.#given;
    const room = this.#share.chars;
    this.#run(0, 1, TOP * room, headLines);
    this.#run(passages.length - 1, -1, RULES[shape].bottom * room, tailLines);
  }

  /** Takes the best of the others until nothing fits. */
  fill(): void {
    for (let at = 0; at < this.#given.passages.length; at++) this.#enqueue(at);
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const { item: at, key } = next;
      if (this.#taken[at] === 1) continue;
      const score = this.#score(at);
      // A better entry of the same passage was asked before; a worse one waits its turn.
      if (score < key) this.#queue.push(score, -at, at);
      else if (score === key && this.#take(at)) {
        this.#enqueue(at - 1);
        this.#enqueue(at + 1);
      }
    }
  }

  #run(from: number, step: 1 | -1, mostChars: number, mostLines: number): void {
    let chars = 0;
    let lines = 0;
    for (let at = from; at >= 0 && at < this.#given.passages.length; at += step) {
      const passage = this.#passage(at);
      chars += charsOf(passage);
      lines += linesOf(passage);
      if (chars > mostChars || lines > mostLines || !this.#take(at)) return;
    }
  }

  #enqueue(at: number): void {
    if (at < 0 || at >= this.#given.passages.length || this.#taken[at] === 1) return;
    this.#queue.push(this.#score(at), -at, at);
  }

  /** Gain for cost. */
  #score(at: number): number {
    const passage = this.#passage(at);
    const rules = RULES[this.#given.shape];
    const asked = this.#given.relevance[at] ?? 0;
    const chars = charsOf(passage);
    let names = 0;
    for (let i = 0; i < passage.names.length; i++)
      if (this.#shown[passage.names[i] as number] === 0) names += passage.weights[i] as number;
    const gain =
      (1 + ASKED.names * asked) * names +
      ASKED.alone * asked +
      rules.base * chars +
      (passage.heading ? HEADING : 0);
    const gap = passage.segment ? Math.min(SEGMENT_GAP, rules.gap) : rules.gap;
    const gaps = 1 - Number(this.#isBeside(at, -1)) - Number(this.#isBeside(at, 1));
    return ((passage.blank ? BLANK : 1) * gain) / Math.max(1, chars + gaps * gap);
  }

  /** Whether what lies beside a passage is shown, or nothing does. */
  #isBeside(at: number, step: 1 | -1): boolean {
    const { start, end } = this.#passage(at);
    if (step === -1 ? start.bytes === 0 : end.bytes === this.#given.end.bytes) return true;
    const other = this.#given.passages[at + step];
    if (other === undefined || this.#taken[at + step] === 0) return false;
    return step === -1 ? other.end.bytes === start.bytes : other.start.bytes === end.bytes;
  }

  /** Takes a passage if it fits with its real markers. */
  #take(at: number): boolean {
    if (this.#taken[at] === 1) return true;
    const passage = this.#passage(at);
    const before = this.#nearest(at, -1);
    const after = this.#nearest(at, 1);
    const joined = this.#gapChars(before, after);
    const alone = this.#chars + charsOf(passage) - joined;
    // Most of what does not fit does not do so without markers either.
    if (alone > this.#share.chars) return false;
    const above = this.#gapChars(before, passage);
    const below = this.#gapChars(passage, after);
    const chars = alone + above + below;
    const gaps = Number(above > 0) + Number(below > 0) - Number(joined > 0);
    const lines = this.#lines + linesOf(passage) + gaps * this.#share.gap.lines;
    if (chars > this.#share.chars || lines > this.#share.lines) return false;
    this.#chars = chars;
    this.#lines = lines;
    this.#taken[at] = 1;
    for (const name of passage.names) this.#shown[name] = 1;
    return true;
  }

  #nearest(at: number, step: 1 | -1): Passage | null {
    for (let i = at + step; i >= 0 && i < this.#taken.length; i += step)
      if (this.#taken[i] === 1) return this.#passage(i);
    return null;
  }

  /** What the marker costs between two passages; `null` is the beginning or the end of the part. */
  #gapChars(before: Passage | null, after: Passage | null): number {
    const from = before?.end ?? { bytes: 0, chars: 0, breaks: 0 };
    const to = after?.start ?? this.#given.end;
    if (to.bytes === from.bytes) return 0;
    const { gap } = this.#share;
    const position = before === null ? 'start' : after === null ? 'end' : 'middle';
    return gap.exactly?.(position, to.breaks - from.breaks, to.chars - from.chars) ?? gap.chars;
  }

  #passage(at: number): Passage {
    return this.#given.passages[at] as Passage;
  }
}

function charsOf({ start, end }: Passage): number {
  return end.chars - start.chars;
}

function linesOf({ start, end }: Passage): number {
  return Math.max(1, end.breaks - start.breaks);
}
