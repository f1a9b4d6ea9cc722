/**
 * The lines under which tools put what follows: folds of CI systems, steps, stages, tasks, banners,
 * commands that are echoed, directories that are entered. Data, for a person to read and extend.
 * Each pattern is tried on a line without its time stamp, colours and label (`[INFO] `), and only
 * if the line begins with one of the pattern's first two characters: other lines cost next to
 * nothing.
 */
import { CONTINUED, type LineTable } from '../table/line-table.ts';
import { encode } from '../text/utf8.ts';
import type { Test } from './cues.ts';

interface Heading {
  readonly name: string;
  /** What such a line begins with: two characters. */
  readonly first: readonly string[];
  readonly pattern: Test;
}

const DIGITS = [...'0123456789'];
/** What rules are made of, one sign or several. */
const RULE = [...'=*~#_-━─'];

export const HEADINGS: readonly Heading[] = [
  {
    name: 'fold of a CI system',
    first: ['##', '::', 'tr', 'se', '--', '++', '~~'],
    pattern:
      /^(?:##\[(?:group|section)\]|::group::|##teamcity\[(?:blockOpened|testSuiteStarted) |travis_fold:start:|section_start:\d+:|(?:---|\+\+\+|~~~) :\w+:)\s?\S/,
  },
  { name: 'arrow', first: ['==', '--', '>>'], pattern: /^(?:={2,6}>|-{5}>|>{3}) [^\s>=]/ },
  {
    name: 'task',
    first: ['> ', 'TA', 'PL', 'RU'],
    pattern:
      /^> (?:Task :\S|Configure project |(?:@[\w.-]+\/)?[\w.-]+@\d\S* \S)|^(?:TASK|PLAY|RUNNING HANDLER) (?:\[.*\] |RECAP )\*{3,}$/,
  },
  {
    name: 'step',
    first: ['St', 'st', 'ST', 'Ph', 'ph', 'PH', ...DIGITS.map((digit) => `#${digit}`)],
    pattern:
      /^(?:[Ss]tep|STEP|[Ss]tage|STAGE|[Pp]hase|PHASE)[ :#]+(?:\d+(?:\/\d+| of \d+)?(?:\s*[:.)–-]|$)|["'(][^"')]+["')])|^#\d+ \[[^\]]{1,60}\] [A-Z]{2,}\b/,
  },
  { name: 'stage of a pipeline', first: ['{ '], pattern: /^\{ \(\S.*\)$/ },
  { name: 'banner', first: RULE.flatMap((a) => RULE.map((b) => a + b)), pattern: { test: isBanner } },
  { name: 'title', first: ['# ', '##'], pattern: /^#{1,4} \p{Lu}[\p{L}\d /&-]{2,50}$/u },
  {
    name: 'directory',
    first: ['ma', 'gm', 'mi', 'ni'],
    pattern: /^(?:(?:g|mingw32-)?make(?:\[\d+\])?|ninja): Entering directory /,
  },
  { name: 'suite', first: ['Ru', 'Do'], pattern: /^Running (?:unittests |tests\/|benches\/)|^Doc-tests \S/ },
  { name: 'command', first: ['$ '], pattern: /^\$ [\w./~"'({[]/ },
];

/** Words between two rules: `--- build ---`, `==== 3 passed ====`. */
function isBanner(text: string): boolean {
  let from = 0;
  let to = text.length;
  while (from < to && isRule(text.charCodeAt(from))) from++;
  while (to > from && isRule(text.charCodeAt(to - 1))) to--;
  return from >= SHORTEST_RULE && text.length - to >= SHORTEST_RULE && /\p{L}/u.test(text.slice(from, to));
}

const RULE_CODES = new Set(RULE.map((sign) => sign.charCodeAt(0)));
const SHORTEST_RULE = 3;

function isRule(code: number): boolean {
  return RULE_CODES.has(code);
}

/** Longer lines are no headings. */
const MOST_BYTES = 240;

/** The text of a heading; null if a row is none. */
export function headingOf(table: LineTable, row: number): string | null {
  if (((table.flags[row] as number) & CONTINUED) !== 0) return null;
  const from = textStart(table, row);
  const { bytes } = table;
  const to = table.to[row] as number;
  const found = headingsAt(pairKey(bytes[from] ?? 0, bytes[from + 1] ?? 0));
  if (found === undefined || to - from > MOST_BYTES) return null;
  const text = bytes.toString('utf8', from, to).trim();
  return found.some(({ pattern }) => pattern.test(text)) ? text : null;
}

/** Blanks that are trimmed and begin with the same byte as a rule: anything may follow them. */
const BLANKS = ['\u2000', '\u205f'];
const PAIRS = 0x1000;

/** The first two bytes of a line as a number; some pairs share one. */
function pairKey(one: number, two: number): number {
  return ((one << 5) ^ two) & (PAIRS - 1);
}

/** By the first two bytes: the headings that may begin so. Made with the first look. */
let byPair: (Heading[] | undefined)[] | undefined;

function headingsAt(beginning: number): readonly Heading[] | undefined {
  if (byPair === undefined) {
    byPair = new Array<Heading[] | undefined>(PAIRS).fill(undefined);
    for (const heading of HEADINGS)
      for (const sign of [...heading.first, ...BLANKS]) {
        const [one = 0, two = 0] = encode(sign);
        const pair = pairKey(one, two);
        byPair[pair] = [...(byPair[pair] ?? []), heading];
      }
  }
  return byPair[beginning];
}

/** Where the text of a row begins: behind a time stamp, spaces and a label in brackets. */
function textStart({ bytes, from, to, stamp }: LineTable, row: number): number {
  const end = to[row] as number;
  const at = skipBlanks(bytes, (from[row] as number) + (stamp[row] as number), end);
  if (bytes[at] !== 0x5b) return at;
  let label = at + 1;
  while (label < end && isWordByte(bytes[label])) label++;
  const isLabel = label > at + 1 && bytes[label] === 0x5d && bytes[label + 1] === 0x20;
  return isLabel ? skipBlanks(bytes, label + 2, end) : at;
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return at;
}

function isWordByte(byte = 0): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || byte === 0x2d;
}
