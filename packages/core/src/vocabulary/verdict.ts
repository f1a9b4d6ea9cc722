/**
 * What one line says about failure, and how it stands among its neighbours: its text in, a verdict
 * out. A cue is only tried where one of its stems occurs.
 */
import { ERROR_LABEL, STACK_FRAME, type Test, WARNING_LABEL } from './cues.ts';
import { CueFlag, type Vocabulary } from './vocabulary.ts';

export interface Verdict {
  /** Weight of its cues, damped. */
  readonly weight: number;
  /** How much it takes of what its neighbours pass on. */
  readonly contextFactor: number;
  /** Bits of `CueFlag` and `Look`. */
  readonly flags: number;
  readonly cues: readonly number[];
}

/** How a line looks, as bits beside those of `CueFlag`. */
export const Look = {
  /** A stack frame, a caret, a line of a diff, or no words at all. */
  inner: 256,
  /** Labelled a warning, however much it weighs. */
  warns: 512,
  /** A place in a source and nothing else. */
  bareLocation: 1_024,
} as const;

/** From this weight on a line surely reports a failure. */
export const STRONG = 4;
/** The minimum weight of a line whose form surely reports a failure. */
export const SURE_WEIGHT = 6;
const FURTHER_CUE = 0.25;

/** From the first sign on, as all that are sticky. */
const CARET = /(?:\[\w+\]\s*)?(?:[|>]\s*)?[\^~][\^~\-|\s\w]*$|\d* *\|/y;
const BEFORE_CARET = '[|>^~0123456789';
const DIFF = /(?:[+-](?:\s|[^\s-])|@@|---|\+\+\+)/y;
const BEFORE_DIFF = '+-@';
const BEFORE_FRAME = '[a#fF.(0123456789i';
const DIGIT = /\d/;
const BARE_LOCATION = /^\s*[\w@.~+/\\-]+\.\w{1,8}(?::\d+){1,2}:?\s*$/;
/** The word stands inside a name: `error_handler.o`, `-Werror`. */
const NAME_ONLY =
  /(?:[\w/.-](?:error|fail|exception|fatal|panic|crash)|(?:error|fail|exception|fatal|panic|crash)\w{0,60}[/.\-_=]\w)/i;
const BARE_WORD = /(?:^|[^\w/.-])(?:error|fail\w*|exception|fatal|panic|crash\w*)(?![\w/.\-=])/i;
const FAILURE_WORD = 'failure word';

/** `stems`: the row's words, from `at`. `asks`: `all`, or only `look`, which is cheaper. */
export function verdictOf(
  text: string,
  vocabulary: Vocabulary,
  stems: Uint32Array,
  at: number,
  hasWord: boolean,
  asks: 'all' | 'look' = 'all',
): Verdict {
  const { cues: known, dampers } = vocabulary;
  const cues: number[] = [];
  let most = 0;
  let sum = 0;
  let flags = 0;
  let factor = 1;
  let contextFactor = 1;
  for (const bit of asks === 'all' ? possibleCues(text, vocabulary, stems, at) : []) {
    const cue = known[bit];
    if (cue === undefined || !isAny(cue.tests(), text)) continue;
    if (cue.name === FAILURE_WORD && !BARE_WORD.test(text) && NAME_ONLY.test(text)) continue;
    cues.push(bit);
    flags |= cue.flags;
    sum += cue.weight;
    if (cue.weight > most) most = cue.weight;
  }
  for (const damper of dampers) {
    // Without cues there is nothing to damp.
    if (asks === 'look' && damper.contextFactor === 1) continue;
    if (damper.bit >= 0 && ((stems[at + (damper.bit >> 5)] as number) & (1 << (damper.bit & 31))) === 0)
      continue;
    if (!damper.pattern().test(text)) continue;
    factor *= damper.factor;
    contextFactor *= damper.contextFactor;
  }
  if (isInner(text, hasWord)) flags |= Look.inner;
  if (mayEndInLocation(text) && BARE_LOCATION.test(text)) flags |= Look.bareLocation;
  if ((flags & CueFlag.warning) !== 0 && (flags & CueFlag.surely) === 0 && isLabelledWarning(text))
    flags |= Look.warns;
  const weight = cues.length === 0 ? 0 : (most + FURTHER_CUE * (sum - most)) * factor;
  return { weight, contextFactor, flags, cues };
}

/** The cues of which a stem occurs in a line, and those without stems. */
function possibleCues(
  text: string,
  { cues, cueBits, always }: Vocabulary,
  stems: Uint32Array,
  at: number,
): number[] {
  const bits: number[] = [];
  for (let word = 0; word < cueBits.length; word++)
    for (let left = (stems[at + word] as number) & (cueBits[word] as number); left !== 0; left &= left - 1)
      bits.push(word * 32 + 31 - Math.clz32(left & -left));
  for (const bit of always) if (cues[bit]?.needsDigit !== true || DIGIT.test(text)) bits.push(bit);
  return bits;
}

function isAny(tests: readonly Test[], text: string): boolean {
  for (const test of tests) if (test.test(text)) return true;
  return false;
}

/** Warnings by label are not errors. */
export function isError(weight: number, flags: number): boolean {
  return weight >= STRONG && (flags & Look.warns) === 0;
}

export function isWarning(weight: number, flags: number): boolean {
  if ((flags & Look.warns) !== 0) return true;
  return weight < STRONG && weight > 0.5 && (flags & CueFlag.warning) !== 0;
}

function isLabelledWarning(text: string): boolean {
  const label = WARNING_LABEL.exec(text);
  return label !== null && !ERROR_LABEL.test(text.slice(0, label.index));
}

/** A row number is the last thing in it, or a colon. */
function mayEndInLocation(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0x30 && last <= 0x3a;
}

function isInner(text: string, hasWord: boolean): boolean {
  if (!hasWord) return true;
  const first = text.length - text.trimStart().length;
  const sign = text[first] ?? ' ';
  return (
    (BEFORE_CARET.includes(sign) && isAt(CARET, text, first)) ||
    (BEFORE_DIFF.includes(sign) && isAt(DIFF, text, first)) ||
    ((BEFORE_FRAME.includes(sign) || text.includes(':in ')) && isAt(STACK_FRAME, text, first))
  );
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
