/**
 * Whether a member of an object says that something failed: by its name (`error`, `stackTrace`), by
 * a verdict (`"status": "failed"`, `"level": "error"`), by `"success": false`, or by a count of
 * failures. Names and words are compared in any case. The bytes are known to be valid JSON.
 */
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts';

const SEED = 0x811c9dc5;
const LONGEST_NAME = 24;
const QUOTE = 0x22;
const FEW_BITS = 0xfff;

/** What a name says by itself, and what its value has to say. */
const SAYS = { nothing: 0, counting: 1, approving: 2, judging: 3, named: 4 } as const;

const NAMES = new Map([
  ...namesOf(
    SAYS.counting,
    'failed failures errored errorcount failurecount numfailedtests numfailedtestsuites',
  ),
  ...namesOf(SAYS.approving, 'success passed successful ok succeeded'),
  ...namesOf(
    SAYS.judging,
    'status state result outcome conclusion verdict level severity lvl loglevel log_level levelname action event type kind health',
  ),
  // They speak of a failure if there is something in them.
  ...namesOf(
    SAYS.named,
    'error errors err exception exceptions failure failures fault error_message errormessage failuremessage failuremessages failure_message stacktrace stack_trace traceback',
  ),
]);
/** By a few bits of a hash: whether it may be one of the names. Most names are none. */
const MAY_BE_NAME = fewBits(NAMES.keys());

const FAILING_WORDS = hashes(
  'failed failure fail error errored fatal critical crit alert emergency panic broken severe exception crashed aborted timedout timed_out timeout unhealthy',
);
/** `not_failed`, `on-error`: what they say is no failure. */
const NEGATING = hashes('no not non never without on zero if');

const MESSAGES = hashes('message msg title summary reason text');

/** `from`: where the member begins, with the quote of its key. */
export function saysFailure(bytes: Uint8Array, from: number): boolean {
  return keySaysFailure(bytes, from, stringEnd(bytes, from));
}

/** The same of a key whose end is known: just behind its closing quote. */
export function keySaysFailure(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > LONGEST_NAME + 2) return false;
  const key = hashOf(bytes, from + 1, end - 1);
  if (MAY_BE_NAME[key & FEW_BITS] === 0) return false;
  switch (NAMES.get(key)) {
    case SAYS.named:
      return isFilled(bytes, valueAt(bytes, end));
    case SAYS.judging:
      return isFailingWord(bytes, valueAt(bytes, end));
    case SAYS.approving:
      return bytes[valueAt(bytes, end)] === 0x66;
    case SAYS.counting:
      return isPositive(bytes, valueAt(bytes, end));
    default:
      return false;
  }
}

/** Whether a member that begins here is called a message or a title. */
export function isMessageKey(bytes: Uint8Array, from: number): boolean {
  const end = stringEnd(bytes, from);
  return end - from <= LONGEST_NAME + 2 && MESSAGES.has(hashOf(bytes, from + 1, end - 1));
}

/** Whether a string that begins here is a verdict, such as `"fail"` or `"payment_failed"`. */
export function isFailingWord(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== QUOTE) return false;
  const end = stringEnd(bytes, at) - 1;
  if (end - at > LONGEST_NAME + 1) return false;
  if (FAILING_WORDS.has(hashOf(bytes, at + 1, end))) return true;
  const last = lastWord(bytes, at + 1, end);
  return FAILING_WORDS.has(hashOf(bytes, last, end)) && !isNegated(bytes, at + 1, end);
}

/** Where the last of the words begins that `_`, `-` and spaces join. */
function lastWord(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && !isJoining(bytes[at - 1])) at--;
  return at;
}

function isNegated(bytes: Uint8Array, from: number, to: number): boolean {
  let end = from;
  while (end < to && !isJoining(bytes[end])) end++;
  return NEGATING.has(hashOf(bytes, from, end));
}

function isJoining(byte: number | undefined): boolean {
  return byte === 0x5f || byte === 0x2d || byte === 0x20;
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
    const byte = bytes[at] as number;
    hash = Math.imul(hash ^ (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte), 0x01000193);
  }
  return hash >>> 0;
}

function hashes(names: string): ReadonlySet<number> {
  return new Set(names.split(' ').map((name) => hashOf(Buffer.from(name, 'latin1'), 0, name.length)));
}

function namesOf(what: number, names: string): [number, number][] {
  return [...hashes(names)].map((hash) => [hash, what]);
}

function fewBits(hashes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(FEW_BITS + 1);
  for (const hash of hashes) table[hash & FEW_BITS] = 1;
  return table;
}
