/**
 * Tells in one pass over a line which of many patterns can match it: each pattern is known by texts
 * that every match holds (required-text.ts). What is told is never too little, so trying only those
 * patterns gives the same result. The table is made once enough lines were looked at to pay for it.
 */
import { requiredTexts } from './required-text.ts';
import { type StemTable, wideStemTable } from './stems.ts';

/** So many lines are looked at without: most texts have fewer. */
const WORTH_A_TABLE = 2_000;
/** So much of a text tells enough; a larger table takes longer to look into. */
const MOST_SIGNS = 6;
/** Patterns go by number, 32 to a word. */
const PER_WORD = 32;

/** Bit i of word i / 32: pattern i can match. */
export type Guard = Int32Array;

export class PatternGuards {
  readonly #patterns: readonly unknown[];
  /** Patterns of which nothing is known can always match. */
  readonly #open: Guard;
  readonly #any: Guard;
  readonly #found: Guard;
  #looks = 0;
  #table: StemTable | undefined;
  /** The bits of all patterns with a text that ends at some place of the table. */
  #bits: Int32Array = new Int32Array(0);

  constructor(patterns: readonly unknown[]) {
    const words = Math.ceil(patterns.length / PER_WORD);
    this.#patterns = patterns;
    this.#open = new Int32Array(words);
    this.#any = new Int32Array(words).fill(-1);
    this.#found = new Int32Array(words);
  }

  /** Says that any pattern can match. */
  get any(): Guard {
    return this.#any;
  }

  /** What can match a line of ASCII; stands until the next look. */
  look(bytes: Uint8Array, from: number, to: number): Guard {
    if (this.#table === undefined && this.#looks++ < WORTH_A_TABLE) return this.#any;
    const { classes, rows, matched, endings } = this.#made;
    const found = this.#found;
    const words = found.length;
    const bits = this.#bits;
    found.set(this.#open);
    let state = 0;
    for (let at = from; at < to; ) {
      // Nothing else in this loop: it then runs at twice the speed.
      do state = rows[(state << 2) + (classes[bytes[at++] as number] as number)] as number;
      while (state < matched && at < to);
      if (state < matched) break;
      const offset = endings[state - matched] as number;
      for (let i = 0; i < words; i++) found[i] = (found[i] as number) | (bits[offset + i] as number);
    }
    return found;
  }

  get #made(): StemTable {
    this.#table ??= this.#make();
    return this.#table;
  }

  #make(): StemTable {
    const texts = new Map<string, Int32Array>();
    for (const [i, pattern] of this.#patterns.entries()) {
      const required = pattern instanceof RegExp ? requiredTexts(pattern) : null;
      if (required === null) add(this.#open, i);
      for (const whole of required ?? []) {
        const text = whole.slice(0, MOST_SIGNS);
        const bits = texts.get(text) ?? new Int32Array(this.#open.length);
        add(bits, i);
        texts.set(text, bits);
      }
    }
    const { table, bits } = wideStemTable(Array.from(texts, ([text, each]) => ({ text, bits: each })));
    this.#bits = bits;
    return table;
  }
}

export function mayMatch(guard: Guard, pattern: number): boolean {
  return ((guard[pattern >> 5] as number) & (1 << (pattern & 31))) !== 0;
}

export function mayMatchAny(guard: Guard): boolean {
  for (let i = 0; i < guard.length; i++) if (guard[i] !== 0) return true;
  return false;
}

function add(guard: Guard, pattern: number): void {
  guard[pattern >> 5] = (guard[pattern >> 5] as number) | (1 << (pattern & 31));
}
