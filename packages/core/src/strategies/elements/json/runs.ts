/**
 * Collects, in order, what is kept of a document: white space between tokens is elided, the rest kept; and remembers the bytes of everything
 * kept, so that it can be rendered.
 */
import { type Extent, NOTHING } from '../../../model/extent.ts';
import type { OmittedThings, Selection } from '../../../model/selection.ts';
import { CoverBuilder } from '../../../text/cover.ts';
import { stringEnd } from './describe.ts';
import type { Source } from './source.ts';

const LF = 10;

export class Runs {
  readonly #cover = new CoverBuilder();
  #end: Extent = NOTHING;
  readonly #kept: { readonly start: number; readonly bytes: Uint8Array }[] = [];

  /** Keeps a stretch of tokens. */
  tokens(source: Source, from: number, to: number): void {
    const { bytes } = source;
    const base = source.start.bytes;
    let at = from - base;
    const end = to - base;
    while (at < end) {
      const start = at;
      if (isSpace(bytes[at])) {
        while (at < end && isSpace(bytes[at])) at++;
        this.#end = source.extentAt(base + at);
        this.#cover.elide(source.extentAt(base + start), this.#end, 'indentation');
        continue;
      }
      while (at < end && !isSpace(bytes[at])) at = bytes[at] === 0x22 ? stringEnd(bytes, at) : at + 1;
      this.keep(source, base + start, Math.min(to, base + at));
    }
  }

  /** Keeps a stretch as it is: tokens without white space between them, or part of a string. */
  keep(source: Source, from: number, to: number): void {
    this.#keep(source, from, to, false);
  }

  #keep(source: Source, from: number, to: number, endsLine: boolean): void {
    if (to <= from) return;
    this.#kept.push({ start: from, bytes: source.slice(from, to) });
    this.#end = source.extentAt(to);
    this.#cover.keep(source.extentAt(from), this.#end, endsLine);
  }

  /** The line end behind a value that is a line, if it has one; blank lines behind it are elided. */
  lineEnd(source: Source, from: number, to: number): void {
    const end = source.bytes.indexOf(LF, from - source.start.bytes);
    const lineEnd = end < 0 ? to : Math.min(to, source.start.bytes + end + 1);
    this.#keep(source, from, lineEnd, end >= 0);
    this.tokens(source, lineEnd, to);
  }

  /** White space, or a byte order mark, before the first value. */
  leading(to: Extent): void {
    this.#end = to;
    this.#cover.elide(NOTHING, to, 'indentation');
  }

  omit(from: Extent, to: Extent, what: OmittedThings): void {
    this.#end = to;
    this.#cover.omit(from, to, false, what);
  }

  /** What follows the last value, up to the end of the part, is white space. */
  finish(total: Extent, lastLineEnds: boolean): Selection {
    if (this.#end.bytes < total.bytes) this.#cover.elide(this.#end, total, 'indentation');
    return this.#cover.finish(!lastLineEnds);
  }

  /** The bytes of a kept range: it lies within neighbouring runs. */
  bytes(start: number, end: number): Uint8Array {
    let low = 0;
    let high = this.#kept.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#kept[middle]?.start ?? 0) <= start) low = middle;
      else high = middle - 1;
    }
    const parts: Uint8Array[] = [];
    for (let i = low, at = start; at < end && i < this.#kept.length; i++) {
      const run = this.#kept[i];
      if (run === undefined) break;
      const part = run.bytes.subarray(at - run.start, end - run.start);
      parts.push(part);
      at += part.length;
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
