/**
 * The units of a part that may be shown, measured, with their names. Names are numbered, so that
 * the chooser can note in an array which of them are shown already.
 */
import { type Extent, sum } from '../../model/extent.ts';
import { NameScan } from '../../text/name-scan.ts';
import { measure } from '../../text/utf8.ts';
import { isBlank } from './blank.ts';
import type { Chunk } from './chunk-feed.ts';

const LF = 10;
const CR = 13;
const SPACE = 0x20;
const HASH = 0x23;
const DEEPEST_HEADING = 4;

/** A unit that is still held. */
export interface Passage {
  readonly start: Extent;
  readonly end: Extent;
  readonly bytes: Uint8Array;
  /** Whether it begins a line. */
  readonly first: boolean;
  /** Whether it is part of a line. */
  readonly segment: boolean;
  readonly blank: boolean;
  /** Whether it is a heading that stands alone: `## Usage`, with a blank line behind it. */
  readonly heading: boolean;
  /** Numbers of its names, each once, and what they weigh. */
  readonly names: readonly number[];
  readonly weights: readonly number[];
}

/** Numbers names across the passages of one part. */
export class Names {
  readonly #scan = new NameScan();
  readonly #numbers = new Map<number, number>();
  /** Of each name, which passage held it last, and where among the names of that passage. */
  readonly #lastIn: number[] = [];
  readonly #lastAt: number[] = [];
  #passage = 0;

  get count(): number {
    return this.#numbers.size;
  }

  of(bytes: Uint8Array): Pick<Passage, 'names' | 'weights'> {
    this.#scan.scan(bytes, 0, bytes.length);
    const { hashes, weights: found, count } = this.#scan;
    const names: number[] = [];
    const weights: number[] = [];
    this.#passage++;
    for (let i = 0; i < count; i++) {
      const number = this.#numberOf(hashes[i] as number);
      const weight = found[i] as number;
      if (this.#lastIn[number] === this.#passage) {
        const at = this.#lastAt[number] as number;
        weights[at] = Math.max(weights[at] as number, weight);
        continue;
      }
      this.#lastIn[number] = this.#passage;
      this.#lastAt[number] = names.length;
      names.push(number);
      weights.push(weight);
    }
    return { names, weights };
  }

  #numberOf(hash: number): number {
    const known = this.#numbers.get(hash);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(hash, number);
    return number;
  }
}

export function passagesOf(chunks: readonly Chunk[], names: Names): Passage[] {
  return chunks.flatMap((chunk) => {
    let { start, first } = chunk;
    let from = 0;
    return chunk.ends.map((to) => {
      const bytes = chunk.bytes.subarray(from, to);
      const end = sum(start, measure(bytes));
      const passage = passageOf({ start, end, bytes, first }, names);
      start = end;
      first = endsLine(bytes);
      from = to;
      return passage;
    });
  });
}

function passageOf(run: Pick<Passage, 'start' | 'end' | 'bytes' | 'first'>, names: Names): Passage {
  const { bytes, first } = run;
  const segment = !(first && endsLine(bytes));
  const heading = isHeading(bytes);
  return { ...run, segment, heading, blank: isBlank(bytes, 0, bytes.length), ...names.of(bytes) };
}

function endsLine(bytes: Uint8Array): boolean {
  const last = bytes[bytes.length - 1];
  return last === LF || last === CR;
}

function isHeading(bytes: Uint8Array): boolean {
  let level = 0;
  while (bytes[level] === HASH) level++;
  if (level === 0 || level > DEEPEST_HEADING || bytes[level] !== SPACE) return false;
  const end = bytes.indexOf(LF);
  return end < 0 || isBlank(bytes, end + 1, bytes.length);
}
