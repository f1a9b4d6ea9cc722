/**
 * The wording of the default dialect. Every string here is read by models and pinned by a test: a change is a change of the
 * interface. Notice lines are in square brackets; markers are `... [X lines / Y chars omitted] ...` on a line of their own.
 */
import type { Detail, Dialect, GapFacts, NoticeFacts } from '../../model/dialect.ts';

import { formatBytes, formatCount, pluralize } from '../../text/numbers.ts';
import { markerWords, OMITTED, readMarkers } from '../markers.ts';
import {
  CUT_BEFORE,
  ELIDED,
  FALLBACK,
  findingsSentence,
  formattingSentence,
  insideSentence,
  LOOKALIKES,
  NOT_STORED,
  READ_MORE,
  shownRuns,
  spaced,
  UNFIT,
  withheldSentence,
} from '../notice-lines.ts';
import { outcomeSentence, readExitCode, statusSentence } from '../outcome.ts';
import { numberIn } from '../template.ts';

/** Of the 100 chars that a summary may have, as many as leave room for the call within the first 300. */
const CARD_SUMMARY_CHARS = 80;

/** The wording that is used unless another is chosen. */
export const standard: Dialect = {
  name: 'standard',
  notice,
  marker,
  collapsed: ({ parts, lines, chars }) =>
    `${OMITTED.parts.write({ parts, lines, chars, from: null, things: '' })}\n`,
  label: ({ name, lines, chars }, detail) =>
    detail === 'full'
      ? `[${name}: ${pluralize(chars, 'char')}, ${pluralize(lines, 'line')}]\n`
      : `[${name}]\n`,
  status(outcome, complete) {
    const said = statusSentence(outcome, complete);
    return said === '' ? '' : `[${said}]\n`;
  },
  empty: (outcome, complete) => `${`[No output. ${outcomeSentence(outcome, complete)}`.trimEnd()}]`,
  descriptor: ({ mediaType, bytes, hash }) =>
    `[${mediaType}, ${pluralize(bytes, 'byte')}, sha256 ${hash.slice(0, 12)}]`,
  readMarkers: (text) => readMarkers(Object.values(OMITTED), text),
  readNotice(notice) {
    const total = TOTAL.exec(notice)?.groups?.value;
    return {
      totalChars: total === undefined ? null : numberIn(total),
      exitCode: readExitCode(notice),
    };
  },
};

const TOTAL = /(?:of |\(|\. |^\[)(?<value>[\d,]+) chars(?: \(| in all|\)|\.|, [\d,]+ lines?\.)/m;

function notice(facts: NoticeFacts, detail: Detail): string {
  if (facts.paged) return pagedNotice(facts);
  if (detail === 'least') return leastNotice(facts);
  const lines = openingLines(facts, detail);
  if (facts.notStored !== null) lines.push(NOT_STORED.write({ why: facts.notStored }));
  if (facts.unfit !== null) lines.push(UNFIT.write(facts.unfit));
  if (facts.fallback !== null) lines.push(FALLBACK.write({ why: facts.fallback }));
  if (facts.withheld !== undefined && facts.withheld.length > 0) lines.push(withheldSentence(facts.withheld));
  if (facts.sourceTruncated) lines.push(CUT_BEFORE.write({}));
  if (facts.findings !== null) lines.push(findingsSentence(facts.findings));
  if (facts.elidedChars > 0 && facts.uncut !== true) lines.push(ELIDED.write({ chars: facts.elidedChars }));
  if (facts.lookalikes > 0) lines.push(LOOKALIKES.write({ lines: facts.lookalikes }));
  return lines.map((line) => (line.startsWith('[') ? `${line}\n` : `[${line}]\n`)).join('');
}

function openingLines(facts: NoticeFacts, detail: Detail): string[] {
  if (facts.uncut === true) return [uncutLine(facts, detail)];
  return facts.cardSummary === null
    ? noticeLines(facts, detail)
    : cardLines(facts, facts.cardSummary, detail);
}

/** Nothing was cut: the text is all there but for its formatting. */
function uncutLine(facts: NoticeFacts, detail: Detail): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const nowhere = detail === 'least' ? ' Not stored.' : '';
  const handle = facts.artifact === null ? nowhere : ` Full output: ${facts.artifact}`;
  return `${outcome}${formattingSentence(facts)}${handle}`;
}

function pagedNotice(facts: NoticeFacts): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const next = facts.nextCall === null ? '' : ` Next: ${facts.nextCall}`;
  return `[${outcome}Showing the first ${formatCount(facts.shown.chars)} of ${formatCount(facts.totalChars)} chars of what was asked for.${capitalized(insideSentence(facts.insideLines))}${next}]\n`;
}

function noticeLines(facts: NoticeFacts, detail: Detail): string[] {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  if (detail === 'short') {
    const where =
      facts.nextCall === null
        ? facts.artifact === null
          ? ''
          : ` Artifact: ${facts.artifact}`
        : ` ${READ_MORE.write({ call: facts.nextCall })}`;
    const inside = capitalized(insideSentence(facts.insideLines));
    return [
      `${outcome}Showing ${formatCount(facts.shown.chars)} of ${formatCount(facts.totalChars)} chars.${inside}${where}`,
    ];
  }
  const handle = facts.artifact === null ? '' : ` Full output: ${facts.artifact}`;
  const lines = [`${outcome}Output truncated: showing ${shownOf(facts)}.${handle}`];
  if (facts.nextCall !== null) lines.push(READ_MORE.write({ call: facts.nextCall }));
  return lines;
}

/** The card, then how to fetch more, then what is shown: the first 300 chars already tell all that is needed to go on. */
function cardLines(facts: NoticeFacts, summary: string, detail: Detail): string[] {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const said =
    detail === 'full'
      ? summary.slice(0, CARD_SUMMARY_CHARS).toWellFormed()
      : summary.slice(0, 40).toWellFormed();
  const card =
    facts.artifact === null
      ? []
      : [`[Artifact: ${facts.artifact}] ${said} (${formatBytes(facts.totalBytes)})`];
  const more = facts.nextCall === null ? '' : ` ${READ_MORE.write({ call: facts.nextCall })}`;
  const inside = insideSentence(facts.insideLines);
  const total = `${outcome}${formatCount(facts.totalChars)} chars, ${pluralize(facts.totalLines, 'line')}.`;
  return detail === 'full'
    ? [...card, `${total}${more}`, `Showing ${shownRuns(facts.shown)} chars${following(inside)}.`]
    : [...card, `${total}${capitalized(inside)}${more}`];
}

function leastNotice(facts: NoticeFacts): string {
  if (facts.uncut === true) return `[${uncutLine(facts, 'least')}]\n`;
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete, 'least'));
  const where = facts.artifact === null ? 'Not stored.' : `Artifact: ${facts.artifact}`;
  const inside = capitalized(insideSentence(facts.insideLines));
  return facts.cardSummary === null || facts.artifact === null
    ? `[${outcome}${formatCount(facts.totalChars)} chars in all.${inside} ${where}]\n`
    : `[Artifact: ${facts.artifact}] ${outcome}(${formatCount(facts.totalChars)} chars)${inside}\n`;
}

function shownOf(facts: NoticeFacts): string {
  const inside = following(insideSentence(facts.insideLines));
  return `${shownRuns(facts.shown)} of ${formatCount(facts.totalChars)} chars (${pluralize(facts.totalLines, 'line')}${inside})`;
}

/** What goes on a sentence; nothing where there is nothing to say. */
function following(said: string): string {
  return said === '' ? '' : `, ${said}`;
}

/** The same as a sentence of its own. */
function capitalized(said: string): string {
  return said === '' ? '' : ` ${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

function marker(facts: GapFacts, detail: Detail): string {
  const said = markerWords(facts, detail);
  if (facts.position === 'start') return `${OMITTED.start.write(said)}\n`;
  if (facts.position === 'end') return `\n${OMITTED.end.write(said)}`;
  return `${facts.position === 'all' ? '' : '\n'}${OMITTED.between.write(said)}\n`;
}
