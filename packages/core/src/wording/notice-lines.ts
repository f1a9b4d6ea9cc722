/**
 * The sentences of a notice that all dialects share. Read by models, pinned by tests. Each template
 * also tells how a line of a tool looks that could be taken for this sentence.
 */
import type { InsideLine, NoticeFacts, ShownFacts, WithheldPart } from '../model/dialect.ts';
import type { Findings, Tally } from '../model/strategy.ts';
import { formatCount, pluralize } from '../text/numbers.ts';
import { amount, number, type Opening, optional, RECOGNISED, template, unread } from './template.ts';

const ANY = '.*';
const READ_IT = optional('call', template<{ call: string }>` Read it: ${unread('call', ANY)}`);

export const READ_MORE = template<{ call: string }>`Read more: ${RECOGNISED}${unread('call', ANY)}`;
export const NOT_STORED = template<{
  why: string;
}>`Full output not stored (${unread('why', ANY)}): what is not shown cannot be fetched.`;
export const UNFIT = template<UnfitWords>`Line ${number('line')} is too long${RECOGNISED} to be shown (${number('chars')} chars).${READ_IT}`;
export const FALLBACK = template<{ why: string }>`Shown as text: ${RECOGNISED}${unread('why', ANY)}.`;
export const CUT_BEFORE = template<unknown>`The output had already been cut${RECOGNISED} before it was recorded.`;
export const ELIDED = template<{
  chars: number;
}>`Formatting left out: ${RECOGNISED}${amount('chars', 'char')}.`;
export const LOOKALIKES = template<{
  lines: number;
}>`Lines below that look like${RECOGNISED} this notice but came from the tool: ${number('lines')}.`;
const UNCUT = template<{
  chars: number;
  total: number;
}>`Formatting left out: ${RECOGNISED}${number('chars')} of ${number('total')} chars. Everything else is shown.`;
const WITHHELD = template<{
  parts: string;
}>`Not shown, as it is binary${RECOGNISED}: ${unread('parts', ANY)}.`;
const ERRORS = template<Tally>`Errors: ${number('shown')} of ${RECOGNISED}${amount('lines', 'line')} shown, ${amount('kinds', 'kind')}.`;
const WARNINGS = template<Tally>`Warnings: ${number('shown')} of ${RECOGNISED}${amount('lines', 'line')} shown, ${amount('kinds', 'kind')}.`;
const SECTIONS = template<{ sections: number }>`Sections: ${number('sections')}.`;

/** The sentences that a line of a notice can begin with. */
export const NOTICE_LINES: readonly Opening[] = [
  READ_MORE,
  UNFIT,
  FALLBACK,
  CUT_BEFORE,
  ELIDED,
  LOOKALIKES,
  WITHHELD,
  ERRORS,
  WARNINGS,
  SECTIONS,
  template`Output truncated`,
  template`Full output`,
  template`Next: `,
  template`Read it:`,
  template`No output.`,
  template<{ chars: number }>`${number('chars')} chars in all`,
  template<{ chars: number; lines: number }>`${number('chars')} chars, ${amount('lines', 'line')}.`,
];

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

/** `Errors: 9 of 143 lines shown, 12 kinds. Warnings: …. Sections: 7.` */
export function findingsSentence({ errors, warnings, sections }: Findings): string {
  return [
    ...(errors.lines === 0 ? [] : [ERRORS.write(errors)]),
    ...(warnings.lines === 0 ? [] : [WARNINGS.write(warnings)]),
    ...(sections === 0 ? [] : [SECTIONS.write({ sections })]),
  ].join(' ');
}

/** `Not shown, as it is binary: PNG image, 30,000 bytes.`, `…: stdout (gzip archive, 30,000 bytes).` */
export function withheldSentence(parts: readonly WithheldPart[]): string {
  const said = parts.map(({ name, what, bytes }) => {
    const facts = `${what}, ${pluralize(bytes, 'byte')}`;
    return name === null ? facts : `${name} (${facts})`;
  });
  return WITHHELD.write({ parts: said.join(', ') });
}

/** `cut inside line 3`, `cut inside lines 3 and 170 of stdout`, `cut inside 5 lines, first line 3`; empty if none is. */
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

/** `Formatting left out: 12 of 345 chars. Everything else is shown.` */
export function formattingSentence({ elidedChars, totalChars }: NoticeFacts): string {
  return UNCUT.write({ chars: elidedChars, total: totalChars });
}

export function spaced(sentence: string): string {
  return sentence === '' ? '' : `${sentence} `;
}
