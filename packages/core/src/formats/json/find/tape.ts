/**
 * A JSON document in memory as its bytes and four numbers a value, in document order: where it
 * begins and ends, the index behind everything inside it, and where its key begins. So the
 * descendants of a value are the indexes between its own and `after`, and nothing is parsed that no
 * query asks for. Positions are bytes.
 */
import { SpillwayError } from '../../../model/errors.ts';
import { tableOf } from '../../../table/columns.ts';
import { formatCount } from '../../../text/numbers.ts';
import { decode } from '../../../text/utf8.ts';
import { nameOf } from './label.ts';

/** Bytes of a document that a query may hold in memory. */
export const TAPE_BYTES = 64 * 1024 ** 2;
const TAPE_VALUES = 8_000_000;
const TAPE_DEPTH = 2_000;
/** What may be asked of a document of any size. */
const SIMPLE_QUERIES =
  'Ask for one place or a row of places, such as $.items[100:200].name: names, indexes from 0, slices and * work at any size.';

const FIRST_VALUES = 1_024;

const Values = tableOf({
  start: Uint32Array,
  end: Uint32Array,
  /** Behind the value: its next sibling. */
  after: Uint32Array,
  keyFrom: Uint32Array,
});

export class JsonTape extends Values {
  readonly #bytes: Uint8Array;
  #size = 0;
  readonly #open: number[] = [];
  /** Values one after another, read as one array. */
  readonly #wrapped: boolean;

  /** `bytes` may be filled later. */
  constructor(bytes: Uint8Array, wrapped: boolean) {
    super();
    this.resize(FIRST_VALUES);
    this.#bytes = bytes;
    this.#wrapped = wrapped;
  }

  /** `keyAt`: with its quote. */
  begin(at: number, keyAt: number): void {
    if (this.#open.length >= TAPE_DEPTH)
      throw tooLarge(`is nested more than ${formatCount(TAPE_DEPTH)} levels deep`);
    const node = this.#size++;
    if (node > TAPE_VALUES) throw tooLarge(`has more than ${formatCount(TAPE_VALUES)} values`);
    if (node === this.capacity) this.resize(Math.min(node * 2, TAPE_VALUES + 1));
    this.start[node] = at;
    this.keyFrom[node] = keyAt + 1;
    this.#open.push(node);
  }

  finish(at: number): void {
    const node = this.#open.pop() ?? 0;
    this.end[node] = at;
    this.after[node] = this.#size;
  }

  firstByte(node: number): number {
    return node === 0 && this.#wrapped ? 0x5b : (this.#bytes[this.start[node] as number] ?? 0);
  }

  isArray(node: number): boolean {
    return this.firstByte(node) === 0x5b;
  }

  isObject(node: number): boolean {
    return this.firstByte(node) === 0x7b;
  }

  text(node: number): string {
    return decode(this.#bytes.subarray(this.start[node], this.end[node]));
  }

  string(node: number): string {
    return nameOf(this.#bytes.subarray(this.start[node], this.end[node]));
  }

  name(node: number): string {
    const at = this.keyFrom[node] as number;
    return nameOf(this.#bytes.subarray(at - 1, this.#keyEnd(at) + 1));
  }

  /** `name` as UTF-8. */
  hasName(node: number, name: Uint8Array): boolean {
    const at = this.keyFrom[node] as number;
    for (let i = 0; i < name.length; i++) {
      const byte = this.#bytes[at + i];
      if (byte === 0x5c) return Buffer.from(this.name(node)).equals(name);
      if (byte !== name[i]) return false;
    }
    // An inner quote would be escaped, so this one closes.
    return this.#bytes[at + name.length] === 0x22;
  }

  #keyEnd(from: number): number {
    let at = from;
    while (at < this.#bytes.length && this.#bytes[at] !== 0x22) at += this.#bytes[at] === 0x5c ? 2 : 1;
    return at;
  }
}

export function tooLarge(why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `The document ${why}: too much for this query. ${SIMPLE_QUERIES}`,
  );
}
