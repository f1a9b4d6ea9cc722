/**
 * The sample as the rules see it: its bytes, its text, and its lines with colours, time stamps and
 * line-number gutters looked through. This view exists for detection only; nothing here changes
 * what is stored or shown. Units: bytes for `start`, chars elsewhere.
 */
import { isUtf8 } from 'node:buffer';
import { SAMPLE_BYTES } from '../model/content.ts';
import type { SampleLine, TextSample } from '../model/text-sample.ts';
import { decode, measure } from '../text/utf8.ts';

/** Longer lines are judged by their beginning. */
const LINE_CHARS = 320;
/** Enough to tell; a listing has many more. */
const MOST_LINES = 200;

export function sampleOf(given: Uint8Array, isWhole: boolean): TextSample {
  const complete = isWhole && given.length <= SAMPLE_BYTES;
  const bytes = given.subarray(0, SAMPLE_BYTES);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = decode(bytes.subarray(start));
  return { bytes, start, complete, text, lines: linesOf(text, complete), ...countNonText(bytes) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-Z]|[=>78DEHMZc])/g;

/**
 * How times begin lines, after an optional source (`web_1 | `, job and step of a CI run,
 * `kern :info : `), a priority, a name or a bracket.
 */
const STAMP_START = String.raw`^\s{0,8}(?:(?:[^\t]{1,80}\t){2}(?=\d{4}-\d\d-\d\dT)|[\w.-]{1,40}\s{0,20}\|\s|[\w./:-]{1,60} (?=\d{4}-\d\d-\d\d[ T]{1,2}\d)|[a-z]{2,10}\s{0,6}:[a-z]{2,8}\s{0,6}:\s|<\d{1,3}>(?:\d )?|- |[A-Z], )?(?:time=|ts=)?["'[(<]{0,2}`;
const STAMP_END = String.raw`(?: ?(?:Z|UTC|GMT|[AP]M|[+-]\d\d:?\d\d))?(?:["'\])>|,:;]{1,3}\s?|\s|$)`;
const CLOCK = String.raw`\d\d?:\d\d:\d\d(?:[.,:]\d{1,9})?`;
const TIMES = [
  // 2024-05-01T10:00:00Z, 2024/05/01 10:00:00,123, 01.05.2024 10:00
  String.raw`(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4}|\d{8})[T ,:-]{1,2}(?:${CLOCK}|\d\d:\d\d)`,
  // May 1 10:00:00, Wed May 1 10:00:00 2024, 01/May/2024:10:00:00, 05-01 10:00:00 and a bare
  // 10:00:00
  String.raw`(?:(?:[A-Z][a-z]{2},? )?[A-Z][a-z]{2} {1,2}\d{1,2} |\d\d/[A-Z][a-z]{2}/\d{4}:|\d\d[-./]\d\d )?${CLOCK}(?: \d{4}(?=[\])]))?`,
  // 240501 100000, 1714557600.123, I0501 10:00:00.123456, 123:456:0501/100000.123 and seconds since
  // the start or the line before: [ 12.345678], [ +0.000012]
  String.raw`\d{6} \d{6}(?= )|1\d{9}(?:\.\d{1,9})?(?= )|[IWEF]\d{4} ${CLOCK}|\d+:\d+:\d{4}/\d{6}(?:\.\d+)?|(?<=\[)<?[\s+]{0,9}\d{1,9}\.\d{6}(?: <[\s+]{0,9}\d{1,9}\.\d{1,9})?(?=>?\])|(?<=\[)[A-Z][a-z]{2}\s?\d{1,2} \d\d:\d\d(?=\])`,
];
const STAMP = new RegExp(`${STAMP_START}(?:${TIMES.join('|')})${STAMP_END}`);

function linesOf(text: string, complete: boolean): SampleLine[] {
  const isPlain = !text.includes('\x1b') && !text.includes('\r');
  const rows = text.split(isPlain ? '\n' : /\r\n|\n/);
  const last = rows.at(-1)?.length ?? 0;
  if (!complete && rows.length > 1 && last < text.length / 4) rows.pop();
  const lines: SampleLine[] = [];
  for (const row of rows) {
    if (lines.length >= MOST_LINES) break;
    if (isPlain) {
      if (!isBlank(row)) lines.push(lineOf(row, false));
      continue;
    }
    const controlled = row.includes('\x1b') || row.includes('\r');
    const plain = controlled ? row.replace(ESCAPES, '') : row;
    for (const part of plain.includes('\r') ? plain.split('\r') : [plain]) {
      if (!isBlank(part)) lines.push(lineOf(part, controlled));
    }
  }
  return withoutIndent(withoutGutter(lines));
}

function isBlank(text: string): boolean {
  const code = text.charCodeAt(indentOf(text));
  // A few blanks are beyond ASCII.
  return Number.isNaN(code) || ((code < 0x20 || code >= 0x80) && text.trim() === '');
}

/** How many spaces and tabs a line begins with. */
function indentOf(text: string): number {
  let at = 0;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) at++;
  return at;
}

function lineOf(row: string, controlled: boolean): SampleLine {
  const text = row.length > LINE_CHARS ? row.slice(0, LINE_CHARS) : row;
  const start = TIME_LIKE.test(text.slice(0, STAMPED_CHARS)) ? (STAMP.exec(text)?.[0].length ?? 0) : 0;
  return { text: start === 0 ? text : text.slice(start), stamped: start > 0, controlled };
}

/** No stamp begins behind so many chars. */
const STAMPED_CHARS = 120;
/** Cheaper than the stamp itself: most lines have none. */
const TIME_LIKE = /\d[:\d]\d/;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Blanks that all lines begin with mean nothing. */
function withoutIndent(lines: SampleLine[]): SampleLine[] {
  const indent = lines.reduce((least, { text }) => Math.min(least, spacesIn(text)), Number.POSITIVE_INFINITY);
  if (lines.length < 3 || indent <= 0) return lines;
  return lines.map((line) => ({ ...line, text: line.text.slice(indent) }));
}

function spacesIn(text: string): number {
  let at = 0;
  while (text.charCodeAt(at) === 0x20) at++;
  return at;
}

const GUTTER = /^\s{0,8}(\d{1,7})(?:\t|:\s?|\||→| {2,})/;

/**
 * Readers of files number their lines: `12: text`, ` 12\ttext`. Numbers of search hits have gaps.
 * Numbers below the header of a table are its first column.
 */
function withoutGutter(lines: SampleLine[]): SampleLine[] {
  if (lines.length < 3) return lines;
  const numbered = lines.filter(({ text }) => isDigit(text.trimStart().charCodeAt(0))).length;
  if (numbered < lines.length * 0.9) return lines;
  const found = lines.map((line) => GUTTER.exec(line.text));
  if (found.filter((match) => match !== null).length < lines.length * 0.9) return lines;
  const numbers = found.map((match) => Number(match?.[1] ?? Number.NaN));
  const following = numbers.filter((number, i) => number - (numbers[i - 1] ?? Number.NaN) === 1).length;
  if (following < (lines.length - 1) * 0.6 || isFirstColumn(lines, found)) return lines;
  return lines
    .map((line, i) => ({ ...line, text: line.text.slice(found[i]?.[0].length ?? 0) }))
    .filter((line) => line.text.trim() !== '');
}

const RULER = /^[-=─━═]{1,200}(?:[ +|]{1,4}[-=─━═]{1,200}){1,60}\s{0,200}$/;

/**
 * Whether the first line is a header: a ruler follows it, or a name in it stands where the rows go
 * on.
 */
function isFirstColumn(lines: readonly SampleLine[], found: readonly (RegExpExecArray | null)[]): boolean {
  const header = lines[0]?.text ?? '';
  if (found[0] !== null || header === '') return false;
  if (RULER.test(lines[1]?.text ?? '')) return true;
  const named = found.filter((match) => {
    const at = match?.[0].length ?? 0;
    return at > 0 && header[at - 1] === ' ' && /\S/.test(header[at] ?? '');
  });
  return named.length >= found.length * 0.8;
}

/** Tab, line ends, form feed, backspace, bell and escape are what terminals and texts have. */
function countNonText(bytes: Uint8Array): { readonly zeros: number; readonly nonText: number } {
  let zeros = 0;
  let nonText = isUtf8(bytes) ? 0 : measure(bytes).illFormed;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 32) continue;
    if (byte === 0) zeros++;
    if (byte < 7 || (byte > 13 && byte !== 27)) nonText++;
  }
  return { zeros, nonText: nonText };
}
