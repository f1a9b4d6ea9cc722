/**
 * Tries a pattern on the lines of a stored part. Whole blocks of lines are looked at first: most hold
 * no match, and are neither split nor counted. Only a block that may hold one is tried line by line,
 * so what matches is always one line. A line of more than 64 KB is tried in ranges that overlap a
 * little: what reaches over more than one of them is not found.
 */
import type { Pattern, PatternEngine } from '../model/pattern.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../text/lines.ts';
import { decode } from '../text/utf8.ts';
import type { FoundLine } from './found-line.ts';
import type { StoredPartReader } from './stored-part-reader.ts';

/** What is looked for; `block` matches every text of lines of which one matches. */
export interface SoughtPattern {
  readonly pattern: Pattern;
  readonly block: Pattern | null;
}

const LF = 10;
const CR = 13;
const MOST_HELD_BYTES = 1 << 20;
/** The beginning or the end of a text, which a line has and a block has not; flags taken back. */
const TELLS_TEXT_ENDS = /\\[AzZ]|\(\?[a-zA-Z]*-/;

/** Compiles a pattern for lines, and for blocks of them where that means the same. */
export function soughtPattern(engine: PatternEngine, pattern: string): SoughtPattern {
  const block = TELLS_TEXT_ENDS.test(pattern) ? null : engine.compile(`(?m)${pattern}`);
  return { pattern: engine.compile(pattern), block };
}

export class PatternSearch implements LineSink {
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
