/**
 * How a call ended, in words: `Exit code 1 after 12.3 s.`,
 * `Timed out after 30 s. Output incomplete.` Read by models and pinned by tests.
 */
import type { Detail } from '../model/dialect.ts';
import type { Outcome } from '../model/outcome.ts';
import { formatDuration } from '../text/numbers.ts';
import { integer, type Opening, optional, RECOGNISED, type Template, template, words } from './template.ts';

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

/** Empty if there is nothing to say. The least detail leaves out the time. */
export function outcomeSentence(outcome: Outcome, complete: boolean, detail: Detail = 'full'): string {
  const { exitCode = 0, signal = '' } = outcome;
  const time = detail === 'least' ? null : timeOf(outcome);
  const after = time === null ? null : formatDuration(time);
  const sentence = sentenceFor(outcome)?.write({ exitCode, signal, after }) ?? '';
  return complete ? sentence : `${sentence} ${INCOMPLETE}`.trimStart();
}

/** For a result that is shown whole: empty if it ended well or its host reports the failure. */
export function statusSentence(outcome: Outcome, complete: boolean): string {
  const { status, exitCode, signal } = outcome;
  const quiet = status === 'ok' || (status === 'error' && exitCode === undefined && signal === undefined);
  return quiet && complete ? '' : outcomeSentence(outcome, complete);
}

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

/** The limit that expired, or the duration. */
function timeOf({ status, durationMs, timeoutMs }: Outcome): number | null {
  const time = status === 'timeout' ? (timeoutMs ?? durationMs) : durationMs;
  return time !== undefined && time >= 0 && Number.isFinite(time) ? time : null;
}
