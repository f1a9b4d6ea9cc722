/**
 * The wording of a tool runner that spills to files: the header names the file with the whole output, and the last run is announced.
 * For agents that read files. Whatever it does not say in its own way, it says as the standard dialect does.
 */
import type { Detail, Dialect, GapFacts, HeaderFacts } from '../../model/dialect.ts';
import { count, counted } from '../../text/numbers.ts';
import {
  EXIT_CODE,
  findingsSentence,
  insideSentence,
  outcomeSentence,
  shownRuns,
  spaced,
  thingsLeftOut,
} from '../sentences.ts';
import { standard } from './standard.ts';

export const spill: Dialect = {
  ...standard,
  name: 'spill',
  header,
  gap,
  lookalike:
    /^(?:\[.*Output truncated: [\d,]+ of |\.\.\. \([\d,]+ characters? truncated|\[Last [\d,]+ chars? below\])/gm,
  marker:
    /^\.\.\. \((?<chars>[\d,]+) characters? truncated(?: from (?<from>[^)]{1,200}?))?(?:: .*)?\) \.\.\.$/gm,
  notice: {
    total: [/Output truncated: [\d,]+ of (?<value>[\d,]+) chars hidden/, ...standard.notice.total],
    exitCode: EXIT_CODE,
  },
};

function header(facts: HeaderFacts, detail: Detail): string {
  if (facts.paged || facts.uncut === true || detail === 'least' || facts.notStored !== null)
    return standard.header({ ...facts, cardSummary: null }, detail);
  const outcome = spaced(outcomeSentence(facts.outcome, facts.complete));
  const hidden = `${count(facts.totalChars - facts.shown.chars)} of ${count(facts.totalChars)} chars hidden`;
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
  if (facts.nextCall !== null && detail === 'full') lines.push(`[Read more: ${facts.nextCall}]`);
  if (facts.sourceTruncated) lines.push('[The output had already been cut before it was recorded.]');
  if (facts.findings !== null) lines.push(`[${findingsSentence(facts.findings)}]`);
  if (facts.lookalikes > 0)
    lines.push(
      `[Lines below that look like this notice but came from the tool: ${count(facts.lookalikes)}.]`,
    );
  return `${lines.join('\n')}\n\n`;
}

function gap({ position, chars, from, what, following }: GapFacts, detail: Detail): string {
  const source = from === null || detail === 'least' ? '' : ` from ${from}`;
  const said = `... (${counted(chars, 'character')} truncated${source}${thingsLeftOut(what, detail)}) ...`;
  const announced = `[Last ${counted(following, 'char')} below]\n`;
  if (position === 'all') return `${said}\n`;
  if (position === 'end') return `\n\n${said}`;
  return position === 'start' ? `${said}\n\n${announced}` : `\n\n${said}\n\n${announced}`;
}
