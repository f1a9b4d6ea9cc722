/**
 * The sentences of a notice that all dialects share. Read by models, pinned by tests. Each template
 * also tells how a line of a tool looks that could be taken for this sentence.
 */
import type { InsideLine, ShownFacts, WithheldPart } from '../model/dialect.ts';
import type { Findings, Tally } from '../model/strategy.ts';
import { formatCount, pluralize } from '../text/numbers.ts';
import { amount, number, type Opening, optional, RECOGNISED, template, unread } from './template.ts';

const ANY = '.{0,2000}';
const READ_IT = optional('call', template<{ call: string }>` Read it: ${unread('call', ANY)}`);

export const MORE = template<{ call: string }>`More: ${RECOGNISED}${unread('call', ANY)}`;
export const SHOWING = template<ShowingWords>`Showing ${number('shown')} of ${number('total')} chars (${amount('lines', 'line')}${unread('inside', '(?:, cut inside .{0,400}?)?')}).`;
export const SHOWING_SHORT = template<ShowingWords>`Showing ${number('shown')} of ${number('total')} chars.`;
export const SHOWING_RANGE = template<
  Pick<ShowingWords, 'shown' | 'total'>
>`Showing the first ${number('shown')} of ${number('total')} chars of what was asked for.`;
export const IN_ALL = template<{ total: number }>`${number('total')} chars in all.`;
export const CARD_TOTAL = template<{ total: number }>`(${number('total')} chars)`;
export const NOT_STORED = template<{
  why: string;
}>`Full output not stored (${unread('why', ANY)}): what is not shown cannot be fetched.`;
export const UNFIT = template<UnfitWords>`Line ${number('line')} is too long${RECOGNISED} to be shown (${number('chars')} chars).${READ_IT}`;
export const FALLBACK = template<{ why: string }>`Shown as text: ${RECOGNISED}${unread('why', ANY)}.`;
export const DECODED = template<{
  encoding: string;
}>`Decoded from ${RECOGNISED}${unread('encoding', '[a-z0-9, -]{1,60}')}.`;
export const REDACTED = template<{
  secrets: number;
}>`Redacted: ${amount('secrets', 'secret')}${RECOGNISED}. Do not write this text back to a file.`;
export const CUT_BEFORE = template<unknown>`The output had already been cut${RECOGNISED} before it was recorded.`;
export const ELIDED = template<{
  chars: number;
}>`Formatting left out: ${RECOGNISED}${amount('chars', 'char')}.`;
export const LOOKALIKES = template<{
  lines: number;
}>`Lines below that look like${RECOGNISED} this notice but came from the tool: ${number('lines')}.`;
export const UNCUT = template<{
  chars: number;
  total: number;
}>`Formatting left out: ${RECOGNISED}${number('chars')} of ${number('total')} chars. Everything else is shown.`;
const WITHHELD = template<{
  parts: string;
}>`Not shown, as it is binary${RECOGNISED}: ${unread('parts', ANY)}.`;
const KINDS = optional('kinds', template<{ kinds: number }>`, ${amount('kinds', 'kind')}`);
const SOME_SHOWN = template<TallyWords>`${number('shown')} of ${RECOGNISED}${number('lines')} shown${KINDS}.`;
const FOUND = template<TallyWords>`${number('lines')}${KINDS}.`;
const SECTIONS = template<{ sections: number }>`Sections: ${number('sections')}.`;

/** The sentences that a line of a notice can begin with. */
export const NOTICE_LINES: readonly Opening[] = [
  MORE,
  IN_ALL,
  UNFIT,
  FALLBACK,
  DECODED,
  REDACTED,
  CUT_BEFORE,
  ELIDED,
  LOOKALIKES,
  WITHHELD,
  ...['Error lines: ', 'Warning lines: ', 'Errors: ', 'Warnings: '].flatMap((name) =>
    [SOME_SHOWN, FOUND].map(({ opening }) => ({ opening: name + opening })),
  ),
  SECTIONS,
  template`Read more:`,
  template`Output truncated`,
  template`Full output`,
  template`Next: `,
  template`Read it:`,
  template`No output.`,
];

interface ShowingWords {
  readonly shown: number;
  readonly total: number;
  readonly lines: number;
  /** `, cut inside line 3`; empty if no line is. */
  readonly inside: string;
}

/** `kinds` is left out where no two lines are of one kind. */
interface TallyWords extends Pick<Tally, 'shown' | 'lines'> {
  readonly kinds: number | null;
}

interface UnfitWords {
  readonly line: number;
  readonly chars: number;
  readonly call: string | null;
}

/** `first 10 and last 20`, `last 20`, `30`. */
export function shownRuns({ chars, ends }: ShownFacts): string {
  if (ends === null || (ends.first === 0 && ends.last === 0)) return formatCount(chars);
  if (ends.first === 0) return `last ${formatCount(ends.last)}`;
  return ends.last === 0
    ? `first ${formatCount(ends.first)}`
    : `first ${formatCount(ends.first)} and last ${formatCount(ends.last)}`;
}

/**
 * `Error lines: 9 of 143 shown, 12 kinds. Warning lines: 3, 2 kinds. Sections: 7.`, of a document
 * `Errors: 3 of 41 shown.` Where everything that was found is shown, it only says how much was found: a
 * gap may hold an error that was not recognised.
 * Kinds are counted where there are fewer of them than lines.
 */
export function findingsSentence({ areRecords, errors, warnings, sections }: Findings): string {
  const things = areRecords === true ? 's' : ' lines';
  return [
    ...(errors.lines === 0 ? [] : [`Error${things}: ${tallied(errors)}`]),
    ...(warnings.lines === 0 ? [] : [`Warning${things}: ${tallied(warnings)}`]),
    ...(sections === 0 ? [] : [SECTIONS.write({ sections })]),
  ].join(' ');
}

function tallied({ shown, lines, kinds }: Tally): string {
  const words = { shown, lines, kinds: kinds < lines ? kinds : null };
  return (shown < lines ? SOME_SHOWN : FOUND).write(words);
}

/**
 * `Not shown, as it is binary: PNG image, 30,000 bytes.`, `…: stdout (gzip archive, 30,000 bytes).`
 */
export function withheldSentence(parts: readonly WithheldPart[]): string {
  const listed = parts.map(({ name, what, bytes }) => {
    const facts = `${what}, ${pluralize(bytes, 'byte')}`;
    return name === null ? facts : `${name} (${facts})`;
  });
  return WITHHELD.write({ parts: listed.join(', ') });
}

/**
 * `cut inside line 3`, `cut inside lines 3 and 170 of stdout`, `cut inside 5 lines, first line 3`;
 * empty if none is.
 */
export function insideSentence(lines: readonly InsideLine[]): string {
  const [first, second] = lines;
  if (first === undefined) return '';
  const of = ({ from }: InsideLine) => (from === null ? '' : ` of ${from}`);
  const named = (inside: InsideLine) => `${formatCount(inside.line)}${of(inside)}`;
  if (second === undefined) return `cut inside line ${named(first)}`;
  if (lines.length > 2) return `cut inside ${formatCount(lines.length)} lines, first line ${named(first)}`;
  const both = first.from === second.from ? formatCount(first.line) : named(first);
  return `cut inside lines ${both} and ${named(second)}`;
}

export function spaced(sentence: string): string {
  return sentence === '' ? '' : `${sentence} `;
}
