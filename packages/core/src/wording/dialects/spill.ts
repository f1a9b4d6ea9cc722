/**
 * For agents that read files: the notice names the file with the whole output, and the last run is
 * announced. Everything else is worded as in the standard dialect.
 */
import type { Detail, Dialect, GapFacts, NoticeFacts } from '../../model/dialect.ts';
import { formatCount } from '../../text/numbers.ts';
import { markerWords, readMarkers, SPILLED, withoutAddress } from '../markers.ts';
import {
  CUT_BEFORE,
  findingsSentence,
  insideSentence,
  LOOKALIKES,
  MORE,
  shownRuns,
  spaced,
} from '../notice-lines.ts';
import { outcomeSentence } from '../outcome.ts';
import { numberIn } from '../template.ts';
import { standard } from './standard.ts';

export const spill: Dialect = {
  ...standard,
  name: 'spill',
  notice,
  marker,
  readMarkers: (text) => readMarkers([SPILLED.gap], text),
  readNotice(notice) {
    const total = TOTAL.exec(notice)?.groups?.value;
    const read = standard.readNotice(notice);
    return total === undefined ? read : { ...read, totalChars: numberIn(total) };
  },
};

const TOTAL = /Output truncated: [\d,]+ of (?<value>[\d,]+) chars hidden/;

function notice(facts: NoticeFacts, detail: Detail): string {
  if (facts.paged || facts.uncut === true || detail === 'least' || facts.notStored !== null)
    return standard.notice({ ...facts, cardSummary: null }, detail);
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const hidden = `${formatCount(facts.totalChars - facts.shown.chars)} of ${formatCount(facts.totalChars)} chars hidden`;
  const where =
    facts.savedPath === null
      ? `full output: ${facts.artifact}`
      : `full output saved to ${facts.savedPath} (${facts.artifact})`;
  const inside = insideSentence(facts.insideLines);
  // A file is named only to callers that can read files.
  const guidance =
    facts.savedPath === null || detail === 'short' ? '' : ' Use a read tool or rg to get details.';
  const lines = [
    `[${outcome}Output truncated: ${hidden}, ${where}.${guidance} Showing ${shownRuns(facts.shown)} chars below${inside === '' ? '' : `, ${inside}`}.]`,
  ];
  if (facts.nextCall !== null && detail === 'full') lines.push(`[${MORE.write({ call: facts.nextCall })}]`);
  if (facts.sourceTruncated) lines.push(`[${CUT_BEFORE.write({})}]`);
  if (facts.findings !== null) lines.push(`[${findingsSentence(facts.findings)}]`);
  if (facts.lookalikes > 0) lines.push(`[${LOOKALIKES.write({ lines: facts.lookalikes })}]`);
  return `${lines.join('\n')}\n\n`;
}

function marker(facts: GapFacts, detail: Detail): string {
  const gap = SPILLED.gap.write(markerWords(withoutAddress(facts), detail));
  const announced = `${SPILLED.announced.write(facts)}\n`;
  if (facts.position === 'all') return `${gap}\n`;
  if (facts.position === 'end') return `\n\n${gap}`;
  return facts.position === 'start' ? `${gap}\n\n${announced}` : `\n\n${gap}\n\n${announced}`;
}
