/**
 * Where a projection's text comes from: which of it stands in the stored output, and where; the
 * renderer wrote the rest (notice, labels, markers). The record of a projection has the kept ranges
 * as byte addresses. The kept text between two gaps is in the projection as it is, or line by line
 * behind its numbers, so each such run is found behind the one before. Lines and chars of a part
 * count from 1, places in the text from 0.
 */
import type { PartSelection, ProjectionRecord } from '../model/projection.ts';
import { decode, measure } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-parts.ts';

/** Chars of a projection's text that stand in the stored output, within one line of it. */
export interface TextOrigin {
  /** Where they begin in the text. */
  readonly at: number;
  /** How many there are, with the line end. */
  readonly chars: number;
  /** Index of the part. */
  readonly part: number;
  /** The number of their line. */
  readonly line: number;
  /** The number of their first char in the part. */
  readonly char: number;
}

const MOST_BYTES = 4 << 20;

export async function textOrigins(
  { projection: { text }, selections }: Pick<ProjectionRecord, 'projection' | 'selections'>,
  open: (part: number) => Promise<StoredPartReader>,
): Promise<readonly TextOrigin[]> {
  const origins = new Origins(text);
  let left = MOST_BYTES;
  for (const selection of selections) {
    if (selection.last_part !== undefined) continue;
    const reader = await open(selection.part);
    for (const run of runsOf(selection)) {
      left -= run.reduce((bytes, { start, end }) => bytes + end - start, 0);
      if (left < 0) return origins.found;
      origins.add(selection.part, await Promise.all(run.map((range) => keptRange(reader, range))));
    }
  }
  return origins.found;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Omitted formatting leaves no trace in the text. */
function runsOf({ segments }: PartSelection): Range[][] {
  const runs: Range[][] = [[]];
  for (const [kind, start, end] of segments) {
    if (kind === 'omit') runs.push([]);
    else if (kind === 'keep') runs.at(-1)?.push({ start, end });
  }
  return runs.filter((run) => run.length > 0);
}

interface Piece {
  readonly text: string;
  readonly line: number;
  readonly char: number;
  readonly isLineStart: boolean;
}

async function keptRange(reader: StoredPartReader, { start, end }: Range): Promise<Piece> {
  const bytes = await reader.bytes(start, end);
  const line = await reader.lineOf(start);
  const isLineStart = start === 0 || (await reader.lineOf(start - 1)) !== line;
  const piece = await reader.pieceAt(start);
  const char =
    piece === null ? 1 : piece.at.chars + measure(piece.bytes, 0, start - piece.at.bytes).chars + 1;
  return { text: decode(bytes), line, char, isLineStart };
}

class Origins {
  readonly found: TextOrigin[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add(part: number, ranges: readonly Piece[]): void {
    const whole = ranges.map(({ text }) => text).join('');
    const found = this.#find(whole, ranges[0]?.isLineStart === true);
    const pieces = ranges.flatMap(linesOf);
    if (whole === '' || this.#addListed(part, pieces, found) || found < 0) return;
    this.#at = found;
    for (const piece of pieces) this.#add(part, piece);
  }

  /** Lines listed below a marker with their numbers; false if they are not. */
  #addListed(part: number, pieces: readonly Piece[], found: number): boolean {
    const lines = [...Map.groupBy(pieces, ({ line }) => line)];
    const positionOf = ([line, own]: (typeof lines)[number]) => {
      const text = own.map((piece) => withoutEnd(piece.text)).join('');
      return this.#text.indexOf(`\n${line}: ${text}`, Math.max(0, this.#at - 1));
    };
    const first = lines[0] === undefined ? -1 : positionOf(lines[0]);
    if (first < 0 || (found >= 0 && found < first)) return false;
    for (const entry of lines) {
      const [line, own] = entry;
      const position = positionOf(entry);
      if (position < 0) continue;
      this.#at = position + `\n${line}: `.length;
      for (const piece of own) this.#add(part, { ...piece, text: withoutEnd(piece.text) });
    }
    return true;
  }

  #find(run: string, isLineStart: boolean): number {
    const first = this.#text.indexOf(run, this.#at);
    if (!isLineStart) return first;
    for (let at = first; at >= 0; at = this.#text.indexOf(run, at + 1))
      if (at === 0 || this.#text[at - 1] === '\n') return at;
    return first;
  }

  /** The end of a line alone shows nothing of that line. */
  #add(part: number, { text, line, char, isLineStart }: Piece): void {
    if (isLineStart || !/^[\r\n]/.test(text))
      this.found.push({ at: this.#at, chars: text.length, part, line, char });
    this.#at += text.length;
  }
}

function withoutEnd(line: string): string {
  return line.replace(/\r?\n$|\r$/, '');
}

function linesOf({ text, line, char, isLineStart }: Piece): Piece[] {
  return Array.from(text.matchAll(/[^\r\n]+(?:\r\n|\r|\n)?|\r\n|\r|\n/g), ({ 0: own, index }, at) => ({
    text: own,
    line: line + at,
    char: char + index,
    isLineStart: at > 0 || isLineStart,
  }));
}
