/**
 * Whether a member of an object says that something failed: by its name (`error`, `stackTrace`), by
 * a verdict (`"status": "failed"`, `"level": "error"`), by `"success": false`, or by a count of
 * failures. Names and words are compared in any case. The bytes are known to be valid JSON.
 */
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts';

const SEED = 0x811c9dc5;
const LONGEST_NAME = 24;
const QUOTE = 0x22;

/** They speak of a failure if there is something in them. */
const NAMED = hashes(
  'error errors err exception exceptions failure failures fault error_message errormessage failuremessage failuremessages failure_message stacktrace stack_trace traceback',
);
const JUDGING = hashes(
  'status state result outcome conclusion verdict level severity lvl loglevel log_level levelname action event type kind health',
);
const FAILING_WORDS = hashes(
  'failed failure fail error errored fatal critical crit alert emergency panic broken severe exception crashed aborted timedout timed_out timeout unhealthy',
);
/** `not_failed`, `on-error`: what they say is no failure. */
const NEGATING = hashes('no not non never without on zero if');
/** `_`, `-` and a space. */
const JOINING = [0x5f, 0x2d, 0x20];
const APPROVING = hashes('success passed successful ok succeeded');
const COUNTING = hashes('failed failures errored errorcount failurecount numfailedtests numfailedtestsuites');

const MESSAGES = hashes('message msg title summary reason text');

/** `from`: where the member begins, with the quote of its key. */
export function saysFailure(bytes: Uint8Array, from: number): boolean {
  const end = stringEnd(bytes, from);
  if (end - from > LONGEST_NAME + 2) return false;
  const key = hashOf(bytes, from + 1, end - 1);
  if (NAMED.has(key)) return isFilled(bytes, valueAt(bytes, end));
  if (JUDGING.has(key)) return isFailingWord(bytes, valueAt(bytes, end));
  if (APPROVING.has(key)) return bytes[valueAt(bytes, end)] === 0x66;
  return COUNTING.has(key) && isPositive(bytes, valueAt(bytes, end));
}

/** Whether a member that begins here is called a message or a title. */
export function isMessageKey(bytes: Uint8Array, from: number): boolean {
  const end = stringEnd(bytes, from);
  return end - from <= LONGEST_NAME + 2 && MESSAGES.has(hashOf(bytes, from + 1, end - 1));
}

/** Whether a string that begins here is a verdict, such as `"fail"`. */
export function isFailingWord(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== QUOTE) return false;
  const end = stringEnd(bytes, at) - 1;
  if (end - at > LONGEST_NAME + 1) return false;
  const words = wordsIn(bytes, at + 1, end);
  return (
    FAILING_WORDS.has(hashOf(bytes, at + 1, end)) ||
    (!NEGATING.has(words.first) && FAILING_WORDS.has(words.last))
  );
}

/** The first and the last word of a name, such as `payment_failed`; the same one if it has but one. */
function wordsIn(bytes: Uint8Array, from: number, to: number): { first: number; last: number } {
  let first = to;
  let last = from;
  for (let at = from; at < to; at++) {
    if (!JOINING.includes(bytes[at] as number)) continue;
    first = Math.min(first, at);
    last = at + 1;
  }
  return { first: hashOf(bytes, from, first), last: hashOf(bytes, last, to) };
}

/** Behind the key that ends here, and its colon. */
function valueAt(bytes: Uint8Array, keyEnd: number): number {
  return skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
}

/** A text, `true`, or a container that is not empty; a number says nothing. */
function isFilled(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  if (byte === QUOTE) return stringEnd(bytes, at) - at > 2;
  if (byte !== 0x7b && byte !== 0x5b) return byte === 0x74;
  const next = bytes[skipSpace(bytes, at + 1)];
  return next !== 0x7d && next !== 0x5d;
}

function isPositive(bytes: Uint8Array, at: number): boolean {
  const end = scalarEnd(bytes, at);
  return (bytes[at] ?? 0) >= 0x31 && (bytes[at] ?? 0) <= 0x39 && end > at;
}

/** Letters count in lower case. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = SEED;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    hash = Math.imul(hash ^ (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte), 0x01000193);
  }
  return hash >>> 0;
}

function hashes(names: string): ReadonlySet<number> {
  return new Set(names.split(' ').map((name) => hashOf(Buffer.from(name, 'latin1'), 0, name.length)));
}
