/**
 * Finds where a stored part holds a text, or which of its lines match a pattern: where, not what.
 * Reads the part once, in bounded memory. Whole blocks of lines are looked at first: most hold no
 * match, and are neither split nor counted. Only a block whose matches are not known by that is
 * searched line by line. Columns and lengths are chars, from 1.
 */
import type { PatternEngine } from '../model/pattern.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../text/lines.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { decode, encode } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-parts.ts';

/** A line that was found. */
export interface FoundLine {
  /** Its number, from 1. */
  readonly line: number;
  /** Where the match begins; of a pattern the first one in the line. */
  readonly column: number;
  /** Chars of the match; 0 where the pattern engine does not tell. */
  readonly length: number;
}

export interface Sought {
  next(text: string, from: number): { readonly at: number; readonly length: number } | null;
  /** The bytes where matches begin in these lines; null if only the lines can tell. */
  offsetsIn(lines: Buffer): readonly number[] | null;
  /** Bytes that a match may have at the most, where that is known. */
  readonly bytes: number;
}

const LF = 10;
const CR = 13;
/** Longer lines are searched in ranges. */
const MOST_HELD_BYTES = 1 << 20;
/** The beginning or the end of a text, which a line has and a block has not; flags taken back. */
const TELLS_TEXT_ENDS = /\\[AzZ]|\(\?[a-zA-Z]*-/;

/** A text as it is, as often as a line holds it. ASCII letters are the same in either case if told. */
export function soughtText(text: string, matchCase: boolean): Sought {
  const flags = matchCase ? 'g' : 'gi';
  const pattern = new RegExp(escaped(text), flags);
  // latin1: one char a byte, the fastest search in V8.
  const needle = Buffer.from(encode(text)).toString('latin1');
  const inBytes = new RegExp(escaped(needle), flags);
  return {
    next(line, from) {
      pattern.lastIndex = from;
      const found = pattern.exec(line);
      return found === null ? null : { at: found.index, length: text.length };
    },
    offsetsIn(lines) {
      const offsets = Array.from(lines.toString('latin1').matchAll(inBytes), ({ index }) => index);
      // Beyond ASCII a byte is no char; CR ends a line as well.
      const isKnown = offsets.length === 0 || (needle.length === text.length && !lines.includes(CR));
      return isKnown ? offsets : null;
    },
    bytes: needle.length,
  };
}

/** A pattern, of which the first match of a line counts. */
export function soughtPattern(engine: PatternEngine, source: string): Sought {
  const pattern = engine.compile(source);
  const block = TELLS_TEXT_ENDS.test(source) ? null : engine.compile(`(?m)${source}`);
  return {
    next(line, from) {
      const at = from > 0 ? -1 : pattern.find(line);
      return at < 0 ? null : { at, length: 0 };
    },
    offsetsIn(lines) {
      // CR ends a line, but not for the pattern engine.
      if (block === null || lines.includes(CR)) return null;
      const text = decode(lines);
      const isFree = block.test === undefined ? block.find(text) < 0 : !block.test(text);
      return isFree ? [] : null;
    },
    bytes: 0,
  };
}

/** `text` as a pattern that matches it alone. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export async function* findLines(
  reader: StoredPartReader,
  sought: Sought,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly FoundLine[]> {
  const { at, pieces } = await reader.read({ breaks: from - 1 }, signal);
  const search = new LineSearch(sought, at.bytes, reader);
  for await (const piece of pieces) {
    await search.push(piece);
    const found = search.take(from);
    if (found.length > 0) yield found;
    await pauseAtTimes();
    signal?.throwIfAborted();
  }
  await search.finish();
  const last = search.take(from);
  if (last.length > 0) yield last;
}

class LineSearch implements LineSink {
  readonly #sought: Sought;
  readonly #reader: StoredPartReader;
  #at: number;
  #line: number | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #found: FoundLine[] = [];
  #last = 0;
  #passed = 0;
  /** For lines too long to hold. */
  #lines: LineSplitter | null = null;

  constructor(sought: Sought, at: number, reader: StoredPartReader) {
    this.#sought = sought;
    this.#at = at;
    this.#reader = reader;
  }

  async push(piece: Uint8Array): Promise<void> {
    if (this.#lines !== null) {
      this.#lines.push(piece);
      return;
    }
    const bytes = Buffer.concat([this.#rest, piece]);
    const end = bytes.lastIndexOf(LF) + 1;
    await this.#try(bytes.subarray(0, end));
    this.#rest = bytes.subarray(end);
    if (this.#rest.length <= MOST_HELD_BYTES) return;
    this.#lines = await this.#splitter();
    this.#lines.push(this.#rest);
  }

  async finish(): Promise<void> {
    if (this.#lines === null) await this.#try(this.#rest);
    else this.#lines.finish();
  }

  take(from: number): FoundLine[] {
    const found = this.#found.filter(({ line }) => line >= from);
    this.#found = [];
    return found;
  }

  text(text: string, { number }: LinePosition, skippedChars: number): void {
    if (this.#last !== number) [this.#last, this.#passed] = [number, 0];
    for (;;) {
      const found = this.#sought.next(text, Math.max(0, this.#passed - skippedChars));
      if (found === null) return;
      const { at, length } = found;
      this.#found.push({ line: number, column: skippedChars + at + 1, length });
      this.#passed = length === 0 ? Number.POSITIVE_INFINITY : skippedChars + at + length;
    }
  }

  end({ number }: LinePosition): void {
    this.#line = number + 1;
  }

  async #try(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const offsets = this.#sought.offsetsIn(bytes);
    if (offsets === null) {
      const lines = await this.#splitter();
      lines.push(bytes);
      lines.finish();
    } else if (offsets.length === 0) this.#line = null;
    else this.#line = this.#note(bytes, offsets, this.#line ?? (await this.#reader.lineOf(this.#at)));
    this.#at += bytes.length;
  }

  /** Notes matches of ASCII by the lines that they are in; the number of the line behind the block. */
  #note(bytes: Buffer, offsets: readonly number[], first: number): number {
    let [line, column, from] = [first, 1, 0];
    const goTo = (offset: number) => {
      for (let end = bytes.indexOf(LF, from); end >= 0 && end < offset; end = bytes.indexOf(LF, from))
        [line, column, from] = [line + 1, 1, end + 1];
      column += decode(bytes.subarray(from, offset)).length;
      from = offset;
    };
    for (const offset of offsets) {
      goTo(offset);
      this.#found.push({ line, column, length: this.#sought.bytes });
    }
    goTo(bytes.length);
    return line;
  }

  async #splitter(): Promise<LineSplitter> {
    this.#line ??= await this.#reader.lineOf(this.#at);
    const from = { bytes: this.#at, chars: 0, breaks: this.#line - 1 };
    return new LineSplitter(this, from, this.#sought.bytes);
  }
}
