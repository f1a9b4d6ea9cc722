/** Sentences that all dialects share: how a call ended, and which runs are shown. Read by models, pinned by tests. */
import type { Detail, HeaderFacts, InsideLine, ShownFacts, WithheldPart } from '../model/dialect.ts';
import type { Outcome } from '../model/outcome.ts';
import type { OmittedThings } from '../model/selection.ts';
import type { Findings, Tally } from '../model/strategy.ts';
import { count, counted, durationForPeople } from '../text/numbers.ts';

export const EXIT_CODE = /\bExit code (?<value>-?\d+)(?: after [\d.,]+ (?:s|min|h)(?: \d+ (?:s|min))?)?\./;

/**
 * `Exit code 1 after 12.3 s.`, `Timed out after 30 s. Output incomplete.` …; empty when there is
 * nothing to say. With the least detail the time is left out.
 */
export function outcomeSentence(outcome: Outcome, complete: boolean, detail: Detail = 'full'): string {
  const how = howItEnded(outcome);
  const after = how === '' || detail === 'least' ? null : timeOf(outcome);
  const said = after === null ? how : `${how.slice(0, -1)} after ${durationForPeople(after)}.`;
  if (complete) return said;
  return said === '' ? 'Output incomplete.' : `${said} Output incomplete.`;
}

/** The same for a result that is shown whole: empty if it ended well, or if its host says by itself that it failed. */
export function statusSentence(outcome: Outcome, complete: boolean): string {
  const { status, exitCode, signal } = outcome;
  const quiet = status === 'ok' || (status === 'error' && exitCode === undefined && signal === undefined);
  return quiet && complete ? '' : outcomeSentence(outcome, complete);
}

/** `first 10 and last 20`, `last 20`, `30`. */
export function shownRuns({ chars, ends }: ShownFacts): string {
  if (ends === null || (ends.first === 0 && ends.last === 0)) return count(chars);
  if (ends.first === 0) return `last ${count(ends.last)}`;
  return ends.last === 0
    ? `first ${count(ends.first)}`
    : `first ${count(ends.first)} and last ${count(ends.last)}`;
}

/** `: 12 hits in src/a.ts`, `: 3 files (a.ts, b.ts)`: what a marker adds to its counts; empty when there is nothing to add or no room. */
export function thingsLeftOut(what: OmittedThings | null, detail: Detail): string {
  if (what === null || detail === 'least') return '';
  const { unit, count: number, of } = what;
  if (unit === 'repeat') return `: the line above ×${count(number)}`;
  const several = unit === 'entry' ? 'entries' : `${unit}s`;
  const said = `: ${count(number)} ${number === 1 ? unit : several}`;
  if (of === undefined) return said;
  return unit === 'file' || unit === 'block' ? `${said} (${of})` : `${said} in ${of}`;
}

/** `Errors: 9 of 143 lines shown, 12 kinds. Warnings: …. Sections: 7.` */
export function findingsSentence({ errors, warnings, sections }: Findings): string {
  const said = [tally('Errors', errors), tally('Warnings', warnings)].filter((each) => each !== '');
  if (sections > 0) said.push(`Sections: ${count(sections)}.`);
  return said.join(' ');
}

function tally(name: string, { lines, kinds, shown }: Tally): string {
  if (lines === 0) return '';
  return `${name}: ${count(shown)} of ${counted(lines, 'line')} shown, ${counted(kinds, 'kind')}.`;
}

/** `Not shown, as it is binary: PNG image, 30,000 bytes.`, `…: stdout (gzip archive, 30,000 bytes).` */
export function withheldSentence(parts: readonly WithheldPart[]): string {
  const said = parts.map(({ name, what, bytes }) => {
    const facts = `${what}, ${counted(bytes, 'byte')}`;
    return name === null ? facts : `${name} (${facts})`;
  });
  return `Not shown, as it is binary: ${said.join(', ')}.`;
}

/** `cut inside line 3`, `cut inside lines 3 and 170 of stdout`, `cut inside 5 lines, first line 3`; empty if none is. */
export function insideSentence(lines: readonly InsideLine[]): string {
  const [first, second] = lines;
  if (first === undefined) return '';
  const of = ({ from }: InsideLine) => (from === null ? '' : ` of ${from}`);
  const named = (inside: InsideLine) => `${count(inside.line)}${of(inside)}`;
  if (second === undefined) return `cut inside line ${named(first)}`;
  if (lines.length > 2) return `cut inside ${count(lines.length)} lines, first line ${named(first)}`;
  const both = first.from === second.from ? count(first.line) : named(first);
  return `cut inside lines ${both} and ${named(second)}`;
}

/** `Formatting left out: 12 of 345 chars. Everything else is shown.` */
export function formattingSentence({ elidedChars, totalChars }: HeaderFacts): string {
  return `Formatting left out: ${count(elidedChars)} of ${count(totalChars)} chars. Everything else is shown.`;
}

export function spaced(sentence: string): string {
  return sentence === '' ? '' : `${sentence} `;
}

/** The time that was up, or the time that it took; null where neither is known. */
function timeOf({ status, durationMs, timeoutMs }: Outcome): number | null {
  const time = status === 'timeout' ? (timeoutMs ?? durationMs) : durationMs;
  return time !== undefined && time >= 0 && Number.isFinite(time) ? time : null;
}

function howItEnded({ status, exitCode, signal }: Outcome): string {
  if (status === 'timeout') return 'Timed out.';
  if (status === 'cancelled') return 'Cancelled.';
  if (signal !== undefined) return `Killed by ${signal}.`;
  if (status === 'crashed') return 'Crashed.';
  if (exitCode !== undefined) return `Exit code ${exitCode}.`;
  return status === 'error' ? 'Failed.' : '';
}
