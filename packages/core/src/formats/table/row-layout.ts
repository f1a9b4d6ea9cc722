/**
 * How a table is written, told from its first lines: what separates its fields, whether a quoted field may hold line ends, and how many rows make
 * the header. Only what is needed to count rows.
 */
import { decode } from '../../text/utf8.ts';

export interface RowLayout {
  /** The byte between two fields; null where columns are aligned or ruled. A quote behind it opens a quoted field. */
  readonly separator: number | null;
  /** Rows up to the first row of data. */
  readonly headerRows: number;
  /** Whether lines that only draw are no rows. */
  readonly ruled: boolean;
}

const SEPARATORS = ['\t', ',', ';', '|'];
const BARS = /[|│┃║]/;
const LOOKED_AT = 8;

/** Null: this is no table. `first` are the first bytes, or all. */
export function rowLayout(first: Uint8Array): RowLayout | null {
  const text = decode(first).replace(/^\uFEFF/, '');
  const lines = text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, LOOKED_AT);
  const [header = ''] = lines;
  if (header === '' || first.includes(0) || /^\s*[[{<]/.test(text)) return null;
  const rule = lines.findIndex((line, i) => i > 0 && i < 5 && isRule(line));
  const barred = lines.filter((line) => BARS.test(line) || isRule(line)).length;
  if (rule > 0 && barred * 2 > lines.length) {
    // A frame above the header is a rule too.
    const drawn = lines.slice(0, rule).filter(isRule).length;
    return { separator: null, headerRows: rule - drawn, ruled: true };
  }
  const separator = separatorOf(header);
  if (separator !== null) return { separator: separator.charCodeAt(0), headerRows: 1, ruled: false };
  const underlined = isRule(lines[1] ?? '');
  const columns = lines.filter((line) => /\S(?:\s{2,}|\t)\S/.test(line)).length;
  return columns * 2 > lines.length ? { separator: null, headerRows: 1, ruled: underlined } : null;
}

/** A line that only draws: `|---|:--|`, `-----+----`, `├────┼───┤`. */
function isRule(line: string): boolean {
  return /[-=]{2}|[─━═]/.test(line) && /^[-=+:|\s\u2500-\u257f]+$/.test(line);
}

/** The one that divides the header most often, outside quotes. */
function separatorOf(header: string): string | null {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '""');
  const often = (separator: string) => bare.split(separator).length;
  const best = SEPARATORS.reduce((one, other) => (often(other) > often(one) ? other : one));
  return often(best) > 1 ? best : null;
}
