/**
 * The verdicts on the rows of a table, each found once for a shape: rows that differ in numbers only
 * share theirs. A lone zero makes another shape already; rows whose cues look at other digits are
 * judged one by one.
 */
import { type LineTable, WORD } from '../table/line-table.ts';
import { isSureFailure } from './sure.ts';
import { verdictOf } from './verdict.ts';
import type { Vocabulary } from './vocabulary.ts';

const UNKNOWN = 0;
const LOOKED = 1;
const JUDGED = 2;

export class LineJudge {
  readonly #table: LineTable;
  readonly #vocabulary: Vocabulary;
  /** By word: the bits of cues whose verdict depends on digits. */
  readonly #digitBits: Uint32Array;
  /** By shape. */
  #state = new Uint8Array(512);
  #weight = new Float32Array(512);
  #factor = new Float32Array(512);
  #flags = new Uint16Array(512);
  #cueHash = new Uint32Array(512);
  #sure = new Int8Array(512);

  constructor(table: LineTable, vocabulary: Vocabulary) {
    this.#table = table;
    this.#vocabulary = vocabulary;
    this.#digitBits = new Uint32Array(vocabulary.automaton.words);
    vocabulary.cues.forEach(({ readsDigits }, bit) => {
      if (readsDigits) this.#digitBits[bit >> 5] = (this.#digitBits[bit >> 5] as number) | (1 << (bit & 31));
    });
  }

  /** Forgets all verdicts: shapes have other numbers now. */
  reset(): void {
    this.#state.fill(UNKNOWN);
    this.#sure.fill(0);
  }

  /** Whether a row holds a cue, and so has something to say. */
  isCued(row: number): boolean {
    const { words, stems } = this.#table;
    const { cueBits, everywhere } = this.#vocabulary;
    if (everywhere.length > 0) return true;
    for (let word = 0; word < words; word++)
      if (((stems[row * words + word] as number) & (cueBits[word] as number)) !== 0) return true;
    return false;
  }

  /** The place of the verdict on a row; `own`: its cues are asked for too. */
  of(row: number, own: boolean): number {
    const shape = this.#table.shape[row] as number;
    if (shape >= this.#state.length) this.#grow(shape);
    const state = this.#state[shape] as number;
    if (state === JUDGED && !this.#readsDigits(row)) return shape;
    if (state !== UNKNOWN && !own) return shape;
    this.#judge(row, shape, own);
    return shape;
  }

  weight(verdict: number): number {
    return this.#weight[verdict] as number;
  }

  factor(verdict: number): number {
    return this.#factor[verdict] as number;
  }

  flags(verdict: number): number {
    return this.#flags[verdict] as number;
  }

  /** Which cues it has, as a number. */
  cueHash(verdict: number): number {
    return this.#cueHash[verdict] as number;
  }

  /** Whether a row surely speaks of a failure by its form, in whatever text it stands. */
  isSure(row: number): boolean {
    const shape = this.#table.shape[row] as number;
    if (shape >= this.#state.length) this.#grow(shape);
    if (this.#sure[shape] === 0 || this.#readsDigits(row)) {
      const start = (this.#table.stamp[row] as number) > 0 ? 'stamped' : 'bare';
      this.#sure[shape] = isSureFailure(this.#table.textOf(row), start) ? 1 : -1;
    }
    return this.#sure[shape] === 1;
  }

  /** The names of the cues of a row with their weights. */
  cuesOf(row: number): readonly { readonly name: string; readonly weight: number }[] {
    return this.#verdict(row, true).cues.flatMap((bit) => this.#vocabulary.cues[bit] ?? []);
  }

  #judge(row: number, shape: number, own: boolean): void {
    const { weight, contextFactor, flags, cues } = this.#verdict(row, own);
    this.#weight[shape] = weight;
    this.#factor[shape] = contextFactor;
    this.#flags[shape] = flags;
    this.#cueHash[shape] = cues.reduce((hash, bit) => Math.imul(hash ^ (bit + 1), 0x01000193), 17);
    this.#state[shape] = own || !this.isCued(row) ? JUDGED : LOOKED;
  }

  #verdict(row: number, own: boolean) {
    const table = this.#table;
    const hasWord = ((table.flags[row] as number) & WORD) !== 0;
    const asks = own && this.isCued(row) ? 'all' : 'look';
    return verdictOf(table.textOf(row), this.#vocabulary, table.stems, row * table.words, hasWord, asks);
  }

  #readsDigits(row: number): boolean {
    const { words, stems } = this.#table;
    // A person's pattern without stems may look at digits in any row.
    if (this.#vocabulary.everywhere.length > 0) return true;
    for (let word = 0; word < words; word++)
      if (((stems[row * words + word] as number) & (this.#digitBits[word] as number)) !== 0) return true;
    return false;
  }

  #grow(shape: number): void {
    const length = Math.max(shape + 1, this.#table.shapes, this.#state.length * 2);
    this.#state = grown(this.#state, length);
    this.#weight = grown(this.#weight, length);
    this.#factor = grown(this.#factor, length);
    this.#flags = grown(this.#flags, length);
    this.#cueHash = grown(this.#cueHash, length);
    this.#sure = grown(this.#sure, length);
  }
}

function grown<T extends Uint8Array | Int8Array | Uint16Array | Uint32Array | Float32Array>(
  column: T,
  length: number,
): T {
  const larger = new (column.constructor as new (length: number) => T)(length);
  larger.set(column);
  return larger;
}
