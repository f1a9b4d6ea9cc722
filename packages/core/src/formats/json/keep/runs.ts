/**
 * Collects, in order, what is kept of a document: white space between tokens is elided or kept, the
 * rest kept; and remembers the bytes of everything kept, so that it can be rendered. A document may
 * stand inside a part: it is written there as it would stand alone.
 */
import { type Extent, NOTHING, sum } from '../../../model/extent.ts';
import type { OmittedThings, Selection } from '../../../model/selection.ts';
import { CoverBuilder } from '../../../text/cover.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';
import { KeptBytes } from '../../../text/kept-bytes.ts';
import { isSpace, keepsSpace, type Spacing } from './spacing.ts';
import { stringEnd } from './tokens.ts';

const LF = 10;

interface Step {
  readonly from: Extent;
  readonly to: Extent;
  readonly what: 'kept' | 'kept line' | 'space' | OmittedThings;
}

export class Runs {
  readonly #steps: Step[] = [];
  readonly #kept = new KeptBytes();
  readonly #spacing: Spacing;

  constructor(spacing: Spacing = 'none') {
    this.#spacing = spacing;
  }

  /** Keeps a range of tokens. */
  tokens(source: HeldBytes, from: number, to: number): void {
    const { bytes } = source;
    const base = source.start.bytes;
    let at = from - base;
    const end = to - base;
    while (at < end) {
      const start = at;
      if (isSpace(bytes[at])) {
        while (at < end && isSpace(bytes[at])) at++;
        if (keepsSpace(bytes, start, at, this.#spacing)) this.keep(source, base + start, base + at);
        else this.#add(source.extentAt(base + start), source.extentAt(base + at), 'space');
        continue;
      }
      while (at < end && !isSpace(bytes[at])) at = bytes[at] === 0x22 ? stringEnd(bytes, at) : at + 1;
      this.keep(source, base + start, Math.min(to, base + at));
    }
  }

  /** Keeps a range as it is: tokens without white space between them, or part of a string. */
  keep(source: HeldBytes, from: number, to: number): void {
    this.#keep(source, from, to, 'kept');
  }

  #keep(source: HeldBytes, from: number, to: number, what: 'kept' | 'kept line'): void {
    if (to <= from) return;
    this.#kept.add(from, source.slice(from, to));
    this.#add(source.extentAt(from), source.extentAt(to), what);
  }

  /**
   * The line end behind a value that is a line, if it has one; blank lines behind it are elided.
   */
  lineEnd(source: HeldBytes, from: number, to: number): void {
    const end = source.bytes.indexOf(LF, from - source.start.bytes);
    const lineEnd = end < 0 ? to : Math.min(to, source.start.bytes + end + 1);
    this.#keep(source, from, lineEnd, end >= 0 ? 'kept line' : 'kept');
    this.tokens(source, lineEnd, to);
  }

  /** The end of the last line, behind the last value, where exact text is shown. */
  lastLineEnd(total: Extent): void {
    const end = this.#steps.at(-1)?.to ?? NOTHING;
    if (this.#spacing !== 'exact' || total.bytes !== end.bytes + 1) return;
    this.#kept.add(end.bytes, Uint8Array.of(LF));
    this.#add(end, total, 'kept line');
  }

  /** White space, or a byte order mark, before the first value. */
  leading(to: Extent): void {
    this.#add(NOTHING, to, 'space');
  }

  omit(from: Extent, to: Extent, what: OmittedThings): void {
    this.#add(from, to, what);
  }

  #add(from: Extent, to: Extent, what: Step['what']): void {
    this.#steps.push({ from, to, what });
  }

  /** What follows the last value, up to the end of the part, is white space. */
  finish(total: Extent, lastLineEnds: boolean): Selection {
    const cover = new CoverBuilder();
    this.writeTo(cover, NOTHING);
    const end = this.#steps.at(-1)?.to ?? NOTHING;
    if (end.bytes < total.bytes) cover.elide(end, total, 'indentation');
    return cover.finish(!lastLineEnds);
  }

  /** Writes the document where it stands in a part: `base` is where it begins. */
  writeTo(cover: CoverBuilder, base: Extent): void {
    for (const { from, to, what } of this.#steps) {
      const [start, end] = [sum(base, from), sum(base, to)];
      if (what === 'space') cover.elide(start, end, 'indentation');
      else if (typeof what === 'string') cover.keep(start, end, what === 'kept line');
      else cover.omit(start, end, false, what);
    }
  }

  /** What is left out, in order. */
  get omitted(): readonly OmittedThings[] {
    return this.#steps.flatMap(({ what }) => (typeof what === 'string' ? [] : [what]));
  }

  /** Chars of the document that are kept. */
  get keptChars(): number {
    return this.#steps.reduce(
      (chars, { from, to, what }) =>
        what === 'kept' || what === 'kept line' ? chars + to.chars - from.chars : chars,
      0,
    );
  }

  /** The bytes of a kept range: it lies within neighbouring runs. */
  bytes(start: number, end: number): Uint8Array {
    return this.#kept.slice(start, end);
  }
}
