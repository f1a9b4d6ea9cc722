/**
 * The wording of the default dialect. Every string here is read by models and pinned by a test: a change is a change of the
 * interface. Header lines are in square brackets; markers are `... [X lines / Y chars omitted] ...` on a line of their own.
 */
import type { Detail, Dialect, GapFacts, HeaderFacts } from '../../model/dialect.ts';

import { bytesForPeople, count, counted } from '../../text/numbers.ts';
import {
  EXIT_CODE,
  findingsSentence,
  formattingSentence,
  insideSentence,
  outcomeSentence,
  shownRuns,
  spaced,
  statusSentence,
  thingsLeftOut,
  withheldSentence,
} from '../sentences.ts';

/** Of the 100 chars that a summary may have, as many as leave room for the call within the first 300. */
const CARD_SUMMARY_CHARS = 80;

/** The wording that is used unless another is chosen. */
export const standard: Dialect = {
  name: 'standard',
  header,
  gap,
  collapsed: ({ parts, lines, chars }) =>
    `... [${counted(parts, 'block')}: ${counted(lines, 'line')} / ${counted(chars, 'char')} omitted] ...\n`,
  label: ({ name, lines, chars }, detail) =>
    detail === 'full' ? `[${name}: ${counted(chars, 'char')}, ${counted(lines, 'line')}]\n` : `[${name}]\n`,
  status(outcome, complete) {
    const said = statusSentence(outcome, complete);
    return said === '' ? '' : `[${said}]\n`;
  },
  empty: (outcome, complete) => `${`[No output. ${outcomeSentence(outcome, complete)}`.trimEnd()}]`,
  descriptor: ({ mediaType, bytes, hash }) =>
    `[${mediaType}, ${counted(bytes, 'byte')}, sha256 ${hash.slice(0, 12)}]`,
  lookalike:
    /^(?:\[Artifact: art_|\[.*\bFormatting left out: [\d,]+ |\[.*\b[Ss]howing .*\b[\d,]+ chars\b|\.\.\. \[.* omitted.*\] \.\.\.$)/gm,
  marker:
    /^\.\.\. \[(?:[\d,]+ blocks?: )?(?:(?:Beginning|Remainder) omitted(?: from (?<from>[^\]:]+))?: )?(?<lines>[\d,]+) lines? \/ (?<chars>[\d,]+) chars?(?: omitted(?: from (?<source>[^\]]{1,200}?))?)?(?:: .*)?\] \.\.\.$/gm,
  notice: {
    total: [/(?:of |\(|\. |^\[)(?<value>[\d,]+) chars(?: \(| in all|\)|\.|, [\d,]+ lines?\.)/m],
    exitCode: EXIT_CODE,
  },
};

function header(facts: HeaderFacts, detail: Detail): string {
  if (facts.paged) return pagedHeader(facts);
  if (detail === 'least') return leastHeader(facts);
  const lines = openingLines(facts, detail);
  if (facts.notStored !== null)
    lines.push(`Full output not stored (${facts.notStored}): what is not shown cannot be fetched.`);
  if (facts.unfit !== null) lines.push(unfitLine(facts.unfit));
  if (facts.fallback !== null) lines.push(`Shown as text: ${facts.fallback}.`);
  if (facts.withheld !== undefined && facts.withheld.length > 0) lines.push(withheldSentence(facts.withheld));
  if (facts.sourceTruncated) lines.push('The output had already been cut before it was recorded.');
  if (facts.findings !== null) lines.push(findingsSentence(facts.findings));
  if (facts.elidedChars > 0 && facts.uncut !== true)
    lines.push(`Formatting left out: ${counted(facts.elidedChars, 'char')}.`);
  if (facts.lookalikes > 0)
    lines.push(`Lines below that look like this notice but came from the tool: ${count(facts.lookalikes)}.`);
  return lines.map((line) => (line.startsWith('[') ? `${line}\n` : `[${line}]\n`)).join('');
}

function openingLines(facts: HeaderFacts, detail: Detail): string[] {
  if (facts.uncut === true) return [uncutLine(facts, detail)];
  return facts.cardSummary === null
    ? noticeLines(facts, detail)
    : cardLines(facts, facts.cardSummary, detail);
}

/** Nothing was cut: the text is all there but for its formatting. */
function uncutLine(facts: HeaderFacts, detail: Detail): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const nowhere = detail === 'least' ? ' Not stored.' : '';
  const handle = facts.artifact === null ? nowhere : ` Full output: ${facts.artifact}`;
  return `${outcome}${formattingSentence(facts)}${handle}`;
}

function unfitLine({ line, chars, call }: NonNullable<HeaderFacts['unfit']>): string {
  const fetch = call === null ? '' : ` Read it: ${call}`;
  return `Line ${count(line)} is too long to be shown (${count(chars)} chars).${fetch}`;
}

function pagedHeader(facts: HeaderFacts): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const next = facts.nextCall === null ? '' : ` Next: ${facts.nextCall}`;
  return `[${outcome}Showing the first ${count(facts.shown.chars)} of ${count(facts.totalChars)} chars of what was asked for.${capitalized(insideSentence(facts.insideLines))}${next}]\n`;
}

function noticeLines(facts: HeaderFacts, detail: Detail): string[] {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  if (detail === 'short') {
    const where =
      facts.nextCall === null
        ? facts.artifact === null
          ? ''
          : ` Artifact: ${facts.artifact}`
        : ` Read more: ${facts.nextCall}`;
    const inside = capitalized(insideSentence(facts.insideLines));
    return [
      `${outcome}Showing ${count(facts.shown.chars)} of ${count(facts.totalChars)} chars.${inside}${where}`,
    ];
  }
  const handle = facts.artifact === null ? '' : ` Full output: ${facts.artifact}`;
  const lines = [`${outcome}Output truncated: showing ${shownOf(facts)}.${handle}`];
  if (facts.nextCall !== null) lines.push(`Read more: ${facts.nextCall}`);
  return lines;
}

/** The card, then how to fetch more, then what is shown: the first 300 chars already tell all that is needed to go on. */
function cardLines(facts: HeaderFacts, summary: string, detail: Detail): string[] {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const said =
    detail === 'full'
      ? summary.slice(0, CARD_SUMMARY_CHARS).toWellFormed()
      : summary.slice(0, 40).toWellFormed();
  const card =
    facts.artifact === null
      ? []
      : [`[Artifact: ${facts.artifact}] ${said} (${bytesForPeople(facts.totalBytes)})`];
  const more = facts.nextCall === null ? '' : ` Read more: ${facts.nextCall}`;
  const inside = insideSentence(facts.insideLines);
  const total = `${outcome}${count(facts.totalChars)} chars, ${counted(facts.totalLines, 'line')}.`;
  return detail === 'full'
    ? [...card, `${total}${more}`, `Showing ${shownRuns(facts.shown)} chars${following(inside)}.`]
    : [...card, `${total}${capitalized(inside)}${more}`];
}

function leastHeader(facts: HeaderFacts): string {
  if (facts.uncut === true) return `[${uncutLine(facts, 'least')}]\n`;
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete, 'least'));
  const where = facts.artifact === null ? 'Not stored.' : `Artifact: ${facts.artifact}`;
  const inside = capitalized(insideSentence(facts.insideLines));
  return facts.cardSummary === null || facts.artifact === null
    ? `[${outcome}${count(facts.totalChars)} chars in all.${inside} ${where}]\n`
    : `[Artifact: ${facts.artifact}] ${outcome}(${count(facts.totalChars)} chars)${inside}\n`;
}

function shownOf(facts: HeaderFacts): string {
  const inside = following(insideSentence(facts.insideLines));
  return `${shownRuns(facts.shown)} of ${count(facts.totalChars)} chars (${counted(facts.totalLines, 'line')}${inside})`;
}

/** What goes on a sentence; nothing where there is nothing to say. */
function following(said: string): string {
  return said === '' ? '' : `, ${said}`;
}

/** The same as a sentence of its own. */
function capitalized(said: string): string {
  return said === '' ? '' : ` ${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

function gap({ position, lines, chars, from, what }: GapFacts, detail: Detail): string {
  const source = from === null || detail === 'least' ? '' : ` from ${from}`;
  const amount = `${counted(lines, 'line')} / ${counted(chars, 'char')}`;
  const things = thingsLeftOut(what, detail);
  if (position === 'start') return `... [Beginning omitted${source}: ${amount}${things}] ...\n`;
  if (position === 'end') return `\n... [Remainder omitted${source}: ${amount}${things}] ...`;
  if (position === 'all') return `... [${amount} omitted${source}${things}] ...\n`;
  return `\n... [${amount} omitted${source}${things}] ...\n`;
}
