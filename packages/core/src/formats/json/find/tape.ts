/**
 * A JSON document in memory as its bytes and some numbers a value, in document order: where it
 * begins and ends, the number behind everything inside it, where its key begins, its parent and its
 * position there. So the descendants of a value are the numbers between its own and `after`, and
 * nothing is parsed that no query asks for. Positions are bytes.
 */
import { SpillwayError } from '../../../model/errors.ts';
import { tableOf } from '../../../table/columns.ts';
import { formatCount } from '../../../text/numbers.ts';
import { decode } from '../../../text/utf8.ts';
import { nameOf, pathLabel, pathStep } from './label.ts';

/** Bytes of a document that a query may hold in memory. */
export const TAPE_BYTES = 64 * 1024 ** 2;
const TAPE_VALUES = 6_000_000;
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
  parent: Int32Array,
  /** Position in an array; -1 for members and the root. */
  index: Int32Array,
});

export class JsonTape extends Values {
  readonly #bytes: Uint8Array;
  #size = 0;
  readonly #open: number[] = [];
  /** Children so far of those that are open. */
  readonly #counts: number[] = [];
  /** Values one after another, read as one array. */
  readonly #wrapped: boolean;

  /** `bytes` hold a value when it is told of. */
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
    const depth = this.#open.length;
    const parent = this.#open[depth - 1] ?? -1;
    this.parent[node] = parent;
    this.index[node] = parent >= 0 && this.isArray(parent) ? (this.#counts[depth - 1] as number) : -1;
    if (depth > 0) this.#counts[depth - 1] = (this.#counts[depth - 1] as number) + 1;
    this.#counts[depth] = 0;
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

  isContainer(node: number): boolean {
    return this.firstByte(node) === 0x7b || this.isArray(node);
  }

  /** The path to a value, as it is written in front of a match. */
  label(node: number): string {
    const steps: string[] = [];
    for (let at = node; at > 0; at = this.parent[at] as number) {
      const index = this.index[at] as number;
      steps.push(pathStep(index < 0 ? this.name(at) : index));
    }
    return pathLabel(steps.reverse());
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
