/**
 * The only reader of text: one loop over cleaned bytes fills a LineTable. Lines end with LF, CRLF or
 * CR; a line over 450 bytes becomes segments of about 300, cut behind a space or a separator where
 * there is one near. Any chunking gives the same rows. Units: bytes.
 */
import { sum } from '../model/extent.ts';
import type { CleanBytes, Elision } from '../text/cleaner.ts';
import { isOfRunner, secondEnd, stampBytes } from '../text/stamps.ts';
import { characterStart, measure } from '../text/utf8.ts';
import {
  AGAIN,
  BLANK,
  CONTINUED,
  CONTROL,
  HIGH,
  type LineTable,
  OF_RUNNER,
  OPEN,
  type Sums,
  WORD,
} from './line-table.ts';
import { CLASS_BITS, type StemAutomaton } from './stem-automaton.ts';

const LF = 10;
const CR = 13;
const ESC = 27;
/** Longer lines become segments of about this many bytes. */
const WHOLE_BYTES = 450;
const SEGMENT_BYTES = 300;
/** From this repetition on, equal lines are only counted. */
export const COUNTED_FROM = 3;
/** The longest bracketed label, as in `[junit]   at …`. */
const LABEL_BYTES = 24;

const KIND = { letter: 0, hex: 1, digit: 2, space: 3, sign: 4, beyond: 5, control: 6 } as const;
const kinds = new Uint8Array(256)
  .fill(KIND.sign)
  .fill(KIND.control, 0, 0x20)
  .fill(KIND.space, 9, 10)
  .fill(KIND.space, 0x20, 0x21)
  .fill(KIND.digit, 0x30, 0x3a)
  .fill(KIND.letter, 0x41, 0x5b)
  .fill(KIND.letter, 0x5f, 0x60)
  .fill(KIND.hex, 0x61, 0x67)
  .fill(KIND.letter, 0x67, 0x7b)
  .fill(KIND.control, 0x7f)
  .fill(KIND.beyond, 0x80);

export class LineScan {
  readonly table: LineTable;
  readonly #automaton: StemAutomaton;
  /** The buffer is in rows up to here. */
  #done = 0;
  #wellFormed = true;
  /** Offsets into the buffer; the first `#elided` of them are in a row. */
  #elisions: Elision[] = [];
  #elided = 0;
  #isContinued = false;
  #same = 0;

  constructor(table: LineTable, automaton: StemAutomaton) {
    this.table = table;
    this.#automaton = automaton;
  }

  push({ bytes, wellFormed, elisions }: CleanBytes): void {
    const { length } = this.table;
    for (const { offset, missing } of elisions) this.#expect({ offset: length + offset, missing });
    this.table.append(bytes);
    this.#wellFormed &&= wellFormed;
    this.#scan(false);
    this.#elisions.splice(0, this.#elided);
    this.#elided = 0;
    if (this.#done === this.table.length) this.#wellFormed = true;
  }

  /** Adjacent formatting is merged. */
  #expect(elision: Elision): void {
    const last = this.#elisions.at(-1);
    if (last?.offset !== elision.offset) this.#elisions.push(elision);
    else this.#elisions[this.#elisions.length - 1] = { ...last, missing: sum(last.missing, elision.missing) };
  }

  finish(): void {
    this.#scan(true);
    const { table } = this;
    if (this.#elisions.length > this.#elided && table.rows === 0) this.#add(this.#done, this.#done, 0);
    const row = table.rows - 1;
    for (const { offset, missing } of this.#elisions.splice(this.#elided))
      this.#elide(row, { offset: offset - (table.from[row] as number), missing });
    table.totals.isOpen = table.rows > 0 && table.ending[table.rows - 1] === 0;
  }

  /** Bytes not in a row yet stay. */
  keepOnly(isKept: Uint8Array): void {
    this.table.keepOnly(isKept);
    const moved = this.table.moveRest(this.#done) - this.#done;
    this.#elisions = this.#elisions.map((each) => ({ ...each, offset: each.offset + moved }));
    this.#done += moved;
  }

  #scan(isLast: boolean): void {
    const { table } = this;
    while (this.#done < table.length) {
      const end = this.#row(this.#done, table.length, isLast);
      if (end === this.#done) return;
      this.#done = end;
    }
  }

  /** Returns where it ends, if its end is known. */
  #row(from: number, to: number, isLast: boolean): number {
    const { bytes } = this.table;
    const most = Math.min(to, from + WHOLE_BYTES + 1);
    let at = from;
    while (at < most && ((bytes[at] as number) > CR || (bytes[at] !== LF && bytes[at] !== CR))) at++;
    if (at < most) {
      const ending = bytes[at] === CR && bytes[at + 1] === LF && at + 1 < to ? 2 : 1;
      return this.#add(from, at + ending, ending);
    }
    if (to - from > WHOLE_BYTES) return this.#add(from, segmentEnd(bytes, from), 0, OPEN);
    return isLast ? this.#add(from, to, 0) : from;
  }

  #add(from: number, to: number, ending: number, open = 0): number {
    const { table } = this;
    const { bytes } = table;
    const row = table.add();
    const continued = this.#isContinued ? CONTINUED : 0;
    const textEnd = to - ending;
    const stamp = continued ? 0 : stampBytes(bytes, from, textEnd);
    table.from[row] = from;
    table.to[row] = to;
    table.ending[row] = ending;
    table.stamp[row] = stamp;
    table.flags[row] = open | continued;
    table.second[row] = 0;
    if (stamp > 0) this.#noteStamp(row, from, stamp);
    const lost = this.#read(row, from + stamp, textEnd);
    const chars = lost < 0 ? measure(bytes, from, to).chars : to - from - lost;
    this.#locate(row, to - from, chars, ending > 0 ? 1 : 0);
    this.#noteRepeat(row);
    this.#isContinued = open !== 0;
    table.totals.rows++;
    return to;
  }

  /** Including formatting inside it. */
  #locate(row: number, bytes: number, chars: number, breaks: number): void {
    const { table } = this;
    const { stored, clean } = table.totals;
    table.start[row] = stored.bytes;
    table.at[row] = stored.chars;
    table.breaks[row] = stored.breaks;
    table.chars[row] = chars;
    add(stored, bytes, chars, breaks);
    add(clean, bytes, chars, breaks);
    this.#setEnd(row);
    const to = table.to[row] as number;
    while (this.#elided < this.#elisions.length) {
      const elision = this.#elisions[this.#elided] as Elision;
      if (elision.offset >= to) return;
      this.#elide(row, { ...elision, offset: elision.offset - (table.from[row] as number) });
      this.#elided++;
    }
  }

  #elide(row: number, elision: Elision): void {
    const { table } = this;
    const { bytes, chars, breaks } = elision.missing;
    const length = (table.to[row] as number) - (table.from[row] as number);
    table.elide(row, elision.offset > length ? { ...elision, offset: length } : elision);
    table.totals.formatted++;
    add(table.totals.stored, bytes, chars, breaks);
    this.#setEnd(row);
  }

  #setEnd(row: number): void {
    const { bytes, chars, breaks } = this.table.totals.stored;
    this.table.end[row] = bytes;
    this.table.after[row] = chars;
    this.table.breaksAfter[row] = breaks;
  }

  #noteStamp(row: number, from: number, stamp: number): void {
    const { table } = this;
    const { bytes } = table;
    const end = secondEnd(bytes, from, from + stamp);
    let hash = 0x811c9dc5;
    for (let at = from; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    table.second[row] = end > from ? hash | 1 : 0;
    if (!isOfRunner(bytes, from, from + stamp)) return;
    table.flags[row] = (table.flags[row] as number) | OF_RUNNER;
  }

  /** Stems, shape and flags. Returns bytes minus chars; -1 if that must be measured. */
  #read(row: number, from: number, to: number): number {
    const { table } = this;
    const { bytes, stems } = table;
    const { classes, next, found, words, lineStart, afterIndent } = this.#automaton;
    const noted = row * words;
    for (let word = 0; word < words; word++) stems[noted + word] = 0;
    let flags = table.flags[row] as number;
    let at = from;
    while (at < to && (bytes[at] === 32 || bytes[at] === 9)) at++;
    let indent = at - from;
    let state = flags & CONTINUED ? 0 : indent > 0 ? afterIndent : lineStart;
    if (at < to && bytes[at] === 0x5b) indent = indentBehindLabel(bytes, at, to, indent);
    const first = at < to ? (bytes[at] as number) : 0;
    let hash = 17;
    let digits = 0;
    let before: number = KIND.space;
    let last = 0;
    let lost = 0;
    let isWord = false;
    for (; at < to; at++) {
      const byte = bytes[at] as number;
      const kind = kinds[byte] as number;
      if (kind === KIND.control) {
        flags |= CONTROL;
        if (byte === ESC) state = 0;
        continue;
      }
      state = next[state + (classes[byte] as number)] as number;
      if (state < 0) {
        state = ~state;
        for (let word = 0, k = (state >> CLASS_BITS) * words; word < words; word++)
          stems[noted + word] = (stems[noted + word] as number) | (found[k + word] as number);
      }
      // Digits fold to one sign; a lone zero has a shape of its own. Bars grow but say the same.
      if (kind === KIND.letter || (kind === KIND.hex && before !== KIND.digit)) {
        hash = Math.imul(hash ^ byte, 0x01000193);
        before = KIND.letter;
      } else if (kind === KIND.space) {
        if (before !== KIND.space) hash = Math.imul(hash ^ 32, 0x01000193);
        before = KIND.space;
      } else if (kind === KIND.sign) {
        if (byte !== last) hash = Math.imul(hash ^ byte, 0x01000193);
        before = KIND.sign;
      } else if (kind === KIND.beyond) {
        hash = Math.imul(hash ^ byte, 0x01000193);
        before = KIND.letter;
        flags |= HIGH;
        if ((byte & 0xc0) === 0x80) lost++;
        else if (byte >= 0xf0) lost--;
      } else {
        if (before !== KIND.digit) {
          const isLone = at + 1 >= to || kinds[bytes[at + 1] as number] !== KIND.digit;
          hash = Math.imul(hash ^ (byte === 48 && isLone ? 48 : 49), 0x01000193);
        }
        digits = Math.imul(digits ^ byte, 0x01000193);
        before = KIND.digit;
      }
      isWord ||= before <= KIND.digit;
      last = byte;
    }
    if (first === 0) flags |= BLANK;
    if (isWord) flags |= WORD;
    table.flags[row] = flags;
    table.indent[row] = Math.min(255, indent);
    table.first[row] = first;
    table.digits[row] = digits;
    const shape = flags & BLANK ? 0 : table.shapeOf((hash ^ (hash >>> 15)) >>> 0);
    table.shape[row] = shape;
    table.before[row] = table.shapeCounts[shape] as number;
    if (table.before[row] === 0) table.totals.kinds++;
    table.shapeCounts[shape] = (table.shapeCounts[shape] as number) + 1;
    return flags & HIGH && !this.#wellFormed ? -1 : lost;
  }

  /** A line repeated several times in a row is only counted. */
  #noteRepeat(row: number): void {
    const { table } = this;
    this.#same = this.#isSame(row) ? this.#same + 1 : 0;
    if (this.#same >= COUNTED_FROM) table.flags[row] = (table.flags[row] as number) | AGAIN;
  }

  #isSame(row: number): boolean {
    const { table } = this;
    const { shape, digits, from, to, stamp, flags, bytes } = table;
    const above = row - 1;
    if (row === 0 || shape[row] !== shape[above] || digits[row] !== digits[above]) return false;
    if ((((flags[row] as number) | (flags[above] as number)) & (CONTINUED | OPEN)) !== 0) return false;
    const mine = (from[row] as number) + (stamp[row] as number);
    const other = (from[above] as number) + (stamp[above] as number);
    const length = (to[row] as number) - mine;
    if (length !== (to[above] as number) - other) return false;
    for (let i = 0; i < length; i++) if (bytes[mine + i] !== bytes[other + i]) return false;
    return true;
  }
}

function add(all: Sums, bytes: number, chars: number, breaks: number): void {
  all.bytes += bytes;
  all.chars += chars;
  all.breaks += breaks;
}

function indentBehindLabel(bytes: Uint8Array, at: number, to: number, indent: number): number {
  let end = at + 1;
  while (end < to && end < at + LABEL_BYTES && (kinds[bytes[end] as number] as number) <= KIND.digit) end++;
  if (end === at + 1 || end >= to || bytes[end++] !== 0x5d) return indent;
  if (end < to && bytes[end] === 32) end++;
  const from = end;
  while (end < to && (bytes[end] === 32 || bytes[end] === 9)) end++;
  return end - from;
}

/** Behind a space or separator, never inside a character. */
function segmentEnd(bytes: Uint8Array, from: number): number {
  const most = from + SEGMENT_BYTES;
  for (let end = most; end > most - SEGMENT_BYTES / 2; end--) {
    const last = bytes[end - 1];
    if (last === 0x20 || last === 0x2c || last === 0x3b || last === 0x3e) return end;
  }
  const start = characterStart(bytes, most);
  return start > from ? start : most;
}
