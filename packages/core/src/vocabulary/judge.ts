/**
 * The verdicts on the rows of a table, each found once for a shape: rows that differ in numbers only
 * share theirs. A lone zero makes another shape already; rows whose cues look at other digits are
 * judged one by one.
 */
import { tableOf } from '../table/columns.ts';
import { type LineTable, WORD } from '../table/line-table.ts';
import { isSureFailure } from './sure.ts';
import { verdictOf } from './verdict.ts';
import type { Vocabulary } from './vocabulary.ts';

const FIRST_SHAPES = 512;
const UNKNOWN = 0;
const LOOKED = 1;
const JUDGED = 2;

/** By shape. */
const Verdicts = tableOf({
  state: Uint8Array,
  weight: Float32Array,
  factor: Float32Array,
  flags: Uint16Array,
  /** Which cues it has, as a number. */
  cueHash: Uint32Array,
  sure: Int8Array,
});

export class LineJudge extends Verdicts {
  readonly #table: LineTable;
  readonly #vocabulary: Vocabulary;
  /** By word: the bits of cues whose verdict depends on digits. */
  readonly #digitBits: Uint32Array;

  constructor(table: LineTable, vocabulary: Vocabulary) {
    super();
    this.resize(FIRST_SHAPES);
    this.#table = table;
    this.#vocabulary = vocabulary;
    this.#digitBits = new Uint32Array(vocabulary.automaton.words);
    vocabulary.cues.forEach(({ readsDigits }, bit) => {
      if (readsDigits) this.#digitBits[bit >> 5] = (this.#digitBits[bit >> 5] as number) | (1 << (bit & 31));
    });
  }

  /** Forgets all verdicts: shapes have other numbers now. */
  reset(): void {
    this.state.fill(UNKNOWN);
    this.sure.fill(0);
  }

  /** Whether a row holds a cue, and so has something to say. */
  isCued(row: number): boolean {
    return this.#holdsAny(row, this.#vocabulary.cueBits);
  }

  /** The place of the verdict on a row; `own`: its cues are asked for too. */
  of(row: number, own: boolean): number {
    const shape = this.#shapeOf(row);
    const state = this.state[shape] as number;
    if (state === JUDGED && !this.#readsDigits(row)) return shape;
    if (state !== UNKNOWN && !own) return shape;
    this.#judge(row, shape, own);
    return shape;
  }

  /** Whether a row surely speaks of a failure by its form, in whatever text it stands. */
  isSure(row: number): boolean {
    const shape = this.#shapeOf(row);
    if (this.sure[shape] === 0 || this.#readsDigits(row)) {
      const start = (this.#table.stamp[row] as number) > 0 ? 'stamped' : 'bare';
      this.sure[shape] = isSureFailure(this.#table.textOf(row), start) ? 1 : -1;
    }
    return this.sure[shape] === 1;
  }

  /** The names of the cues of a row with their weights. */
  cuesOf(row: number): readonly { readonly name: string; readonly weight: number }[] {
    return this.#verdict(row, true).cues.flatMap((bit) => this.#vocabulary.cues[bit] ?? []);
  }

  #judge(row: number, shape: number, own: boolean): void {
    const { weight, contextFactor, flags, cues } = this.#verdict(row, own);
    this.weight[shape] = weight;
    this.factor[shape] = contextFactor;
    this.flags[shape] = flags;
    this.cueHash[shape] = cues.reduce((hash, bit) => Math.imul(hash ^ (bit + 1), 0x01000193), 17);
    this.state[shape] = own || !this.isCued(row) ? JUDGED : LOOKED;
  }

  #verdict(row: number, own: boolean) {
    const table = this.#table;
    const hasWord = ((table.flags[row] as number) & WORD) !== 0;
    const asks = own && this.isCued(row) ? 'all' : 'look';
    return verdictOf(table.textOf(row), this.#vocabulary, table.stems, row * table.words, hasWord, asks);
  }

  #readsDigits(row: number): boolean {
    return this.#holdsAny(row, this.#digitBits);
  }

  /** A person's pattern without stems may stand in any row. */
  #holdsAny(row: number, bits: Uint32Array): boolean {
    if (this.#vocabulary.everywhere.length > 0) return true;
    const { words, stems } = this.#table;
    for (let word = 0; word < words; word++)
      if (((stems[row * words + word] as number) & (bits[word] as number)) !== 0) return true;
    return false;
  }

  #shapeOf(row: number): number {
    const shape = this.#table.shape[row] as number;
    if (shape >= this.capacity) this.resize(Math.max(shape + 1, this.#table.shapes, this.capacity * 2));
    return shape;
  }
}
