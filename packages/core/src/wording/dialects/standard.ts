/**
 * The wording of the default dialect. Every string here is read by models and pinned by a test: a
 * change is a change of the interface. Notice lines are in square brackets; markers are
 * `... [X lines / Y chars omitted] ...` on a line of their own.
 */
import type { Detail, Dialect, GapFacts, NoticeFacts } from '../../model/dialect.ts';

import { formatBytes, pluralize } from '../../text/numbers.ts';
import { markerWords, OMITTED, readMarkers } from '../markers.ts';
import {
  CARD_TOTAL,
  CUT_BEFORE,
  DECODED,
  ELIDED,
  FALLBACK,
  findingsSentence,
  IN_ALL,
  insideSentence,
  LOOKALIKES,
  MORE,
  NOT_STORED,
  REDACTED,
  SHOWING,
  SHOWING_RANGE,
  SHOWING_SHORT,
  spaced,
  UNCUT,
  UNFIT,
  withheldSentence,
} from '../notice-lines.ts';
import { outcomeSentence, readExitCode, statusSentence } from '../outcome.ts';

/**
 * Of the 100 chars that a summary may have, as many as leave room for the call within the first
 * 300.
 */
const CARD_SUMMARY_CHARS = 80;
const SHORT_SUMMARY_CHARS = 40;

/** The wording that is used unless another is chosen. */
export const standard: Dialect = {
  name: 'standard',
  notice,
  marker,
  collapsed: ({ parts, lines, chars }) =>
    `${OMITTED.parts.write({ parts, lines, chars, from: null, address: null, things: '' })}\n`,
  label: ({ name, lines, chars }, detail) =>
    detail === 'full'
      ? `[${name}: ${pluralize(chars, 'char')}, ${pluralize(lines, 'line')}]\n`
      : `[${name}]\n`,
  status(outcome, complete) {
    const sentence = statusSentence(outcome, complete);
    return sentence === '' ? '' : `[${sentence}]\n`;
  },
  empty: (outcome, complete) => `${`[No output. ${outcomeSentence(outcome, complete)}`.trimEnd()}]`,
  descriptor: ({ mediaType, bytes, hash }) =>
    `[${mediaType}, ${pluralize(bytes, 'byte')}, sha256 ${hash.slice(0, 12)}]`,
  readMarkers: (text) => readMarkers(Object.values(OMITTED), text),
  readNotice: (notice) => ({ totalChars: totalIn(notice), exitCode: readExitCode(notice) }),
};

const TOTALS = [SHOWING, SHOWING_SHORT, SHOWING_RANGE, IN_ALL, CARD_TOTAL, UNCUT];

/** Lines of the tool may follow that look like ours: the first one counts. */
function totalIn(notice: string): number | null {
  const [first] = TOTALS.flatMap((sentence) => sentence.search(notice) ?? []).sort((a, b) => a.at - b.at);
  return first?.facts.total ?? null;
}

function notice(facts: NoticeFacts, detail: Detail): string {
  if (facts.paged) return pagedNotice(facts);
  if (detail === 'least') return leastNotice(facts);
  const lines = openingLines(facts, detail);
  if (facts.notStored !== null) lines.push(NOT_STORED.write({ why: facts.notStored }));
  if (facts.unfit !== null) lines.push(UNFIT.write(facts.unfit));
  if (facts.fallback !== null) lines.push(FALLBACK.write({ why: facts.fallback }));
  if (facts.withheld !== undefined && facts.withheld.length > 0) lines.push(withheldSentence(facts.withheld));
  if ((facts.encoding ?? null) !== null) lines.push(DECODED.write({ encoding: facts.encoding ?? '' }));
  if ((facts.redacted ?? 0) > 0) lines.push(REDACTED.write({ secrets: facts.redacted ?? 0 }));
  if (facts.sourceTruncated) lines.push(CUT_BEFORE.write({}));
  const statistics = statisticsLine(facts);
  if (statistics !== '') lines.push(statistics);
  if (facts.lookalikes > 0) lines.push(LOOKALIKES.write({ lines: facts.lookalikes }));
  return lines.map((line) => (line.startsWith('[') ? `${line}\n` : `[${line}]\n`)).join('');
}

/** What was found, and how much formatting is missing: facts about the text, in one line. */
function statisticsLine({ findings, elidedChars, uncut }: NoticeFacts): string {
  const found = findings === null ? '' : findingsSentence(findings);
  const elided = elidedChars > 0 && uncut !== true ? ELIDED.write({ chars: elidedChars }) : '';
  return `${found} ${elided}`.trim();
}

function openingLines(facts: NoticeFacts, detail: Detail): string[] {
  if (facts.uncut === true) return [uncutLine(facts, detail)];
  const { artifact, cardSummary } = facts;
  const card = artifact === null || cardSummary === null ? [] : [cardLine(facts, cardSummary, detail)];
  return [...card, openingLine(facts, detail)];
}

/** Nothing was cut: the text is all there but for its formatting. */
function uncutLine(facts: NoticeFacts, detail: Detail): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const formatting = UNCUT.write({ chars: facts.elidedChars, total: facts.totalChars });
  const nowhere = detail === 'least' ? ' Not stored.' : '';
  const handle = facts.artifact === null ? nowhere : ` Full output: ${facts.artifact}`;
  return `${outcome}${formatting}${handle}`;
}

function pagedNotice(facts: NoticeFacts): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const next = facts.nextCall === null ? '' : ` Next: ${facts.nextCall}`;
  const showing = SHOWING_RANGE.write({ shown: facts.shown.chars, total: facts.totalChars });
  return `[${outcome}${showing}${capitalized(insideSentence(facts.insideLines))}${next}]\n`;
}

/**
 * What is shown of how much, and the call that reads on: all that is needed to go on, in one line.
 */
function openingLine(facts: NoticeFacts, detail: Detail): string {
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const inside = insideSentence(facts.insideLines);
  const words = { shown: facts.shown.chars, total: facts.totalChars, lines: facts.totalLines };
  const showing =
    detail === 'full'
      ? SHOWING.write({ ...words, inside: following(inside) })
      : `${SHOWING_SHORT.write({ ...words, inside: '' })}${capitalized(inside)}`;
  return `${outcome}${showing}${wayOn(facts)}`;
}

/**
 * The call names the artifact; where there is none, or a card has named it, the handle need not be
 * said.
 */
function wayOn({ nextCall, artifact, cardSummary }: NoticeFacts): string {
  if (nextCall !== null) return ` ${MORE.write({ call: nextCall })}`;
  return artifact === null || cardSummary !== null ? '' : ` Artifact: ${artifact}`;
}

function cardLine(facts: NoticeFacts, summary: string, detail: Detail): string {
  const sentence = summary.slice(0, detail === 'full' ? CARD_SUMMARY_CHARS : SHORT_SUMMARY_CHARS);
  return `[Artifact: ${facts.artifact}] ${sentence.toWellFormed()} (${formatBytes(facts.totalBytes)})`;
}

function leastNotice(facts: NoticeFacts): string {
  if (facts.uncut === true) return `[${uncutLine(facts, 'least')}]\n`;
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete, 'least'));
  const where = facts.artifact === null ? 'Not stored.' : `Artifact: ${facts.artifact}`;
  const inside = capitalized(insideSentence(facts.insideLines));
  return facts.cardSummary === null || facts.artifact === null
    ? `[${outcome}${IN_ALL.write({ total: facts.totalChars })}${inside} ${where}]\n`
    : `[Artifact: ${facts.artifact}] ${outcome}${CARD_TOTAL.write({ total: facts.totalChars })}${inside}\n`;
}

function following(sentence: string): string {
  return sentence === '' ? '' : `, ${sentence}`;
}

function capitalized(sentence: string): string {
  return sentence === '' ? '' : ` ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function marker(facts: GapFacts, detail: Detail): string {
  const sentence = markerWords(facts, detail);
  if (facts.position === 'start') return `${OMITTED.start.write(sentence)}\n`;
  if (facts.position === 'end') return `\n${OMITTED.end.write(sentence)}`;
  return `${facts.position === 'all' ? '' : '\n'}${OMITTED.between.write(sentence)}\n`;
}
