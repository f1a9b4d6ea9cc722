/**
 * Finds where a stored part holds a text, or which of its lines match a pattern: where, not what. Reads the
 * part once, in bounded memory. A plain text is looked for in the bytes, seen as a string of one char
 * a byte, which is as fast as V8 searches; lines are counted only where something was found. ASCII
 * letters are the same in either case unless told. Columns and lengths are chars, from 1.
 */
import { isAscii } from 'node:buffer';
import type { Pattern, PatternEngine } from '../model/pattern.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../text/lines.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { decode, encode, measure } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-part-reader.ts';

/** What is looked for. */
export type Sought = { readonly text: string; readonly matchCase: boolean } | SoughtPattern;

/** A line longer than this is searched in ranges. */
const MOST_HELD_BYTES = 1 << 20;

/** Lines that match, from a line on, in order: as many at a time as a piece holds. */
export async function* findLines(
  reader: StoredPartReader,
  sought: Sought,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly FoundLine[]> {
  const { at, pieces } = await reader.read({ breaks: from - 1 }, signal);
  const search =
    'text' in sought ? new TextSearch(sought, at.bytes, reader) : new PatternSearch(sought, at.bytes, reader);
  const wanted = (found: readonly FoundLine[]) => found.filter(({ line }) => line >= from);
  for await (const piece of pieces) {
    const found = wanted(await search.push(piece));
    if (found.length > 0) yield found;
    await pauseAtTimes();
    signal?.throwIfAborted();
  }
  const last = wanted(await search.finish());
  if (last.length > 0) yield last;
}

/** Looks for a text, in whole lines as far as they can be held. */
class TextSearch {
  readonly #pattern: RegExp;
  readonly #bytes: number;
  readonly #chars: number;
  readonly #reader: StoredPartReader;
  /** The open line: its bytes, and the chars of it that are no longer held. */
  #rest: Buffer = Buffer.alloc(0);
  #passed = 0;
  /** Where the rest begins, and its line where that is known. */
  #at: number;
  #line: number | null = null;

  constructor(
    { text, matchCase }: { readonly text: string; readonly matchCase: boolean },
    at: number,
    reader: StoredPartReader,
  ) {
    const needle = Buffer.from(encode(text)).toString('latin1');
    this.#pattern = new RegExp(needle.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), matchCase ? 'g' : 'gi');
    this.#bytes = needle.length;
    this.#chars = text.length;
    this.#at = at;
    this.#reader = reader;
  }

  async push(piece: Uint8Array): Promise<FoundLine[]> {
    const bytes = this.#rest.length === 0 ? asBuffer(piece) : Buffer.concat([this.#rest, piece]);
    const end = Math.max(bytes.lastIndexOf(10), bytes.lastIndexOf(13)) + 1;
    const found = await this.#search(bytes.subarray(0, end));
    this.#rest = Buffer.from(bytes.subarray(end));
    return this.#rest.length > MOST_HELD_BYTES ? [...found, ...(await this.#shorten())] : found;
  }

  finish(): Promise<FoundLine[]> {
    return this.#search(this.#rest);
  }

  /** Whole lines, of which the first may have begun before. */
  async #search(bytes: Buffer): Promise<FoundLine[]> {
    const lines = new LineCount(bytes.toString('latin1'));
    const found = await this.#matches(bytes, lines);
    if (bytes.length > 0) this.#goOn(bytes, lines);
    return found;
  }

  async #matches(bytes: Buffer, lines: LineCount): Promise<FoundLine[]> {
    const found: FoundLine[] = [];
    // Columns are counted on from the match before in the same line.
    let [start, counted, chars] = [0, 0, this.#passed];
    this.#pattern.lastIndex = 0;
    for (let match = this.#pattern.exec(lines.text); match !== null; match = this.#pattern.exec(lines.text)) {
      this.#line ??= await this.#reader.lineOf(this.#at);
      lines.goTo(match.index);
      if (lines.start !== start) [start, counted, chars] = [lines.start, lines.start, 0];
      chars += charsIn(bytes, counted, match.index);
      counted = match.index;
      found.push({ line: this.#line + lines.count, column: chars + 1, length: this.#chars });
    }
    return found;
  }

  /** The next line begins; it is counted on where its number is known. */
  #goOn(bytes: Buffer, lines: LineCount): void {
    this.#at += bytes.length;
    this.#passed = 0;
    if (this.#line === null) return;
    lines.goTo(bytes.length);
    this.#line += lines.count;
  }

  /** Searches what is held of an endless line, and keeps as much as a match may still begin in. */
  async #shorten(): Promise<FoundLine[]> {
    const found = await this.#matches(this.#rest, new LineCount(this.#rest.toString('latin1')));
    let keep = Math.max(0, this.#rest.length - this.#bytes + 1);
    while (keep > 0 && ((this.#rest[keep] ?? 0) & 0xc0) === 0x80) keep--;
    this.#passed += charsIn(this.#rest, 0, keep);
    this.#at += keep;
    this.#rest = Buffer.from(this.#rest.subarray(keep));
    return found;
  }
}

/** Counts line ends of a text (one char a byte) up to ever later offsets. */
class LineCount {
  readonly text: string;
  readonly #hasCr: boolean;
  /** Line ends that were passed, and where the line begins. */
  count = 0;
  start = 0;

  constructor(text: string) {
    this.text = text;
    this.#hasCr = text.includes('\r');
  }

  goTo(offset: number): void {
    for (let next = this.nextStart(); next <= offset && next > this.start; next = this.nextStart()) {
      const last = this.text[next - 1];
      if (last !== '\n' && last !== '\r') return;
      this.count++;
      this.start = next;
    }
  }

  /** Where the line after this one begins; the end of the text if there is none. */
  nextStart(): number {
    const lf = this.text.indexOf('\n', this.start);
    const end = lf < 0 ? this.text.length : lf + 1;
    if (!this.#hasCr) return end;
    const cr = this.text.indexOf('\r', this.start);
    if (cr < 0 || cr >= end - 1) return cr === end - 1 ? cr + 1 : end;
    return this.text[cr + 1] === '\n' ? cr + 2 : cr + 1;
  }
}

function charsIn(bytes: Buffer, from: number, to: number): number {
  return isAscii(bytes.subarray(from, to)) ? to - from : measure(bytes, from, to).chars;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A line that was found. */
export interface FoundLine {
  readonly line: number;
  /** Where the match begins; of a pattern the first one in the line. */
  readonly column: number;
  /** Chars of the match; 0 where the pattern engine does not tell. */
  readonly length: number;
}

/** What is looked for; `block` matches every text of lines of which one matches. */
export interface SoughtPattern {
  readonly pattern: Pattern;
  readonly block: Pattern | null;
}

const LF = 10;
const CR = 13;
/** The beginning or the end of a text, which a line has and a block has not; flags taken back. */
const TELLS_TEXT_ENDS = /\\[AzZ]|\(\?[a-zA-Z]*-/;

/** Compiles a pattern for lines, and for blocks of them where that means the same. */
export function soughtPattern(engine: PatternEngine, pattern: string): SoughtPattern {
  const block = TELLS_TEXT_ENDS.test(pattern) ? null : engine.compile(`(?m)${pattern}`);
  return { pattern: engine.compile(pattern), block };
}

/**
 * Tries a pattern on the lines of a stored part. Whole blocks of lines are looked at first: most
 * hold no match, and are neither split nor counted. Only a block that may hold one is tried line by
 * line. A line of more than 64 KB is tried in ranges that overlap a little.
 */
class PatternSearch implements LineSink {
  readonly #pattern: Pattern;
  readonly #reader: StoredPartReader;
  #block: Pattern | null;
  /** Where the open line begins, its number where that is known, and what is held of it. */
  #at: number;
  #line: number | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #found: FoundLine[] = [];
  #last = 0;
  /** Takes everything from a line on that is too long to be held. */
  #lines: LineSplitter | null = null;

  constructor({ pattern, block }: SoughtPattern, at: number, reader: StoredPartReader) {
    this.#pattern = pattern;
    this.#block = block;
    this.#at = at;
    this.#reader = reader;
  }

  async push(piece: Uint8Array): Promise<FoundLine[]> {
    if (this.#lines !== null) this.#lines.push(piece);
    else await this.#hold(Buffer.concat([this.#rest, piece]));
    return this.#take();
  }

  async finish(): Promise<FoundLine[]> {
    if (this.#lines === null) await this.#try(this.#rest);
    else this.#lines.finish();
    return this.#take();
  }

  text(text: string, { number }: LinePosition, skippedChars: number): void {
    if (this.#last === number) return;
    const at = this.#pattern.find(text);
    if (at < 0) return;
    this.#last = number;
    this.#found.push({ line: number, column: skippedChars + at + 1, length: 0 });
  }

  end({ number }: LinePosition): void {
    this.#line = number + 1;
  }

  async #hold(bytes: Buffer): Promise<void> {
    const end = bytes.lastIndexOf(LF) + 1;
    await this.#try(bytes.subarray(0, end));
    this.#rest = bytes.subarray(end);
    if (this.#rest.length <= MOST_HELD_BYTES) return;
    this.#lines = await this.#splitter();
    this.#lines.push(this.#rest);
  }

  /** Whole lines. */
  async #try(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    if (this.#isFree(bytes)) this.#line = null;
    else {
      const lines = await this.#splitter();
      lines.push(bytes);
      lines.finish();
    }
    this.#at += bytes.length;
  }

  /** The end of a line is not where a block has it if that is CR. */
  #isFree(bytes: Buffer): boolean {
    if (this.#block === null || bytes.includes(CR)) return false;
    const text = decode(bytes);
    return this.#block.test === undefined ? this.#block.find(text) < 0 : !this.#block.test(text);
  }

  async #splitter(): Promise<LineSplitter> {
    this.#line ??= await this.#reader.lineOf(this.#at);
    return new LineSplitter(this, { bytes: this.#at, chars: 0, breaks: this.#line - 1 });
  }

  #take(): FoundLine[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }
}
