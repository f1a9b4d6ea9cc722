/**
 * Many ranges of lines of one stored part, in one go. Each range begins at the checkpoint before
 * it. Of a long line only the beginning is held, and its rest is passed over by the checkpoints, so
 * a line of a gigabyte costs what a short one does. Memory holds one piece. Lines count from 1.
 */
import { type Extent, sum } from '../model/extent.ts';
import type { Reading } from '../model/store.ts';
import { advance, decode, measure } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-parts.ts';

/** Lines from `first` to `last`, both included. */
export interface LineRange {
  /** From 1. */
  readonly first: number;
  /** At least `first`. */
  readonly last: number;
}

/** A line, or the beginning of it. */
export interface LineText {
  /** Its number, from 1. */
  readonly number: number;
  /** At most as many chars as were asked for, without the line end. */
  readonly text: string;
  /** Chars of the whole line. */
  readonly chars: number;
  /** Chars of the part before the line. */
  readonly start: number;
}

const LF = 10;
const CR = 13;

/** The lines of a range that are there; `clip`: chars of each. */
export async function* readLines(
  reader: StoredPartReader,
  { first, last }: LineRange,
  clip: number,
  signal?: AbortSignal,
): AsyncGenerator<LineText> {
  if (first > reader.part.lines) return;
  let { at, pieces } = await reader.exactly({ breaks: first - 1 }, signal);
  const lines = new LineCollector(first, clip, at);
  for (;;) {
    let jump: Reading | null = null;
    for await (const piece of pieces) {
      for (const line of lines.push(piece)) {
        yield line;
        if (line.number === last) return;
      }
      jump = lines.isClipped ? await behind(reader, lines, signal) : null;
      if (jump !== null) break;
    }
    if (jump === null) break;
    ({ at, pieces } = jump);
    lines.jumpTo(at);
  }
  const rest = lines.finish();
  if (rest !== null) yield rest;
}

async function behind(
  reader: StoredPartReader,
  lines: LineCollector,
  signal?: AbortSignal,
): Promise<Reading | null> {
  const far = await reader.read({ breaks: lines.number }, signal);
  return far.at.bytes > lines.at.bytes ? far : null;
}

class LineCollector {
  readonly #clip: number;
  number: number;
  at: Extent;
  #text = '';
  #isOpen = false;
  #isFull = false;
  #start: number;

  constructor(first: number, clip: number, at: Extent) {
    this.number = first;
    this.#clip = clip;
    this.at = at;
    this.#start = at.chars;
  }

  get isClipped(): boolean {
    return this.#isFull;
  }

  jumpTo(at: Extent): void {
    this.at = at;
  }

  *push(piece: Uint8Array): Generator<LineText> {
    const begin = this.at;
    this.at = sum(begin, measure(piece));
    let from = 0;
    let chars = begin.chars;
    while (from < piece.length) {
      const line = advance(piece, from, Number.POSITIVE_INFINITY, 1);
      const next = from + line.bytes;
      const isCrLf = line.bytes > 1 && piece[next - 1] === LF && piece[next - 2] === CR;
      const lineEnd = line.breaks === 0 ? 0 : isCrLf ? 2 : 1;
      this.#take(piece.subarray(from, next - lineEnd));
      if (lineEnd === 0) return;
      chars += line.chars;
      const { number } = this;
      const [text, start] = [this.#text, this.#start];
      this.#begin(chars);
      yield { number, text, start, chars: chars - lineEnd - start };
      from = next;
    }
  }

  finish(): LineText | null {
    if (!this.#isOpen) return null;
    const start = this.#start;
    return { number: this.number, text: this.#text, chars: this.at.chars - start, start };
  }

  #take(bytes: Uint8Array): void {
    this.#isOpen = true;
    if (this.#isFull) return;
    const taken = advance(bytes, 0, this.#clip - this.#text.length).bytes;
    this.#text += decode(bytes.subarray(0, taken));
    // A surrogate pair may not fit although one char would; nothing may follow then.
    this.#isFull = taken < bytes.length || this.#text.length >= this.#clip;
  }

  #begin(chars: number): void {
    this.number++;
    this.#start = chars;
    this.#text = '';
    this.#isOpen = false;
    this.#isFull = false;
  }
}

/** A range of a part: as many chars as there are from `from` (1 is the first) on. */
export async function readChars(
  reader: StoredPartReader,
  from: number,
  chars: number,
  signal?: AbortSignal,
): Promise<string> {
  const wanted = Math.max(0, Math.min(chars, reader.part.chars - from + 1));
  if (wanted === 0) return '';
  const { pieces } = await reader.exactly({ chars: from - 1 }, signal);
  let text = '';
  for await (const piece of pieces) {
    text += decode(piece.subarray(0, advance(piece, 0, wanted - text.length).bytes));
    if (text.length >= wanted) break;
  }
  return text;
}

const ESCAPE = 0x1b;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /\x1b\[([0-9;:]*)m/g;

export async function openStyle(
  reader: StoredPartReader,
  line: number,
  signal?: AbortSignal,
): Promise<string> {
  if (line <= 1) return '';
  const near = await reader.read({ breaks: line - 1 }, signal);
  const { at, pieces } = await reader.read({ bytes: Math.max(0, near.at.bytes - 1) }, signal);
  const before: Uint8Array[] = [];
  let toPass = line - 1 - at.breaks;
  for await (const piece of pieces) {
    const { bytes, breaks } = advance(piece, 0, Number.POSITIVE_INFINITY, toPass);
    before.push(piece.subarray(0, bytes));
    toPass -= breaks;
    if (toPass <= 0) break;
  }
  return stylesIn(before);
}

function stylesIn(pieces: readonly Uint8Array[]): string {
  if (!pieces.some((piece) => piece.includes(ESCAPE))) return '';
  let open = '';
  for (const [sequence, codes = ''] of Buffer.concat(pieces).toString('latin1').matchAll(STYLE)) {
    const rest = codes.split(';');
    const reset = rest.findLastIndex((code) => Number(code) === 0);
    if (reset < 0) open += sequence;
    else open = reset === rest.length - 1 ? '' : `\x1b[${rest.slice(reset + 1).join(';')}m`;
  }
  return open;
}
