/**
 * How a call ended, in words: `Exit code 1 after 12.3 s.`,
 * `Timed out after 30 s. Output incomplete.` Read by models and pinned by tests.
 */
import type { Detail } from '../model/dialect.ts';
import type { Outcome } from '../model/outcome.ts';
import { formatDuration } from '../text/numbers.ts';
import { integer, type Opening, optional, RECOGNISED, type Template, template, words } from './template.ts';

/** What can be said about an end. */
interface End {
  readonly exitCode: number;
  readonly signal: string;
  /** `12.3 s`; null where it is not known or not said. */
  readonly after: string | null;
}

const TIME = String.raw`[\d.,]+ (?:s|min|h)(?: \d+ (?:s|min))?`;
const AFTER = optional('after', template<{ after: string }>` after ${words('after', TIME)}`);

const EXIT_CODE = template<End>`Exit code ${integer('exitCode')}${RECOGNISED}${AFTER}.`;
const KILLED = template<End>`Killed by ${words('signal', String.raw`\w+`)}${RECOGNISED}${AFTER}.`;
const TIMED_OUT = template<End>`Timed out${AFTER}.`;
const CANCELLED = template<End>`Cancelled${AFTER}.`;
const CRASHED = template<End>`Crashed${AFTER}.`;
const FAILED = template<End>`Failed${AFTER}.`;
const INCOMPLETE = 'Output incomplete.';

/** The sentences that a notice or a status line can begin with. */
export const OUTCOMES: readonly Opening[] = [
  EXIT_CODE,
  KILLED,
  TIMED_OUT,
  CANCELLED,
  CRASHED,
  FAILED,
  template<never>`Output incomplete`,
];

/** Empty when there is nothing to say. With the least detail the time is left out. */
export function outcomeSentence(outcome: Outcome, complete: boolean, detail: Detail = 'full'): string {
  const { exitCode = 0, signal = '' } = outcome;
  const time = detail === 'least' ? null : timeOf(outcome);
  const after = time === null ? null : formatDuration(time);
  const sentence = sentenceFor(outcome)?.write({ exitCode, signal, after }) ?? '';
  return complete ? sentence : `${sentence} ${INCOMPLETE}`.trimStart();
}

/**
 * The same for a result that is shown whole: empty if it ended well, or if its host says that it
 * failed.
 */
export function statusSentence(outcome: Outcome, complete: boolean): string {
  const { status, exitCode, signal } = outcome;
  const quiet = status === 'ok' || (status === 'error' && exitCode === undefined && signal === undefined);
  return quiet && complete ? '' : outcomeSentence(outcome, complete);
}

/** The exit code that a notice names. */
export function readExitCode(notice: string): number | null {
  return EXIT_CODE.search(notice)?.facts.exitCode ?? null;
}

function sentenceFor({ status, exitCode, signal }: Outcome): Template<End> | null {
  if (status === 'timeout') return TIMED_OUT;
  if (status === 'cancelled') return CANCELLED;
  if (signal !== undefined) return KILLED;
  if (status === 'crashed') return CRASHED;
  if (exitCode !== undefined) return EXIT_CODE;
  return status === 'error' ? FAILED : null;
}

/** The limit that was up, or the time that it took; null where neither is known. */
function timeOf({ status, durationMs, timeoutMs }: Outcome): number | null {
  const time = status === 'timeout' ? (timeoutMs ?? durationMs) : durationMs;
  return time !== undefined && time >= 0 && Number.isFinite(time) ? time : null;
}
