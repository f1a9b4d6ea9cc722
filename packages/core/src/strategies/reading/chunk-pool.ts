/**
 * Remembers the chunks of a stream that are worth choosing from: the first and the last
 * `reachChars` chars, and of those between them the four times `reachChars` that bring most new
 * names for their length. Names are known by a table of fixed size, so memory does not grow with
 * the stream. Of a text that is no longer than all of that nothing need be weighed.
 */
import { FirstSeen } from '../../text/first-seen.ts';
import { Heap } from '../../text/heap.ts';
import type { Query } from '../../text/query.ts';
import type { Chunk } from './chunk-feed.ts';

/** How often the reach may be held of what lies between the ends. */
const MIDDLE_REACHES = 4;
/** A chunk costs its chars and a marker. */
const MARKER_CHARS = 60;

export class ChunkPool {
  readonly #reachChars: number;
  readonly #query: Query;
  /** All chunks so far; null once they may be too many to be kept. */
  #all: Chunk[] | null = [];
  #allChars = 0;
  #names: FirstSeen | undefined;
  readonly #head: Chunk[] = [];
  #headChars = 0;
  readonly #tail: { readonly chunk: Chunk; readonly worth: number }[] = [];
  #tailChars = 0;
  /** The least worth first. */
  readonly #middle = new Heap<Chunk>();
  #middleChars = 0;

  constructor(reachChars: number, query: Query) {
    this.#reachChars = reachChars;
    this.#query = query;
  }

  add(chunk: Chunk): void {
    if (this.#all === null) {
      this.#sort(chunk);
      return;
    }
    this.#all.push(chunk);
    this.#allChars += charsOf(chunk);
    if (this.#allChars <= (MIDDLE_REACHES + 2) * this.#reachChars) return;
    for (const each of this.#all) this.#sort(each);
    this.#all = null;
  }

  /** Puts a chunk where it belongs, and lets go the one that is worth least. */
  #sort(chunk: Chunk): void {
    const worth = this.#worthOf(chunk);
    if (this.#headChars < this.#reachChars) {
      this.#head.push(chunk);
      this.#headChars += charsOf(chunk);
      return;
    }
    this.#tail.push({ chunk, worth });
    this.#tailChars += charsOf(chunk);
    for (let [oldest] = this.#tail; oldest !== undefined; [oldest] = this.#tail) {
      const left = this.#tailChars - charsOf(oldest.chunk);
      if (left < this.#reachChars) break;
      this.#tail.shift();
      this.#tailChars = left;
      this.#keep(oldest.chunk, oldest.worth);
    }
  }

  /** All that is held, in order. The pool is empty then. */
  finish(): readonly Chunk[] {
    if (this.#all !== null) return this.#all;
    const middle: Chunk[] = [];
    for (let next = this.#middle.pop(); next !== undefined; next = this.#middle.pop()) middle.push(next.item);
    middle.sort((a, b) => a.start.bytes - b.start.bytes);
    return [...this.#head, ...middle, ...this.#tail.map(({ chunk }) => chunk)];
  }

  #keep(chunk: Chunk, worth: number): void {
    this.#middle.push(-worth, chunk.start.bytes, chunk);
    this.#middleChars += charsOf(chunk);
    while (this.#middleChars > MIDDLE_REACHES * this.#reachChars) {
      const least = this.#middle.pop();
      if (least === undefined) return;
      this.#middleChars -= charsOf(least.item);
    }
  }

  /** What its names that were not there before weigh, for its length. */
  #worthOf(chunk: Chunk): number {
    const { bytes } = chunk;
    this.#names ??= new FirstSeen();
    const sum = this.#query.worthOf(bytes) + this.#names.add(bytes, 0, bytes.length);
    return sum / (charsOf(chunk) + MARKER_CHARS);
  }
}

function charsOf({ start, end }: Chunk): number {
  return end.chars - start.chars;
}
