/**
 * Collects, in order, what is kept of a text: indentation between tags is elided down to one line
 * end (down to nothing where lines are dear), the rest kept; and remembers the bytes of everything
 * kept, so that it can be rendered.
 */
import { type Extent, NOTHING } from '../../../model/extent.ts';
import type { OmittedThings, Selection } from '../../../model/selection.ts';
import { CoverBuilder } from '../../../text/cover.ts';
import type { HeldBytes } from '../../../text/held-bytes.ts';
import { KeptBytes } from '../../../text/kept-bytes.ts';
import type { Blank } from './frame.ts';
import { type ElementNode, shownOfBlank } from './tree.ts';

export type LineEnds = 'kept' | 'elided';

export class XmlRuns {
  readonly #cover = new CoverBuilder();
  readonly #lineEnds: LineEnds;
  readonly #kept = new KeptBytes();
  #end: Extent = NOTHING;
  #breaks = 0;

  constructor(lineEnds: LineEnds) {
    this.#lineEnds = lineEnds;
  }

  /** Line ends in what is kept. */
  get breaks(): number {
    return this.#breaks;
  }

  /** Keeps a range as it is. */
  keep(source: HeldBytes, from: number, to: number): void {
    if (to <= from) return;
    const start = source.extentAt(from);
    this.#end = source.extentAt(to);
    this.#breaks += this.#end.breaks - start.breaks;
    this.#kept.add(from, source.slice(from, to));
    this.#cover.keep(start, this.#end, isLineEnd(source.at(to - 1)));
  }

  blank(blank: Blank | null): void {
    if (blank === null) return;
    const { start, end, source } = blank;
    if (source === null || this.#lineEnds === 'elided') {
      this.#elide(start, end);
      return;
    }
    const { from, to } = shownOfBlank(blank, source);
    this.#elide(start, source.extentAt(from));
    this.keep(source, from, to);
    this.#elide(source.extentAt(to), end);
  }

  /** Keeps all of an element but the indentation in it. */
  whole(node: ElementNode): void {
    if (node.whole === null) return;
    const { source, blanks } = node.whole;
    let at = node.from;
    for (let next = firstFrom(blanks, node.from); next < blanks.length; next++) {
      const blank = blanks[next];
      if (blank === undefined || blank.start.bytes >= node.to) break;
      this.keep(source, at, blank.start.bytes);
      this.blank(blank);
      at = blank.end.bytes;
    }
    this.keep(source, at, node.to);
  }

  /** White space, or a byte order mark, before everything. */
  leading(to: Extent): void {
    this.#elide(NOTHING, to);
  }

  omit(from: Extent, to: Extent, what: OmittedThings): void {
    this.#end = to;
    this.#cover.omit(from, to, false, what);
  }

  /** `lastByte`: of the text. */
  finish(total: Extent, lastByte: number): Selection {
    if (this.#end.bytes < total.bytes) this.#elide(this.#end, total);
    return this.#cover.finish(!isLineEnd(lastByte));
  }

  /** The bytes of a kept range: it lies within neighbouring runs. */
  bytes(start: number, end: number): Uint8Array {
    return this.#kept.slice(start, end);
  }

  #elide(from: Extent, to: Extent): void {
    if (to.bytes <= from.bytes) return;
    this.#end = to;
    this.#cover.elide(from, to, 'indentation');
  }
}

/** The first blank at or behind a place. */
function firstFrom(blanks: readonly Blank[], offset: number): number {
  let low = 0;
  let high = blanks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blanks[middle]?.start.bytes ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isLineEnd(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}
