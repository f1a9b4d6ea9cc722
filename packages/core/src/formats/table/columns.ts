/**
 * What the columns of a table hold, learnt row by row in bounded memory, and how unusual a cell is
 * beside what its column has held so far. Values are compared by a hash of their bytes. In a column
 * with more than 20 distinct values, values are compared with their numbers masked (`row 12` is
 * like `row 700`); where these are more than 20 as well, no value is called rare.
 */
import { decode } from '../../text/utf8.ts';
import { numberIn } from './number.ts';

const MOST_COLUMNS = 64;
const MOST_DISTINCT = 20;
const LONGEST_VALUE_BYTES = 120;
/** With fewer rows nothing is unusual. */
const FEW_ROWS = 10;

const TROUBLE =
  /\b(?:errors?|fail(?:ed|ure|ing|s)?|fatal|panic(?:ked)?|critical|crit|crash\w*|exception|unhealthy|unavailable|unreachable|denied|refused|rejected|aborted|abort|timed?[ -]?out|time(?:d)?out|evicted|oomkilled|killed|\w+backoff|errimagepull|notready|degraded|invalid|missing|lost|dead|exited|offline|broken|corrupt(?:ed)?|overdue|unknown)\b/i;
const STATUS_NAME =
  /status|state|level|severity|result|outcome|conclusion|reason|message|condition|health|error|phase/i;

export class Columns {
  readonly #columns: Column[] = [];
  readonly #fieldCounts = new Map<number, number>();
  #rows = 0;
  #usualFields = 0;
  #best = 0;
  #rest = 0;

  name(index: number, bytes: Uint8Array, from: number, to: number): void {
    const column = this.#column(index);
    if (column !== undefined) column.name = decode(bytes.subarray(from, to)).trim().slice(0, 80);
  }

  /** Returns how unusual the cell is, and learns it if asked. */
  cell(index: number, bytes: Uint8Array, from: number, to: number, learn: boolean): void {
    const column = this.#column(index);
    if (column === undefined) return;
    const oddity = column.take(bytes, from, to, learn);
    if (oddity === 0) return;
    this.#rest += Math.min(oddity, this.#best);
    if (oddity > this.#best) this.#best = oddity;
  }

  /** 0 for an average row. */
  endRow(fields: number, learn: boolean): number {
    let score = this.#best + this.#rest / 4;
    this.#best = 0;
    this.#rest = 0;
    const same = this.#fieldCounts.get(fields) ?? 0;
    if (this.#rows >= FEW_ROWS && fields !== this.#usualFields && same <= this.#rows * 0.02) score += 5;
    if (learn) this.#learnFields(fields, same + 1);
    return score;
  }

  get divided(): number {
    return this.#rows - (this.#fieldCounts.get(1) ?? 0);
  }

  get rows(): number {
    return this.#rows;
  }

  #learnFields(fields: number, times: number): void {
    this.#rows++;
    if (times > 1 || this.#fieldCounts.size < 64) this.#fieldCounts.set(fields, times);
    if (times > (this.#fieldCounts.get(this.#usualFields) ?? 0)) this.#usualFields = fields;
  }

  #column(index: number): Column | undefined {
    if (index >= MOST_COLUMNS) return undefined;
    while (this.#columns.length <= index) this.#columns.push(new Column());
    return this.#columns[index];
  }
}

interface Value {
  readonly trouble: boolean;
  count: number;
}

class Column {
  #isStatus = false;
  #count = 0;
  #empty = 0;
  #numbers = 0;
  #mean = 0;
  #squares = 0;
  #values: Map<number, Value> | null = new Map();
  #masked: Map<number, Value> | null = new Map();

  set name(name: string) {
    this.#isStatus = STATUS_NAME.test(name);
  }

  take(bytes: Uint8Array, rawFrom: number, rawTo: number, learn: boolean): number {
    let from = rawFrom;
    let to = rawTo;
    while (from < to && bytes[from] === 32) from++;
    while (to > from && bytes[to - 1] === 32) to--;
    if (from === to) return this.#takeEmpty(learn);
    const value = numberIn(bytes, from, to);
    const oddity = Math.max(this.#oddNumber(value), this.#oddValue(bytes, from, to, learn));
    if (learn) {
      this.#count++;
      if (!Number.isNaN(value)) this.#learnNumber(value);
    }
    return oddity;
  }

  #takeEmpty(learn: boolean): number {
    const oddity = this.#rarity(this.#empty, this.#count + this.#empty);
    if (learn) this.#empty++;
    return oddity;
  }

  /** Not a number among numbers, or an outlier. */
  #oddNumber(value: number): number {
    const count = this.#numbers;
    if (count < FEW_ROWS || count < this.#count * 0.98) return 0;
    if (Number.isNaN(value)) return 3;
    const deviation = Math.sqrt(this.#squares / count);
    const distance = Math.abs(value - this.#mean);
    if (distance <= deviation * 4.5 || distance === 0) return 0;
    return 2 + Math.min(3, Math.log2(distance / Math.max(deviation * 4.5, distance / 64)));
  }

  /** Rare among few values, or a word of failure. */
  #oddValue(bytes: Uint8Array, from: number, to: number, learn: boolean): number {
    const [values, masked] = [this.#values, this.#masked];
    if (values === null && masked === null) return this.#isStatus && isTrouble(bytes, from, to) ? 4 : 0;
    let oddity = 0;
    if (masked !== null) {
      oddity = this.#rareOf(masked, maskedHash(bytes, from, to), bytes, from, to, learn);
      if (learn && masked.size > MOST_DISTINCT) this.#masked = null;
    }
    if (values !== null) {
      oddity = this.#rareOf(values, hash(bytes, from, to), bytes, from, to, learn);
      if (learn && values.size > MOST_DISTINCT) this.#values = null;
    }
    return oddity;
  }

  #rareOf(
    values: Map<number, Value>,
    key: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    learn: boolean,
  ): number {
    const known = values.get(key);
    const times = known?.count ?? 0;
    const rarity = this.#rarity(times, this.#count);
    const trouble = known?.trouble ?? isTrouble(bytes, from, to);
    if (learn && known !== undefined) known.count++;
    else if (learn) values.set(key, { trouble, count: 1 });
    return trouble && times <= this.#count * 0.2 ? Math.max(3, rarity + 2) : rarity;
  }

  /** 0 if usual. */
  #rarity(times: number, of: number): number {
    if (of < FEW_ROWS || times > Math.max(1, of * 0.01)) return 0;
    return 1 + Math.log10(of / Math.max(1, times));
  }

  #learnNumber(value: number): void {
    this.#numbers++;
    const delta = value - this.#mean;
    this.#mean += delta / this.#numbers;
    this.#squares += delta * (value - this.#mean);
  }
}

function isTrouble(bytes: Uint8Array, from: number, to: number): boolean {
  return TROUBLE.test(decode(bytes.subarray(from, Math.min(to, from + 400))));
}

/** FNV-1a, with the length mixed in. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5 ^ (to - from);
  const end = Math.min(to, from + LONGEST_VALUE_BYTES);
  for (let at = from; at < end; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193);
  return value;
}

/** Ignores numbers. */
function maskedHash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  let wasDigit = false;
  const end = Math.min(to, from + LONGEST_VALUE_BYTES);
  for (let at = from; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const isDigit = byte >= 48 && byte <= 57;
    if (!isDigit || !wasDigit) value = Math.imul(value ^ (isDigit ? 48 : byte), 0x01000193);
    wasDigit = isDigit;
  }
  return value;
}
