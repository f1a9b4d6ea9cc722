/**
 * Where each line of a projection's text comes from: the part and the line of the stored output, or
 * null for what the renderer wrote itself (notice, labels, markers). The record of a projection has
 * the kept ranges as byte addresses. The kept text between two gaps is in the projection as it is,
 * or line by line behind its numbers, so each such run is found behind the one before; its lines
 * are counted from its address. Lines count from 1.
 */
import type { PartSelection, ProjectionRecord } from '../model/projection.ts';
import { decode } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-part-reader.ts';

/** A line of the stored output. */
export interface TextOrigin {
  /** Index of the part. */
  readonly part: number;
  /** Its number, from 1. */
  readonly line: number;
}

/** Larger projections are not followed to their end. */
const MOST_BYTES = 4 << 20;

export async function textOrigins(
  { projection: { text }, selections }: Pick<ProjectionRecord, 'projection' | 'selections'>,
  open: (part: number) => Promise<StoredPartReader>,
): Promise<readonly (TextOrigin | null)[]> {
  const origins = new Origins(text);
  let left = MOST_BYTES;
  for (const selection of selections) {
    if (selection.last_part !== undefined) continue;
    const reader = await open(selection.part);
    for (const run of runsOf(selection)) {
      left -= run.reduce((bytes, { start, end }) => bytes + end - start, 0);
      if (left < 0) return origins.lines;
      origins.add(selection.part, await Promise.all(run.map((range) => keptRange(reader, range))));
    }
  }
  return origins.lines;
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

interface KeptRange {
  readonly text: string;
  readonly line: number;
  readonly isLineStart: boolean;
}

async function keptRange(reader: StoredPartReader, { start, end }: Range): Promise<KeptRange> {
  const bytes = await reader.bytes(start, end);
  const line = await reader.lineOf(start);
  const isLineStart = start === 0 || (await reader.lineOf(start - 1)) !== line;
  return { text: decode(bytes), line, isLineStart };
}

class Origins {
  readonly lines: (TextOrigin | null)[];
  readonly #text: string;
  #at = 0;
  #row = 0;

  constructor(text: string) {
    this.#text = text;
    this.lines = text.split('\n').map(() => null);
  }

  add(part: number, ranges: readonly KeptRange[]): void {
    const whole = ranges.map(({ text }) => text).join('');
    const found = this.#find(whole, ranges[0]?.isLineStart === true);
    if (whole === '' || this.#addListed(part, whole, ranges[0]?.line ?? 1, found)) return;
    if (found < 0) return;
    this.#goTo(found);
    for (const range of ranges) this.#addRange(part, range);
  }

  /** Lines listed below a marker with their numbers; false if they are not. */
  #addListed(part: number, run: string, first: number, found: number): boolean {
    const lines = run.split(/\r\n|\r|\n/).filter((line, i, all) => line !== '' || i < all.length - 1);
    const at = this.#text.indexOf(`\n${first}: ${lines[0]}`, Math.max(0, this.#at - 1));
    if (at < 0 || (found >= 0 && found < at)) return false;
    for (const [i, line] of lines.entries()) {
      const start = this.#text.indexOf(`\n${first + i}: ${line}`, Math.max(0, this.#at - 1));
      if (start < 0) continue;
      this.#goTo(start + 1);
      this.lines[this.#row] ??= { part, line: first + i };
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

  #addRange(part: number, { text, line: first, isLineStart }: KeptRange): void {
    let line = first;
    let isShown = isLineStart || !/^[\r\n]/.test(text);
    for (const [shown] of text.matchAll(/[^\r\n]+(?:\r\n|\r|\n)?|\r\n|\r|\n/g)) {
      if (isShown) this.lines[this.#row] ??= { part, line };
      this.#goTo(this.#at + shown.length);
      line += 1;
      isShown = true;
    }
  }

  #goTo(at: number): void {
    for (let end = this.#text.indexOf('\n', this.#at); end >= 0 && end < at; ) {
      this.#row += 1;
      end = this.#text.indexOf('\n', end + 1);
    }
    this.#at = at;
  }
}
