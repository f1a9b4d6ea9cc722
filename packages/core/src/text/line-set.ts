/**
 * A set of lines in fixed memory (a Bloom filter): a line that was added is always known; one that
 * was not is taken for known once in a hundred times while fewer than 100,000 different ones are in
 * it, and more often beyond. Numbers do not count: `step 12 took 3.4 s` and `step 13 took 0.9 s`
 * are one line. Nor do terminal sequences and blanks at the end. Units: bytes.
 */
const BITS = 2 ** 20;
const HASHES = 7;
const ESC = 0x1b;
const LF = 10;
const CR = 13;

export class LineSet {
  readonly #bits = new Uint8Array(BITS / 8);

  add(line: Uint8Array): void {
    const [first, second] = hashes(line);
    for (let i = 0; i < HASHES; i++) {
      const bit = slot(first, second, i);
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  has(line: Uint8Array): boolean {
    const [first, second] = hashes(line);
    for (let i = 0; i < HASHES; i++) {
      const bit = slot(first, second, i);
      if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** Cuts chunks of any size into lines for a set; `finish` gives the last one, which has no end. */
export class LineCutter {
  readonly #sink: (line: Uint8Array) => void;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sink: (line: Uint8Array) => void) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] !== LF && bytes[at] !== CR) continue;
      if (at > from) this.#sink(bytes.subarray(from, at));
      from = at + 1;
    }
    this.#rest = bytes.slice(from);
  }

  finish(): void {
    if (this.#rest.length > 0) this.#sink(this.#rest);
    this.#rest = new Uint8Array(0);
  }
}

function slot(first: number, second: number, i: number): number {
  return (first + Math.imul(i, second)) >>> 12;
}

/** Two FNV-1a hashes of what counts of a line. */
function hashes(line: Uint8Array): readonly [number, number] {
  let first = 0x811c9dc5;
  let second = 0x01000193;
  let inNumber = false;
  for (let at = 0, end = endOf(line); at < end; at++) {
    const byte = line[at] ?? 0;
    if (byte === ESC) {
      at = afterEscape(line, at) - 1;
      continue;
    }
    const digit = byte >= 0x30 && byte <= 0x39;
    if (digit && inNumber) continue;
    inNumber = digit;
    const counts = digit ? 0x30 : byte;
    first = Math.imul(first ^ counts, 0x01000193);
    second = Math.imul(second ^ counts, 0x85ebca6b) + 1;
  }
  return [mixed(first), mixed(second) | 1];
}

/** So that lines that differ in their last bytes only differ in all bits. */
function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Without line ends and blanks. */
function endOf(line: Uint8Array): number {
  let end = line.length;
  while (end > 0 && (line[end - 1] ?? 0) <= 0x20) end--;
  return end;
}

/** `ESC [ … letter` is a sequence; of any other only the escape itself is passed over. */
function afterEscape(line: Uint8Array, at: number): number {
  if (line[at + 1] !== 0x5b) return at + 1;
  let after = at + 2;
  while (after < line.length && ((line[after] ?? 0) < 0x40 || (line[after] ?? 0) > 0x7e)) after++;
  return Math.min(line.length, after + 1);
}
