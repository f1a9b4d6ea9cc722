/**
 * Lines of one part, fetched as they come into view. All ranges that are missing go into one
 * request, one at a time: what came into view meanwhile is asked for next, so that rows keep coming
 * while somebody scrolls. A jump to other lines ends a request. Holds the last 20,000 lines.
 */
import type { PartRow } from '../../../spillway/src/inspector/api.ts';
import { type Got, get } from '../data/api-client.ts';
import { type Piece, PLAIN, visiblePieces } from './visible.ts';

/** Longer lines cost layout: 1 MB in one line takes half a second. */
export const CLIP_CHARS = 2_000;
const HELD_LINES = 20_000;
const WAIT_MS = 30;

/** A part, and whether its rows are lines or a number of chars. */
export type PartUnit = Pick<PartRow, 'index' | 'by'>;

export interface Line {
  readonly pieces: readonly Piece[];
  readonly text: string;
  /** Chars of the part before the line. */
  readonly start: number;
  /** Chars of the whole line, where it was clipped. */
  readonly clippedFrom: number | undefined;
}

export class LineCache {
  readonly #id: string;
  readonly #part: PartUnit;
  readonly #onLoad: (widest: number) => void;
  readonly #lines = new Map<number, Line>();
  #request: { readonly abort: AbortController; readonly lines: ReadonlySet<number> } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What came into view last. */
  #wanted: readonly number[] = [];

  constructor(id: string, part: PartUnit, onLoad: (widest: number) => void) {
    this.#id = id;
    this.#part = part;
    this.#onLoad = onLoad;
  }

  get(line: number): Line | undefined {
    return this.#lines.get(line);
  }

  /** Asks for what is missing of these lines; the first time at once, then with what follows soon. */
  need(lines: readonly number[]): void {
    this.#wanted = lines;
    const missing = this.#missing();
    if (missing.length === 0 || missing.some((line) => this.#request?.lines.has(line))) return;
    this.#request?.abort.abort();
    this.#request = undefined;
    this.#timer ??= setTimeout(() => this.#load(), this.#lines.size === 0 ? 0 : WAIT_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#wanted = [];
    this.#request?.abort.abort();
  }

  #missing(): number[] {
    return this.#wanted.filter((line) => !this.#lines.has(line));
  }

  async #load(): Promise<void> {
    this.#timer = undefined;
    const missing = this.#missing();
    if (missing.length === 0) return;
    const request = { abort: new AbortController(), lines: new Set(missing) };
    this.#request = request;
    try {
      const query = {
        id: this.#id,
        part: this.#part.index,
        by: this.#part.by,
        ranges: rangesOf(missing),
        clip: CLIP_CHARS,
      };
      const answer = await get('/api/outputs/:id/lines', query, request.abort.signal);
      this.#onLoad(this.#take(answer));
    } catch {
      // Aborted, or refused: the rows stay empty, and are asked for again when they are shown
      // again.
      if (this.#request === request) this.#request = undefined;
      return;
    }
    if (this.#request !== request) return;
    this.#request = undefined;
    // Lines that did not come, beyond what one answer holds, are not asked for again at once.
    if (this.#missing().some((line) => !request.lines.has(line))) void this.#load();
  }

  #take({ ranges }: Got<'/api/outputs/:id/lines'>): number {
    let widest = 0;
    for (const { first_line, style, texts, starts, clipped } of ranges) {
      const whole = new Map(clipped);
      let begin = visiblePieces(style, PLAIN).end;
      texts.forEach((text, index) => {
        const line = first_line + index;
        const clippedFrom = whole.get(line);
        const { pieces, end } = visiblePieces(text, begin);
        this.#lines.set(line, { pieces, text, start: starts[index] ?? 0, clippedFrom });
        // What a clipped line does at its end is not known.
        begin = clippedFrom === undefined ? end : PLAIN;
        widest = Math.max(widest, text.length);
      });
    }
    for (const line of this.#lines.keys()) {
      if (this.#lines.size <= HELD_LINES) break;
      this.#lines.delete(line);
    }
    return widest;
  }
}

/** `3-40,66-70` of sorted numbers of lines. */
function rangesOf(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([first, last]) => `${first}-${last}`).join(',');
}
