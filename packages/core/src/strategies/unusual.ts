/**
 * Rows that stand out by shape: in a repetitive text, a row whose form occurs at most three times
 * is a finding without any failure word. Words that occur in few rows are names and do not count.
 */
import { AGAIN, BLANK, CONTINUED, type LineTable } from '../table/line-table.ts';

/** A form that occurs more often is not unusual. */
const RARE = 3;
/** Share of the text with common forms. */
const REPETITIVE = 0.9;
const FEWEST_ROWS = 40;
/** Bytes of a row that are looked at. */
const SEEN_BYTES = 160;
const WORD_SLOTS = 1 << 14;
/** Word counts by hash; reused. */
const words = new Uint32Array(WORD_SLOTS);

const SPACE = 0;
const DIGIT = 1;
const LETTER = 2;
const JOINT = 3;
const SIGN = 4;
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (byte <= 32) return SPACE;
  if (/\d/.test(char)) return DIGIT;
  if (byte >= 128 || /[A-Za-z]/.test(char)) return LETTER;
  return /[-._/\\@+~%$#&*^']/.test(char) ? JOINT : SIGN;
});

/** Rarest first; none if the text is not repetitive. */
export function unusualRows(table: LineTable): number[] {
  const { rows, shape, shapes, shapeCounts, flags } = table;
  if (rows < FEWEST_ROWS) return [];
  const samples = new Int32Array(shapes).fill(-1);
  const forms = new Float64Array(shapes);
  for (let row = 0; row < rows; row++) {
    const id = shape[row] as number;
    if (id > 0 && samples[id] === -1 && ((flags[row] as number) & CONTINUED) === 0) samples[id] = row;
  }
  words.fill(0);
  let lines = 0;
  for (let id = 1; id < shapes; id++) {
    const row = samples[id] as number;
    if (row < 0) continue;
    lines += shapeCounts[id] as number;
    formOf(table, row, shapeCounts[id] as number, Number.POSITIVE_INFINITY);
  }
  const common = Math.max(4, lines / 50);
  const counts = new Map<number, number>();
  for (let id = 1; id < shapes; id++) {
    const row = samples[id] as number;
    const form = row < 0 ? Number.NaN : formOf(table, row, 0, common);
    forms[id] = form;
    if (!Number.isNaN(form)) counts.set(form, (counts.get(form) ?? 0) + (shapeCounts[id] as number));
  }
  const rare: { readonly row: number; readonly count: number }[] = [];
  const most = lines * (1 - REPETITIVE);
  for (let row = 0; row < rows; row++) {
    if (((flags[row] as number) & (BLANK | CONTINUED | AGAIN)) !== 0) continue;
    const count = counts.get(forms[shape[row] as number] as number) ?? Number.POSITIVE_INFINITY;
    if (count > RARE || startsCount(table, row)) continue;
    rare.push({ row, count });
    if (rare.length > most) return [];
  }
  return rare.sort((a, b) => a.count - b.count || a.row - b.row).map(({ row }) => row);
}

/** As a number; NaN without words. `add`: added to the counts of its words. */
function formOf(table: LineTable, row: number, add: number, common: number): number {
  const { bytes, from, to, stamp, ending } = table;
  const start = (from[row] as number) + (stamp[row] as number);
  const end = Math.min((to[row] as number) - (ending[row] as number), start + SEEN_BYTES);
  let hash = 17;
  let hasWord = false;
  let last = 0;
  for (let at = start; at < end; ) {
    const kind = kinds[bytes[at] as number];
    if (kind === SPACE) {
      at++;
      continue;
    }
    let sign: number;
    if (kind === SIGN) sign = bytes[at++] as number;
    else {
      let token = 0;
      let letters = false;
      let digits = 0;
      let isZero = true;
      for (; at < end; at++) {
        const byte = bytes[at] as number;
        const other = kinds[byte];
        if (other === SPACE || other === SIGN) break;
        if (other === DIGIT) {
          if (byte !== 48) isZero = false;
          if (digits++ === 0) token = (Math.imul(token, 31) + 48) | 0;
          continue;
        }
        if (other !== JOINT) digits = 0;
        if (other === LETTER) letters = true;
        token = (Math.imul(token, 31) + byte) | 0;
      }
      if (!letters) sign = digits === 0 ? 1 : isZero ? 3 : 2;
      else {
        hasWord = true;
        const slot = (token ^ (token >>> 14)) & (WORD_SLOTS - 1);
        words[slot] = (words[slot] as number) + add;
        sign = (words[slot] as number) >= common ? token : 4;
      }
    }
    if (sign === last && (sign === 4 || sign > 31)) continue;
    last = sign;
    hash = (Math.imul(hash, 33) + sign) | 0;
  }
  return hasWord ? hash : Number.NaN;
}

/** True if the row differs from the next only by a count that starts at zero. */
function startsCount(table: LineTable, row: number): boolean {
  if (row + 1 >= table.rows) return false;
  const mine = numbersIn(table, row);
  const next = numbersIn(table, row + 1);
  return mine.length === next.length && mine.some((number, i) => number === '0' && next[i] === '1');
}

function numbersIn(table: LineTable, row: number): readonly string[] {
  return table.textOf(row).match(/\d+/g) ?? [];
}
