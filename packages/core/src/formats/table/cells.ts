/**
 * Divides lines into cells, as bytes. Quotes open only where a field begins, so a stray one inside
 * a field is just a character; a quoted field may hold separators, doubled quotes and line ends.
 * State between lines: the field number, and whether a quoted field is open.
 */
import type { Layout } from './layout.ts';

export type TakeCell = (index: number, bytes: Uint8Array, from: number, to: number) => void;

const QUOTE = 34;
const SPACE = 32;
const TAB = 9;
/** `|` and the lead byte of the bars of box drawing (E2 94 82, E2 94 83, E2 95 91). */
const BAR = 124;
const BOX = 0xe2;

export class CellScanner {
  readonly #layout: Layout;
  readonly #take: TakeCell;
  #fields = 0;
  #quoted = false;

  constructor(layout: Layout, take: TakeCell) {
    this.#layout = layout;
    this.#take = take;
  }

  get open(): boolean {
    return this.#quoted;
  }

  /** Set when a line was skipped. */
  set open(open: boolean) {
    this.#quoted = open;
  }

  endRow(): number {
    const fields = this.#fields;
    this.#fields = 0;
    this.#quoted = false;
    return fields;
  }

  line(bytes: Uint8Array, from: number, to: number): void {
    const { kind } = this.#layout;
    if (kind === 'delimited') this.#delimited(bytes, from, to, this.#layout.delimiter);
    else if (kind === 'ruled') this.#ruled(bytes, from, to);
    else this.#aligned(bytes, from, to, this.#layout.leastBlanks);
  }

  #delimited(bytes: Uint8Array, from: number, to: number, delimiter: number): void {
    let at = from;
    if (this.#quoted) {
      const close = closing(bytes, at, to);
      if (close < 0) return;
      this.#quoted = false;
      at = nextField(bytes, close + 1, to, delimiter);
      if (at > to) return;
    }
    for (;;) {
      const index = this.#fields++;
      if (bytes[at] === QUOTE && at < to) {
        const close = closing(bytes, at + 1, to);
        this.#take(index, bytes, at + 1, close < 0 ? to : close);
        this.#quoted = close < 0;
        if (this.#quoted) return;
        at = nextField(bytes, close + 1, to, delimiter);
      } else {
        let end = at;
        while (end < to && bytes[end] !== delimiter) end++;
        this.#take(index, bytes, at, end);
        at = end + 1;
      }
      if (at > to) return;
    }
  }

  #ruled(bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    for (let at = from; at < to; at++) {
      const width = bytes[at] === BAR ? 1 : isBoxBar(bytes, at) ? 3 : 0;
      if (width === 0) continue;
      // A leading bar opens the row.
      if (at > from) this.#take(this.#fields++, bytes, start, at);
      start = at + width;
      at += width - 1;
    }
    if (start < to) this.#take(this.#fields++, bytes, start, to);
  }

  #aligned(bytes: Uint8Array, from: number, to: number, leastBlanks: number): void {
    let at = from;
    while (at < to) {
      while (at < to && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
      if (at >= to) return;
      let end = at;
      while (end < to && !isGap(bytes, end, to, leastBlanks)) end++;
      this.#take(this.#fields++, bytes, at, end);
      at = end;
    }
  }
}

export class QuoteTracker {
  readonly #delimiter: number;
  #state: 'start' | 'plain' | 'quoted' | 'closing' = 'start';

  constructor(delimiter: number, open = false) {
    this.#delimiter = delimiter;
    if (open) this.#state = 'quoted';
  }

  get open(): boolean {
    return this.#state === 'quoted';
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.take(bytes[at] as number);
  }

  take(byte: number): void {
    if (this.#state === 'quoted') {
      if (byte === QUOTE) this.#state = 'closing';
    } else if (byte === QUOTE && this.#state !== 'plain') this.#state = 'quoted';
    else this.#state = byte === this.#delimiter ? 'start' : 'plain';
  }

  endRow(): void {
    this.#state = 'start';
  }
}

/** -1 if it continues. */
function closing(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (at + 1 < to && bytes[at + 1] === QUOTE) at++;
    else return at;
  }
  return -1;
}

/** Beyond `to` if there is none. */
function nextField(bytes: Uint8Array, from: number, to: number, delimiter: number): number {
  let at = from;
  while (at < to && bytes[at] !== delimiter) at++;
  return at + 1;
}

function isBoxBar(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== BOX) return false;
  const second = bytes[at + 1];
  const third = bytes[at + 2];
  return (second === 0x94 && (third === 0x82 || third === 0x83)) || (second === 0x95 && third === 0x91);
}

function isGap(bytes: Uint8Array, at: number, to: number, leastBlanks: number): boolean {
  if (bytes[at] === TAB) return true;
  if (bytes[at] !== SPACE) return false;
  return leastBlanks === 1 || (at + 1 < to && bytes[at + 1] === SPACE);
}
