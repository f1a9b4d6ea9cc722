/**
 * Rows that stand out by shape: in a repetitive text, a row whose form occurs at most three times
 * is a finding without any failure word. Words that occur in few rows are names and do not count.
 */
import { AGAIN, BLANK, CONTINUED, type LineTable } from '../table/line-table.ts';
import { byteKinds, DIGIT, JOINT, LETTER, NONE, SIGN, SPACE } from './alike.ts';

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
/** Of one row of each shape, one after the other; reused. Signs and numbers are small. */
let tokens = new Float64Array(WORD_SLOTS);
const WORD_TOKEN = 2 ** 40;

const kinds = byteKinds("-._/\\@+~%$#&*^'");

/** Rarest first; none if the text is not repetitive. */
export function unusualRows(table: LineTable): number[] {
  const { rows, shape, shapes, shapeCounts, flags } = table;
  if (rows < FEWEST_ROWS) return [];
  words.fill(0);
  // The tokens of one row of each shape: words are counted before forms can be told.
  const ends = new Uint32Array(shapes);
  const counted: number[] = [];
  let lines = 0;
  let end = 0;
  for (let row = 0; row < rows; row++) {
    const id = shape[row] as number;
    if (id === 0 || ends[id] !== 0 || ((flags[row] as number) & CONTINUED) !== 0) continue;
    lines += shapeCounts[id] as number;
    end = addTokens(table, row, shapeCounts[id] as number, end);
    ends[id] = end;
    counted.push(id);
  }
  const common = Math.max(4, lines / 50);
  const forms = new Int32Array(shapes).fill(NONE);
  const counts = new Map<number, number>();
  let start = 0;
  for (const id of counted) {
    const form = formOf(start, ends[id] as number, common);
    start = ends[id] as number;
    forms[id] = form;
    if (form !== NONE) counts.set(form, (counts.get(form) ?? 0) + (shapeCounts[id] as number));
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

/** Writes the tokens of a row from `end` on, and counts its words `times` times. */
function addTokens(table: LineTable, row: number, times: number, end: number): number {
  const { bytes, from, to, stamp, ending } = table;
  const start = (from[row] as number) + (stamp[row] as number);
  const last = Math.min((to[row] as number) - (ending[row] as number), start + SEEN_BYTES);
  if (end + SEEN_BYTES + 1 > tokens.length) {
    const larger = new Float64Array(tokens.length * 2);
    larger.set(tokens);
    tokens = larger;
  }
  // One at least, so that a shape that was seen is known by its end.
  tokens[end++] = SPACE;
  for (let at = start; at < last; ) {
    const kind = kinds[bytes[at] as number];
    if (kind === SPACE) {
      at++;
      continue;
    }
    if (kind === SIGN) {
      tokens[end++] = bytes[at++] as number;
      continue;
    }
    let token = 0;
    let letters = false;
    let digits = 0;
    let isZero = true;
    for (; at < last; at++) {
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
    if (letters) {
      const slot = slotOf(token);
      words[slot] = (words[slot] as number) + times;
      tokens[end++] = WORD_TOKEN + token;
    } else tokens[end++] = digits === 0 ? 1 : isZero ? 3 : 2;
  }
  return end;
}

/** As a number; `NONE` without words. */
function formOf(start: number, end: number, common: number): number {
  let hash = 17;
  let hasWord = false;
  let last = 0;
  for (let at = start + 1; at < end; at++) {
    let sign = tokens[at] as number;
    if (sign >= WORD_TOKEN / 2) {
      hasWord = true;
      const token = sign - WORD_TOKEN;
      sign = (words[slotOf(token)] as number) >= common ? token : 4;
    }
    if (sign === last && (sign === 4 || sign > 31)) continue;
    last = sign;
    hash = (Math.imul(hash, 33) + sign) | 0;
  }
  return hasWord ? hash : NONE;
}

function slotOf(token: number): number {
  return (token ^ (token >>> 14)) & (WORD_SLOTS - 1);
}

/** True if the row differs from the next only by a count that starts at zero. */
function startsCount(table: LineTable, row: number): boolean {
  const text = table.textOf(row);
  if (row + 1 >= table.rows || !text.includes('0')) return false;
  const mine = numbersIn(text);
  const next = numbersIn(table.textOf(row + 1));
  return mine.length === next.length && mine.some((number, i) => number === '0' && next[i] === '1');
}

function numbersIn(text: string): readonly string[] {
  return text.match(/\d+/g) ?? [];
}
