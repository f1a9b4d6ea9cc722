/**
 * Finds the lines of a stored part that hold a text, or match a pattern: where, not what. Reads the
 * part once, in bounded memory. A plain text is looked for in the bytes, at the speed of the disk;
 * ASCII letters are the same in either case unless told. Columns and lengths are chars, from 1.
 */
import type { Pattern } from '../model/pattern.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../text/lines.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { encode, measure } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-part-reader.ts';

/** A line that matches. */
export interface FoundLine {
  readonly line: number;
  /** Where the first match begins. */
  readonly column: number;
  /** Chars of the match; 0 where the pattern engine does not tell. */
  readonly length: number;
}

/** What is looked for. */
export type Sought = { readonly text: string; readonly matchCase: boolean } | { readonly pattern: Pattern };

const LF = 10;
const CR = 13;
/** A line longer than this is searched in ranges. */
const MOST_HELD_BYTES = 1 << 20;

/** Lines that match, from a line on, in order. */
export async function* findLines(
  reader: StoredPartReader,
  sought: Sought,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<FoundLine> {
  const { at, pieces } = await reader.read({ breaks: from - 1 }, signal);
  const search =
    'text' in sought ? new TextSearch(sought, at.breaks + 1) : new PatternSearch(sought.pattern, at);
  for await (const piece of pieces) {
    search.push(piece);
    for (const found of search.take()) if (found.line >= from) yield found;
    await pauseAtTimes();
    signal?.throwIfAborted();
  }
  search.finish();
  for (const found of search.take()) if (found.line >= from) yield found;
}

/** Looks for bytes, in whole lines as far as they can be held. */
class TextSearch {
  readonly #needle: Buffer;
  readonly #chars: number;
  readonly #fold: boolean;
  #found: FoundLine[] = [];
  #line: number;
  /** The open line: its bytes, and the chars of it that are no longer held. */
  #rest: Buffer = Buffer.alloc(0);
  #passed = 0;
  #isFound = false;

  constructor({ text, matchCase }: { readonly text: string; readonly matchCase: boolean }, line: number) {
    this.#fold = !matchCase;
    this.#needle = Buffer.from(encode(text));
    if (this.#fold) foldAscii(this.#needle, this.#needle);
    this.#chars = text.length;
    this.#line = line;
  }

  push(piece: Uint8Array): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    const end = lastLineEnd(bytes);
    this.#search(bytes.subarray(0, end));
    this.#rest = bytes.subarray(end);
    if (this.#rest.length > MOST_HELD_BYTES) this.#shorten();
  }

  finish(): void {
    this.#search(this.#rest);
  }

  take(): readonly FoundLine[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Whole lines, of which the first may have begun before. */
  #search(lines: Buffer): void {
    const text = this.#folded(lines);
    let start = 0;
    for (let at = text.indexOf(this.#needle); at >= 0; ) {
      start = this.#goTo(lines, start, at);
      this.#note(measure(lines, start, at).chars);
      const next = nextLine(lines, at);
      this.#goTo(lines, start, next);
      start = next;
      at = next >= lines.length ? -1 : text.indexOf(this.#needle, next);
    }
    this.#goTo(lines, start, lines.length);
  }

  /** Counts the lines that begin up to a byte; where the last of them begins. */
  #goTo(bytes: Buffer, start: number, to: number): number {
    let last = start;
    for (let next = nextLine(bytes, last); next <= to && next > last; next = nextLine(bytes, last)) {
      if (!endsLine(bytes, next)) break;
      this.#line++;
      this.#passed = 0;
      this.#isFound = false;
      last = next;
      if (next === bytes.length) break;
    }
    return last;
  }

  #note(charsBefore: number): void {
    if (!this.#isFound)
      this.#found.push({ line: this.#line, column: this.#passed + charsBefore + 1, length: this.#chars });
    this.#isFound = true;
  }

  /** Searches what is held of an endless line, and keeps as much as a match may still begin in. */
  #shorten(): void {
    const at = this.#folded(this.#rest).indexOf(this.#needle);
    if (at >= 0) this.#note(measure(this.#rest, 0, at).chars);
    let keep = Math.max(0, this.#rest.length - this.#needle.length + 1);
    while (keep > 0 && ((this.#rest[keep] ?? 0) & 0xc0) === 0x80) keep--;
    this.#passed += measure(this.#rest, 0, keep).chars;
    this.#rest = Buffer.from(this.#rest.subarray(keep));
  }

  #folded(bytes: Buffer): Buffer {
    return this.#fold ? foldAscii(bytes, Buffer.allocUnsafe(bytes.length)) : bytes;
  }
}

/** Tries a pattern on line after line. */
class PatternSearch implements LineSink {
  readonly #pattern: Pattern;
  readonly #lines: LineSplitter;
  #found: FoundLine[] = [];
  #last = 0;

  constructor(pattern: Pattern, at: ConstructorParameters<typeof LineSplitter>[1]) {
    this.#pattern = pattern;
    this.#lines = new LineSplitter(this, at);
  }

  push(piece: Uint8Array): void {
    this.#lines.push(piece);
  }

  finish(): void {
    this.#lines.finish();
  }

  take(): readonly FoundLine[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  text(text: string, { number }: LinePosition, skippedChars: number): void {
    if (this.#last === number) return;
    const at = this.#pattern.find(text);
    if (at < 0) return;
    this.#last = number;
    this.#found.push({ line: number, column: skippedChars + at + 1, length: 0 });
  }

  end(): void {}
}

const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

function foldAscii(from: Uint8Array, into: Buffer): Buffer {
  for (let at = 0; at < from.length; at++) into[at] = FOLDED[from[at] as number] as number;
  return into;
}

/** Where the line after the one that holds a byte begins; the end of the bytes if there is none. */
function nextLine(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return bytes.length;
}

function endsLine(bytes: Buffer, at: number): boolean {
  return at > 0 && (bytes[at - 1] === LF || bytes[at - 1] === CR);
}

/** The end of the last whole line. */
function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
}
