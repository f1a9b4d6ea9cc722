/**
 * Runs of like rows: a program that reports its progress says the same of one thing after another
 * (`CC a.o`, `ok 12 - closes`, `Compiling serde v1.0.2`). Two rows are alike if they have the same
 * words once numbers and names are left out, or if both say that something passed. A row in a run
 * tells no more than its number, so it is folded; the first rows and the last row of a run are not.
 */
import { AGAIN, CONTINUED, type LineTable, OPEN, WORD } from '../table/line-table.ts';
import type { AlikeRun } from '../table/row-fit.ts';

/** The first rows of a form are not folded. */
const SHOWN = 2;
/** Shorter runs are shown like any other rows. */
const LEAST_RUN = 8;
/** A marker says that rows are like those above it if so few of them show all there is. */
const MOST_LEADING = 6;
const MOSTLY = 0.5;
/** What is looked at of a row. */
const SEEN_BYTES = 200;

export const SPACE = 0;
export const DIGIT = 1;
export const LETTER = 2;
export const JOINT = 3;
export const SIGN = 4;

/** What a byte is in a line, as a column by byte; `joints` stand inside words. */
export function byteKinds(joints: string): Uint8Array {
  const kinds = new Uint8Array(256)
    .fill(SIGN)
    .fill(SPACE, 0, 0x21)
    .fill(DIGIT, 0x30, 0x3a)
    .fill(LETTER, 0x41, 0x5b)
    .fill(LETTER, 0x61, 0x7b)
    .fill(LETTER, 0x80);
  for (const byte of Buffer.from(joints)) kinds[byte] = JOINT;
  return kinds;
}

const kinds = byteKinds("-._/\\@+~%$#&*^':");

/** `"`, `'`, `{`, `}`, `<`. */
const QUOTES: ReadonlySet<number> = new Set([0x22, 0x27, 0x7b, 0x7d, 0x3c]);
const NUMBER = 1;
const NAME = 2;
/** No form. */
export const NONE = -1;
/** The form of rows that say that something passed. */
const PASSED = 3;
const passes = new Set(
  ['✓', '✔', '√', 'ok', 'OK', 'PASS', 'PASSED', 'Passed', 'passed', 'Subtest'].map(hashOf),
);
const units = new Set(['s', 'ms', 'sec', 'secs', 'seconds', 'm', 'min'].map(hashOf));

export function alikeRuns(table: LineTable): AlikeRun[] {
  const { rows, flags } = table;
  const runs: AlikeRun[] = [];
  const forms = formsOf(table);
  const counts = new Map<number, number>();
  let first = -1;
  let last = -1;
  let count = 0;
  const endRun = () => {
    // Where rows were dropped below a run, its last row is not held.
    const end = last + 1 === rows || table.isNext(last) ? last - 1 : last;
    if (count >= LEAST_RUN) runs.push(runOf(forms, first, end));
    first = -1;
    count = 0;
  };
  for (let row = 0; row < rows; row++) {
    // Rows without words go with those around them.
    if (((flags[row] as number) & WORD) === 0) continue;
    const form = forms[row] as number;
    const before = counts.get(form) ?? 0;
    counts.set(form, before + 1);
    const isAgain = ((flags[row] as number) & AGAIN) !== 0;
    if (!isAgain && (before < SHOWN || form === NONE)) endRun();
    else {
      if (first < 0) first = row;
      last = row;
      count++;
    }
  }
  endRun();
  return runs;
}

function runOf(forms: Int32Array, first: number, last: number): AlikeRun {
  const missing = new Set(forms.subarray(first, last + 1));
  const passed = missing.has(PASSED);
  for (let row = first - 1; row >= 0 && first - row <= MOST_LEADING; row--) {
    missing.delete(forms[row] as number);
    if (missing.size === 0) return { first, last, passed, lead: first - row };
  }
  return { first, last, passed, lead: 0 };
}

/** Whether most rows of a text are alike. */
export function isRepetitive(table: LineTable, runs: readonly AlikeRun[]): boolean {
  return runs.reduce((sum, { first, last }) => sum + last - first + 1, 0) > MOSTLY * table.rows;
}

/** Whether most rows say what the row above them says, word for word. */
export function repeatsItself({ rows, flags }: LineTable): boolean {
  let repeated = 0;
  for (let row = 0; row < rows; row++) if (((flags[row] as number) & AGAIN) !== 0) repeated++;
  return repeated > MOSTLY * rows;
}

/** The form of each row as a number; `NONE` for rows that are like no other. */
function formsOf(table: LineTable): Int32Array {
  const { rows, shape, shapes, flags } = table;
  const byShape = new Int32Array(shapes);
  const forms = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const id = shape[row] as number;
    if (((flags[row] as number) & (CONTINUED | OPEN)) !== 0) forms[row] = NONE;
    else {
      if (byShape[id] === 0) byShape[id] = formOf(table, row);
      forms[row] = byShape[id] as number;
    }
  }
  return forms;
}

function formOf(table: LineTable, row: number): number {
  const { bytes, from, to, stamp, ending } = table;
  const start = (from[row] as number) + (stamp[row] as number);
  const end = Math.min((to[row] as number) - (ending[row] as number), start + SEEN_BYTES);
  const first = table.first[row] as number;
  let form = 17;
  let words = 0;
  let lastWord = 0;
  let last = 0;
  let isName = false;
  let startsWithName = false;
  for (let at = start; at < end; ) {
    const kind = kinds[bytes[at] as number];
    if (kind === SPACE) {
      at++;
      continue;
    }
    let sign: number;
    if (kind === SIGN) sign = bytes[at++] as number;
    else {
      const begin = at;
      let digits = 0;
      let letters = 0;
      let joints = 0;
      let isHumped = false;
      let hash = 7;
      for (; at < end; at++) {
        const byte = bytes[at] as number;
        const other = kinds[byte];
        if (other === SPACE || other === SIGN) break;
        if (other === DIGIT) digits++;
        else if (other === LETTER) {
          letters++;
          if (at > begin && byte >= 65 && byte <= 90 && (bytes[at - 1] as number) >= 97) isHumped = true;
        } else if (at > begin && at + 1 < end && kinds[bytes[at + 1] as number] !== SPACE) joints++;
        if (other !== JOINT) hash = (Math.imul(hash, 31) + byte) | 0;
      }
      const isKey = bytes[at - 1] === 0x3a;
      if (letters === 0) sign = digits === 0 ? (bytes[begin] as number) : NUMBER;
      else if (digits > 0 || (!isKey && (joints > 0 || isHumped || isName))) {
        sign = NAME;
        startsWithName ||= words === 0;
      } else {
        sign = hash;
        if (words === 0 && passes.has(hash)) return PASSED;
        if ((bytes[begin] as number) < 128) words++;
        if (!units.has(hash)) lastWord = hash;
      }
      // `Compiling serde`: what is being done is said before its name.
      isName = sign === hash && endsInIng(bytes, at);
    }
    if (sign === last) continue;
    last = sign;
    form = (Math.imul(form, 33) + sign) | 0;
  }
  if (passes.has(lastWord)) return PASSED;
  // Rows that begin with a name or a quote are data.
  return words === 0 || startsWithName || QUOTES.has(first) ? NONE : form;
}

function endsInIng(bytes: Uint8Array, end: number): boolean {
  const at = bytes[end - 1] === 0x3a ? end - 1 : end;
  return bytes[at - 1] === 0x67 && bytes[at - 2] === 0x6e && bytes[at - 3] === 0x69;
}

function hashOf(word: string): number {
  return Buffer.from(word).reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 7);
}
