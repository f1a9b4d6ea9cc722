/**
 * Rows and columns: separated values, boxes, and columns aligned by blanks. Separators are counted
 * outside quotes, row by row; a row that the end of the sample cuts off does not count. Units:
 * chars.
 */
import type { Detected } from '../../model/content.ts';
import type { SampleLine, TextSample } from '../../model/text-sample.ts';

const MOST_ROWS = 60;
const LEAST_ROWS = 3;
const SAME_SHARE = 0.95;
const LIKELY_SHARE = 0.8;
const WIDEST = 200;
const BLANK = 0x20;
const QUOTE = 0x22;
const LF = 10;
const CR = 13;

interface Rows {
  readonly counts: readonly number[];
  /** Separators before a blank or at row ends, and rows that begin with a blank or separator. */
  readonly spaced: number;
  readonly trailing: number;
  readonly leading: number;
  /** Words of the longest unquoted field, on average. */
  readonly words: number;
  readonly isOneLine: boolean;
}

/** `isExpected`: a file name or media type settles doubts. */
export function separatedKind(
  sample: Pick<TextSample, 'text' | 'complete'>,
  isExpected = false,
): Detected | undefined {
  for (const separator of ['\t', ',', ';', '|']) {
    const first = sample.text.indexOf(separator);
    if (first < 0 || first > 4_000) continue;
    const rows = readRows(sample, separator);
    if (
      rows === undefined ||
      rows.isOneLine ||
      !(isTabular(rows, separator) || (isExpected && isLikely(rows)))
    )
      continue;
    return separator === '\t' ? { kind: 'tsv', detail: 'tab' } : { kind: 'csv', detail: separator };
  }
  return undefined;
}

function isLikely({ counts: [header = 0, ...rows] }: Rows): boolean {
  return (
    header > 0 &&
    rows.length > 0 &&
    rows.filter((count) => count === header).length >= rows.length * LIKELY_SHARE
  );
}

function isTabular({ counts, spaced, trailing, leading, words }: Rows, separator: string): boolean {
  const header = counts[0] ?? 0;
  const same = counts.filter((count) => count === header).length;
  if (counts.length < LEAST_ROWS || header < 1) return false;
  if (same < counts.length * SAME_SHARE && !(isShortened(counts) && words <= 2 && spaced === 0)) return false;
  if (leading > counts.length * 0.5 || trailing === counts.length) return false;
  if (separator === '\t') return true;
  // Sentences have one comma, or commas before blanks, too.
  if (header === 1 && (counts.length < 4 || same < counts.length || words > 4 || (spaced > 0 && words > 0.5)))
    return false;
  return words <= (header === 1 ? 4 : 8) && spaced <= header * counts.length * (words <= 3 ? 1 : 0.3);
}

/** Trailing empty fields may be missing: no row is longer than its header. */
function isShortened([header = 0, ...rows]: readonly number[]): boolean {
  return header >= 4 && rows.every((count) => count <= header && count >= Math.floor(header / 2));
}

/** Undefined if a quoted field never ends. */
function readRows(
  { text, complete }: Pick<TextSample, 'text' | 'complete'>,
  separator: string,
): Rows | undefined {
  const counts: number[] = [];
  let [spaced, trailing, leading, words, count, longest, fieldWords] = [0, 0, 0, 0, 0, 0, 0];
  const distinct = new Set<string>();
  let quoted = false;
  let rowStart = 0;
  const endRow = (end: number): void => {
    const row = text.slice(rowStart, end).trim();
    if (row !== '' && !row.startsWith('#')) {
      counts.push(count);
      if (distinct.size < 2) distinct.add(row);
      words += Math.max(longest, fieldWords);
      if (row.endsWith(separator) || text[end - 1] === separator) trailing++;
      if (/[\s,;|]/.test(text[rowStart] ?? '')) leading++;
    }
    [count, longest, fieldWords] = [0, 0, 0];
  };
  const separatorCode = separator.charCodeAt(0);
  let before = 0;
  // Without a header there are no columns.
  for (let at = 0; at < text.length && counts.length < MOST_ROWS && counts[0] !== 0; at++) {
    const char = text.charCodeAt(at);
    if (quoted) {
      if (char === QUOTE) quoted = false;
    } else if (char === QUOTE) quoted = at === rowStart || before === separatorCode || before === QUOTE;
    else if (char === separatorCode) {
      count++;
      if (text.charCodeAt(at + 1) === BLANK) spaced++;
      longest = Math.max(longest, fieldWords);
      fieldWords = 0;
    } else if (char === LF) {
      endRow(before === CR ? at - 1 : at);
      rowStart = at + 1;
    } else if (char === BLANK && before !== separatorCode) fieldWords++;
    before = char;
  }
  if (complete && quoted) return undefined;
  if (complete && !quoted && counts.length < MOST_ROWS) endRow(text.length);
  const isOneLine = distinct.size < 2 && counts.length >= LEAST_ROWS;
  return { counts, spaced, trailing, leading, words: words / Math.max(1, counts.length), isOneLine };
}

const BOX_ROW = /^\s{0,8}(?:[|│┃║]|[+├┌└╔╚╠┏┗┣╭╰][-=+─━═┼┬┴│|: ]{3})/;
const RULER = /^[-=+─━═┼┬┴╪╬|│: \s├┌└╔╚╠┏┗┣╭╰┐┤┘╮╯╗╝╣┓┛┫]+$/;

export function tableKind(lines: readonly SampleLine[]): Detected | undefined {
  const rows = lines.slice(0, MOST_ROWS).map((line) => line.text);
  if (rows.length < LEAST_ROWS) return undefined;
  const boxed = rows.filter((row) => BOX_ROW.test(row)).length;
  if (boxed >= rows.length * 0.7 && rows.some(isRuler)) return { kind: 'table', detail: 'box' };
  const ruled = isRuler(rows[1] ?? '') && /[-=][ +][-=]/.test(rows[1] ?? '');
  const gaps = alignedGaps(rows);
  return gaps >= 2 || (gaps === 1 && ruled) ? { kind: 'table', detail: 'aligned' } : undefined;
}

function isRuler(row: string): boolean {
  return RULER.test(row) && /[-=─━═]{2}/.test(row);
}

/** Blank columns between filled ones: n columns have n − 1 gaps. */
function alignedGaps(rows: readonly string[]): number {
  const filled = new Uint16Array(WIDEST);
  for (const row of rows) {
    const end = Math.min(WIDEST, row.length);
    for (let column = 0; column < end; column++) {
      if (row.charCodeAt(column) !== BLANK) filled[column] = (filled[column] ?? 0) + 1;
    }
  }
  const stray = rows.length < 12 ? 0 : rows.length * 0.07;
  const header = rows[0] ?? '';
  const end = Math.min(WIDEST, Math.max(...rows.map((row) => row.trimEnd().length)));
  let gaps = 0;
  let column = header.search(/\S/);
  while (column < end) {
    while (column < end && (filled[column] ?? 0) > stray) column++;
    const gapStart = column;
    while (column < end && (filled[column] ?? 0) <= stray) column++;
    if (column < end && isColumn(rows, gapStart, column)) gaps++;
  }
  return gaps;
}

/** Most rows have text before the gap and right behind it, or a right-aligned number. */
function isColumn(rows: readonly string[], gapStart: number, next: number): boolean {
  const filled = rows.filter(
    (row) => row.slice(0, gapStart).trim() !== '' && row.slice(next, next + 24).trim() !== '',
  );
  return filled.length >= rows.length * 0.7;
}
