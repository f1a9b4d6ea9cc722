/**
 * How the rows of a table are written, told from its first lines: fields between separators (CSV,
 * TSV), cells between bars with rules (Markdown, psql, box drawing), or columns aligned by blanks.
 */
import { SAMPLE_BYTES } from '../../model/content.ts';
import { decode } from '../../text/utf8.ts';
import { separatedKind } from './recognise.ts';

export type Layout = {
  readonly headerLines: number;
  readonly hasRules: boolean;
} & (
  | { readonly kind: 'delimited'; readonly delimiter: number }
  | { readonly kind: 'ruled' }
  /** `leastBlanks`: the minimum between two columns. */
  | { readonly kind: 'aligned'; readonly leastBlanks: 1 | 2 }
);

const DELIMITERS = [',', '\t', ';', '|'] as const;
/** Lines that tell the layout. */
export const LOOKED_AT = 40;

/** A line that only divides: `|---|:--|`, `-----+----`, `├────┼───┤`. */
export const RULE = /^(?=.*[-=─━═]{2})[-=+:|\s─━═│┃║┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╕╘╛╞╡╤╧╪╟╢╥╨╫╓╖╙╜╭╮╰╯┏┓┗┛┣┫┳┻╋]+$/;

/** Of stored bytes, the first of them; `complete`: all of them. */
export function layoutOfText(first: Uint8Array, complete: boolean): Layout | null {
  const looked = first.subarray(0, SAMPLE_BYTES);
  const text = decode(looked).replace(/^\uFEFF/, '');
  if (/^\s*[[{<]/.test(text)) return null;
  const isWhole = complete && looked.length === first.length;
  const lines = text.split(/\r\n|\r|\n/, LOOKED_AT + 1);
  if (lines.length <= LOOKED_AT && !isWhole && lines.length > 1) lines.pop();
  return layoutOf(lines.slice(0, LOOKED_AT), separatedKind({ text, complete: isWhole })?.detail);
}

/** `detail`: the detected separator. Null if this is no table. */
export function layoutOf(lines: readonly string[], detail?: string): Layout | null {
  if (lines.some((line) => line.includes('\0'))) return null;
  if (detail === 'tab') return delimited('\t');
  if (detail?.length === 1) return delimited(detail);
  return ruled(lines) ?? separated(lines) ?? aligned(lines);
}

function delimited(delimiter: string): Layout {
  return { kind: 'delimited', delimiter: delimiter.charCodeAt(0), headerLines: 1, hasRules: false };
}

function ruled(lines: readonly string[]): Layout | null {
  const rules = lines.slice(0, 6).flatMap((line, i) => (RULE.test(line) ? [i] : []));
  const below = rules.find((at) => at > 0);
  if (below === undefined) return null;
  const barred = lines.filter((line) => /[|│┃║]/.test(line)).length;
  return barred * 2 > lines.length - rules.length
    ? { kind: 'ruled', headerLines: below + 1, hasRules: true }
    : null;
}

/** Divides most rows into as many fields as the first. */
function separated(lines: readonly string[]): Layout | null {
  const filled = lines.filter((line) => line.trim() !== '');
  const scores = DELIMITERS.map((delimiter) => {
    const counts = filled.map((line) => fields(line, delimiter));
    const usual = counts[0] ?? 1;
    const same = counts.filter((count) => count === usual).length;
    return { delimiter, usual, share: usual < 2 ? 0 : same / counts.length };
  });
  const best = scores.reduce((one, other) =>
    other.share > one.share + 0.1 || (other.share >= one.share && other.usual > one.usual) ? other : one,
  );
  return best.share >= 0.5 ? delimited(best.delimiter) : null;
}

function fields(line: string, delimiter: string): number {
  return line.replace(/"[^"]*"/g, '').split(delimiter).length;
}

function aligned(lines: readonly string[]): Layout | null {
  const filled = lines.filter((line) => line.trim() !== '');
  const [header = ''] = filled;
  const wide = header.trim().split(/\s{2,}/).length;
  const often = (pattern: RegExp) =>
    filled.filter((line) => pattern.test(line.trim())).length >= filled.length * 0.6;
  if (filled.length < 2) return null;
  const isUnderlined = RULE.test(lines[1] ?? '');
  const below = { headerLines: isUnderlined ? 2 : 1, hasRules: isUnderlined };
  if (wide >= 2 && often(/\S(?:\s{2,}|\t)\S/)) return { kind: 'aligned', leastBlanks: 2, ...below };
  const words = header.trim().split(/\s+/).length;
  const similar = filled.filter((line) => line.trim().split(/\s+/).length >= words).length;
  return words >= 3 && /^[A-Z%\d_\s]+$/.test(header) && similar >= filled.length * 0.8
    ? { kind: 'aligned', leastBlanks: 1, ...below }
    : null;
}
