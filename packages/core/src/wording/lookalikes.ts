/**
 * Lines of a tool that look like something we write: notices, labels, markers in text, JSON and
 * XML, in any dialect, and what the history says in place of results. They are counted, so that a
 * reader can be told. Indentation, quotation and emphasis (`> [`, `**[`), invisible characters,
 * other forms of the same letters and escapes do not hide them. Linear in the text.
 */
import type { Dialect } from '../model/dialect.ts';
import { compiled } from '../text/compiled.ts';
import { lazy } from '../text/memo.ts';
import { HISTORY_LINES } from './history.ts';
import { SPILLED, TRUNCATED } from './markers.ts';
import { NOTICE_LINES } from './notice-lines.ts';
import { OUTCOMES } from './outcome.ts';
import { PAGE_LINES } from './pages.ts';
import { openingOf } from './template.ts';

/** At most this many chars of a text are checked. */
const MOST_CHARS = 4_000_000;
const MOST_LINE_CHARS = 100_000;
/** What Markdown puts before a line or a word to quote, list or stress it, and blanks. */
const DECORATED = /^[\s>*_~#`|+-]+/;
/**
 * Lines worth checking: they begin with a bracket, hold one of our signs, or have characters that
 * may hide one. Nearly all lines are skipped.
 */
const SUSPECT = /^[ \t>*_~#`|+-]*\[|\.\.\.|"\$|<!--|\\u|[^\t\x20-\x7e]/;

const beginnings = anyOf(() => [
  openingOf([...OUTCOMES, ...NOTICE_LINES], String.raw`\[`),
  openingOf(HISTORY_LINES),
  openingOf(PAGE_LINES, String.raw`\[[^\]]{1,400}: `),
  openingOf([TRUNCATED.open, SPILLED.gap, SPILLED.announced]),
  // Looser than our own wording: a reader would take these for ours, too.
  /^\[[^\]]{0,400}\bshowing\b.{0,400}\bchars\b/i,
  /^\[[^\]]{0,400}\bart_\d+_[0-9a-z]{4,}/i,
  /^\[artifact: ?art_/i,
  /^\.\.\. ?\[.{0,400}\bomitted\b/i,
  /^\.\.\. ?\([\d,]+ (?:chars|characters) truncated/i,
  /^\.\.\. ?the same in [\d,]+ more lines?/i,
  /^\[(?:stdout|stderr|printed|value)\][\s*_~`]*$/i,
  /^\[[^\]\s]{1,60}: [\d,]+ chars, [\d,]+ lines?\]/i,
  /^\[[\w.+-]{1,60}\/[\w.+-]{1,60}, [\d,]+ bytes, sha256 /i,
]);

/**
 * What can stand anywhere in a line: the markers inside JSON and XML, and the keys that are
 * reserved.
 */
const anywhere = anyOf(() => [
  /"\$(?:spillway|omitted)\w*"\s*:/i,
  /\.\.\. \[[\d,]+ (?:lines \/ [\d,]+ )?chars omitted/i,
  /\.\.\. [\d,]+ [a-z]{1,20} omitted \.\.\./i,
  /<!--\s*\[?(?:[\d,]+ [a-z]{1,20} (?:of attributes )?omitted|artifact: ?art_|.{0,400}\bshowing\b.{0,400}\bchars\b|.{0,400}\bart_\d+_[0-9a-z]{4,})/i,
]);

/**
 * A label is a line of its own. Build tools print the same word as a tag before lines of a message:
 * if text follows it elsewhere, it is not a label.
 */
const ERROR_TAG = /^\[error\]\s*(\S?)/i;

export function countLookalikes(text: string, dialect: Pick<Dialect, 'isLookalike'>): number {
  const own = dialect.isLookalike !== undefined;
  let ours = 0;
  let labels = 0;
  let hasTag = false;
  for (const line of text.slice(0, MOST_CHARS).split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (line === '' || !(own || SUSPECT.test(line))) continue;
    const plain = undisguised(line.slice(0, MOST_LINE_CHARS));
    const tag = plain.startsWith('[') ? ERROR_TAG.exec(plain) : null;
    if (tag !== null && tag[1] !== '') hasTag = true;
    else if (tag !== null) labels++;
    if (looksLikeOurs(plain) || dialect.isLookalike?.(plain) === true) ours++;
  }
  return hasTag ? ours : ours + labels;
}

function looksLikeOurs(line: string): boolean {
  if ((line.startsWith('[') || line.startsWith('...')) && beginnings().test(line)) return true;
  if (!line.includes('...') && !line.includes('"$') && !line.includes('<!--')) return false;
  return anywhere().test(line);
}

/** One pattern for all, compiled for the first line that needs it. */
function anyOf(patterns: () => readonly RegExp[]): () => RegExp {
  const sources = () => patterns().map(({ source }) => source);
  return lazy(() => compiled(new RegExp(sources().join('|'), 'i')));
}

function undisguised(line: string): string {
  let plain = line;
  if (/[^\t\x20-\x7e]/.test(plain)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes
    plain = plain.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
    plain = plain.normalize('NFKC').replace(/[\p{Cf}\p{Cc}\p{Mn}\u115f\u1160\u3164\uffa0]/gu, '');
  }
  if (plain.includes('\\u')) plain = plain.replace(/\\u00(2[0-9a-f]|3[0-9a-f]|[4-7][0-9a-f])/gi, fromEscape);
  return plain.replace(DECORATED, '').replace(/\u2026/g, '...');
}

function fromEscape(_: string, hex: string): string {
  const char = String.fromCharCode(Number.parseInt(hex, 16));
  return char === '"' || char === '\\' ? ' ' : char;
}
