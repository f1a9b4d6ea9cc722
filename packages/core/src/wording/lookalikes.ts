/**
 * Lines of a tool that look like something we write: notices, labels, markers in text, JSON and
 * XML, in any dialect, and what the history says in place of results. They are counted, so that a
 * reader can be told. Indentation, invisible characters, other forms of the same letters and
 * escapes do not hide them. Linear in the text.
 */
import type { Dialect } from '../model/dialect.ts';
import { HISTORY_LINES } from './history.ts';
import { SPILLED, TRUNCATED } from './markers.ts';
import { NOTICE_LINES } from './notice-lines.ts';
import { OUTCOMES } from './outcome.ts';
import { PAGE_LINES } from './pages.ts';
import { openingOf } from './template.ts';

/** Of a longer text only so many chars are looked at. */
const MOST_CHARS = 4_000_000;
const MOST_LINE_CHARS = 100_000;

/** Lines that begin like one of ours. */
const BEGINNINGS = anyOf([
  openingOf([...OUTCOMES, ...NOTICE_LINES], String.raw`\[`),
  openingOf(HISTORY_LINES),
  openingOf(PAGE_LINES, String.raw`\[[^\]]{1,400}: `),
  openingOf([TRUNCATED.open, SPILLED.gap, SPILLED.announced]),
  // Looser than what we write: a reader would take these for ours as well.
  /^\[[^\]]{0,400}\bshowing\b.{0,400}\bchars\b/i,
  /^\[[^\]]{0,400}\bart_\d+_[0-9a-z]{4,}/i,
  /^\[artifact: ?art_/i,
  /^\.\.\. ?\[.{0,400}\bomitted\b/i,
  /^\.\.\. ?\([\d,]+ (?:chars|characters) truncated/i,
  /^\.\.\. ?the same in [\d,]+ more lines?/i,
  // Labels of parts, and files in the place of text.
  /^\[(?:stdout|stderr|printed|value)\]\s*$/i,
  /^\[[^\]\s]{1,60}: [\d,]+ chars, [\d,]+ lines?\]/i,
  /^\[[\w.+-]{1,60}\/[\w.+-]{1,60}, [\d,]+ bytes, sha256 /i,
]);

/**
 * What can stand anywhere in a line: the markers inside JSON and XML, and the keys that are
 * reserved.
 */
const ANYWHERE = anyOf([
  /"\$(?:spillway|omitted)\w*"\s*:/i,
  /\.\.\. \[[\d,]+ (?:lines \/ [\d,]+ )?chars omitted/i,
  /\.\.\. [\d,]+ [a-z]{1,20} omitted \.\.\./i,
  /<!--\s*\[?(?:[\d,]+ [a-z]{1,20} (?:of attributes )?omitted|artifact: ?art_|.{0,400}\bshowing\b.{0,400}\bchars\b|.{0,400}\bart_\d+_[0-9a-z]{4,})/i,
]);

/**
 * The label of a part is a line of its own. Build tools put the same word before each line of a
 * message, and before its empty lines: where text follows the word elsewhere, it is no label.
 */
const ERROR_TAG = /^\[error\]\s*(\S?)/i;

/** How many lines look like ours, or like those of a dialect of somebody else. */
export function countLookalikes(text: string, dialect: Pick<Dialect, 'isLookalike'>): number {
  let found = 0;
  let labels = 0;
  let isTag = false;
  const lines = dialect.isLookalike === undefined ? suspectLines : allLines;
  for (const line of lines(text.slice(0, MOST_CHARS))) {
    const plain = undisguised(line.slice(0, MOST_LINE_CHARS));
    const tag = plain.startsWith('[') ? ERROR_TAG.exec(plain) : null;
    if (tag !== null && tag[1] !== '') isTag = true;
    else if (tag !== null) labels++;
    if (looksLikeOurs(plain) || dialect.isLookalike?.(plain) === true) found++;
  }
  return isTag ? found : found + labels;
}

function allLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).filter((line) => line !== '');
}

/**
 * The lines that may look like ours: they begin with a bracket, hold one of our signs, or are not
 * plain, so that something may be hidden in them. Nearly all lines are none of these, and are not
 * taken out of the text.
 */
function suspectLines(text: string): string[] {
  const lines: string[] = [];
  const ends = [next(text, '\n'), next(text, '\r')] as const;
  const signs = [next(text, '...'), next(text, '"$'), next(text, '<!--'), nextDisguise(text)] as const;
  for (let from = 0; from < text.length; ) {
    const end = Math.min(text.length, ends[0](from), ends[1](from));
    if (beginsWithBracket(text, from) || signs.some((at) => at(from) < end))
      lines.push(...text.slice(from, end).split(/[\u2028\u2029]/));
    from = end + 1;
  }
  return lines;
}

/** Where a sign stands next, from an offset on; offsets must not fall. */
type Next = (offset: number) => number;

function next(text: string, sign: string): Next {
  let at = -1;
  return (offset) => {
    if (at < offset) at = text.indexOf(sign, offset);
    if (at < 0) at = Number.POSITIVE_INFINITY;
    return at;
  };
}

/** Where something stands that may hide a sign. */
function nextDisguise(text: string): Next {
  const disguise = /[^\t\n\r\x20-\x7e]|\\u/g;
  let at = -1;
  return (offset) => {
    if (at >= offset) return at;
    disguise.lastIndex = offset;
    at = disguise.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    return at;
  };
}

function beginsWithBracket(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) at++;
  return text.charCodeAt(at) === 0x5b;
}

function looksLikeOurs(line: string): boolean {
  if ((line.startsWith('[') || line.startsWith('...')) && BEGINNINGS.test(line)) return true;
  if (!line.includes('...') && !line.includes('"$') && !line.includes('<!--')) return false;
  return ANYWHERE.test(line);
}

/** One pattern for all: a line is read once. */
function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}

/** The line as a reader takes it. */
function undisguised(line: string): string {
  let plain = line;
  if (/[^\t\x20-\x7e]/.test(plain)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes
    plain = plain.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
    plain = plain.normalize('NFKC').replace(/[\p{Cf}\p{Cc}\p{Mn}\u115f\u1160\u3164\uffa0]/gu, '');
  }
  if (plain.includes('\\u')) plain = plain.replace(/\\u00(2[0-9a-f]|3[0-9a-f]|[4-7][0-9a-f])/gi, fromEscape);
  return plain.trimStart().replace(/\u2026/g, '...');
}

function fromEscape(_: string, hex: string): string {
  const char = String.fromCharCode(Number.parseInt(hex, 16));
  return char === '"' || char === '\\' ? ' ' : char;
}
