/**
 * What one line says about failure, and how it stands among its neighbours. Cleaned text in; cues,
 * dampers and shape out. Cues are only tried where one of their stems occurs.
 */

import { fingerprintOf } from './fingerprint.ts';
import { type Damper, ERROR_LABEL, STACK_FRAME, WARNING_LABEL } from './lexicon.ts';
import { type Guard, mayMatch } from './pattern-guards.ts';
import { type Lexicon, NO_CUE } from './words.ts';

export interface Features {
  /** What its cues weigh, damped. */
  readonly raw: number;
  /** Bit i: cue i matched. */
  readonly cues: number;
  /** How much a line of this look takes from its neighbours. */
  readonly contextFactor: number;
  readonly opens: boolean;
  readonly ends: boolean;
  readonly passes: boolean;
  /** Whether it is labelled a warning, however much it weighs. */
  readonly warns: boolean;
  readonly kind: 'blank' | 'inner' | 'other';
  readonly indent: number;
  /** The same for lines that differ in numbers only. */
  readonly template: number;
  /** A coarser fingerprint: which cues, and how the line begins. */
  readonly signature: number;
}

/** What cues see of a line. */
export const TESTED_CHARS = 600;
/** What a further cue adds to the strongest. */
const FURTHER_CUE = 0.25;

const PREFIX = /^\s*\[\w+\] ?/;
/** From the first sign on, as all that are sticky. */
const CARET = /(?:\[\w+\]\s*)?(?:[|>]\s*)?[\^~]+[\^~\-|\s\w]*$|\d* *\|/y;
const BEFORE_CARET = '[|>^~0123456789';
const DIFF = /(?:[+-](?:\s|[^\s-])|@@|---|\+\+\+)/y;
const BEFORE_DIFF = '+-@';
const SIGN = /\S/;
const WORD = /[\p{L}\p{N}]/u;
/** The word stands inside a name: `error_handler.o`, `-Werror`. */
const NAME_ONLY =
  /(?:[\w/.-][\w-]*(?:error|fail|exception|fatal|panic|crash)|(?:error|fail|exception|fatal|panic|crash)\w*[/.\-_=]\w)/i;
const BARE_WORD = /(?:^|[^\w/.-])(?:error|fail\w*|exception|fatal|panic|crash\w*)(?![\w/.\-=])/i;

const BLANK: Features = {
  raw: 0,
  cues: 0,
  contextFactor: 1,
  opens: false,
  ends: false,
  passes: false,
  warns: false,
  kind: 'blank',
  indent: 0,
  template: 0,
  signature: 0,
};

/**
 * `mask`: bit i is set where a stem of cue i occurs. `guard`: which patterns of the lexicon can
 * match.
 */
export function featuresOf(
  line: string,
  mask: number,
  lexicon: Lexicon,
  guard: Guard = lexicon.guards.any,
): Features {
  const text = line.slice(0, TESTED_CHARS);
  const first = firstSign(text);
  if (first < 0) return BLANK;
  const cues = cuesOf(text, mask, lexicon, guard);
  const { factor, contextFactor } = dampersOf(text, mask, lexicon, guard);
  const { template, signature } = fingerprintOf(text, cues);
  return {
    raw: cues === 0 ? 0 : weightOf(cues, lexicon) * factor,
    cues,
    contextFactor,
    opens: (cues & lexicon.opens) !== 0,
    ends: (cues & lexicon.ends) !== 0,
    passes: (cues & lexicon.passes) !== 0,
    warns: (cues & lexicon.warning) !== 0 && (cues & lexicon.surely) === 0 && isLabelledWarning(text),
    kind: isInner(text, first, mayMatch(guard, lexicon.frame)) ? 'inner' : 'other',
    indent: indentOf(text, first),
    template,
    signature,
  };
}

/** The bits of the cues that match. */
function cuesOf(text: string, mask: number, lexicon: Lexicon, guard: Guard): number {
  let cues = 0;
  for (let left = (mask & ~NO_CUE) | lexicon.always; left !== 0; left &= left - 1) {
    const i = 31 - Math.clz32(left & -left);
    const cue = lexicon.cues[i];
    if (cue === undefined || !isMatched(cue.tests, text, guard)) continue;
    if (cue.name === 'failure word' && !BARE_WORD.test(text) && NAME_ONLY.test(text)) continue;
    cues |= 1 << i;
  }
  return cues;
}

/** What cues weigh together: the strongest, and a part of the others. */
function weightOf(cues: number, lexicon: Lexicon): number {
  let most = 0;
  let all = 0;
  for (let left = cues; left !== 0; left &= left - 1) {
    const weight = lexicon.cues[31 - Math.clz32(left & -left)]?.weight ?? 0;
    all += weight;
    if (weight > most) most = weight;
  }
  return most + FURTHER_CUE * (all - most);
}

function dampersOf(
  text: string,
  mask: number,
  lexicon: Lexicon,
  guard: Guard,
): Pick<Damper, 'factor' | 'contextFactor'> {
  let factor = 1;
  let contextFactor = 1;
  for (const damper of lexicon.dampers) {
    // A line without cues has nothing of its own to be damped.
    if ((mask & ~NO_CUE) === 0 && damper.contextFactor === 1) continue;
    if (damper.bit !== 0 && (mask & damper.bit) === 0) continue;
    if (!mayMatch(guard, damper.number) || !damper.pattern.test(text)) continue;
    factor *= damper.factor;
    contextFactor *= damper.contextFactor;
  }
  return { factor, contextFactor };
}

function isMatched(tests: Lexicon['cues'][number]['tests'], text: string, guard: Guard): boolean {
  for (const { pattern, number } of tests) if (mayMatch(guard, number) && pattern.test(text)) return true;
  return false;
}

function isLabelledWarning(text: string): boolean {
  const label = WARNING_LABEL.exec(text);
  return label !== null && !ERROR_LABEL.test(text.slice(0, label.index));
}

/** A stack frame, a caret, a line of a diff, or no words at all. */
function isInner(text: string, first: number, mayBeFrame: boolean): boolean {
  if (mayBeFrame && isAt(STACK_FRAME, text, first)) return true;
  // The first sign tells quickly what a line is not.
  const sign = text[first] as string;
  return (
    (BEFORE_CARET.includes(sign) && isAt(CARET, text, first)) ||
    (BEFORE_DIFF.includes(sign) && isAt(DIFF, text, first)) ||
    (!isPlainWord(text.charCodeAt(first)) && !WORD.test(text))
  );
}

/** Where the first sign stands; -1 if there is none. White space beyond ASCII is rare. */
function firstSign(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return text.search(SIGN);
    if (code !== 0x20 && (code < 0x09 || code > 0x0d)) return at;
  }
  return -1;
}

/** A letter or a digit of ASCII. */
function isPlainWord(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** Whether a sticky pattern matches at a place. */
function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function indentOf(text: string, first: number): number {
  const prefix = text[first] === '[' ? (PREFIX.exec(text)?.[0].length ?? 0) : 0;
  let at = prefix;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at - prefix;
}
