/**
 * What one line says about failure, and how it stands among its neighbours. Cleaned text in; cues, dampers and shape out. Cues are only tried where
 * one of their stems occurs.
 */
import { DAMPERS, type Damper } from './lexicon.ts';
import type { Lexicon } from './words.ts';

export interface Features {
  /** What its cues weigh, damped. */
  readonly raw: number;
  /** Bit i: cue i matched. */
  readonly cues: number;
  /** How much a line of this look takes from its neighbours. */
  readonly takes: number;
  readonly opens: boolean;
  readonly ends: boolean;
  readonly passes: boolean;
  readonly kind: 'blank' | 'inner' | 'other';
  readonly indent: number;
  /** The line without its numbers. */
  readonly template: string;
  /** A coarser likeness: which cues, and how the line begins. */
  readonly signature: string;
}

/** What cues see of a line. */
export const TESTED_CHARS = 600;
/** What a further cue adds to the strongest. */
const FURTHER_CUE = 0.25;

const PREFIX = /^\s*\[\w+\] ?/;
const FRAME =
  /^\s*(?:\[\w+\]\s+)?(?:at [\w$.<>[]|#\d+:? |from \S+:\d|File "|\.{3} \d+ more|\S+\.\w+:\d+:in |\([a-z_]+\) \S+:\d+|\d+: +0x|\s*in \S+ )/;
const CARET = /^\s*(?:\[\w+\])?\s*[|>]?\s*[\^~]+[\^~\-|\s\w]*$|^\s*\d* *\|/;
const DIFF = /^\s*(?:[+-](?:\s|[^\s-])|@@|---|\+\+\+)/;
const WORD = /[\p{L}\p{N}]/u;
/** The word stands inside a name: `error_handler.o`, `-Werror`. */
const NAME_ONLY =
  /(?:[\w/.-][\w-]*(?:error|fail|exception|fatal|panic|crash)|(?:error|fail|exception|fatal|panic|crash)\w*[/.\-_=]\w)/i;
const BARE_WORD = /(?:^|[^\w/.-])(?:error|fail\w*|exception|fatal|panic|crash\w*)(?![\w/.\-=])/i;

const BLANK: Features = {
  raw: 0,
  cues: 0,
  takes: 1,
  opens: false,
  ends: false,
  passes: false,
  kind: 'blank',
  indent: 0,
  template: '',
  signature: '',
};

/** `mask`: bit i is set where a stem of cue i occurs. */
export function featuresOf(line: string, mask: number, lexicon: Lexicon): Features {
  const text = line.slice(0, TESTED_CHARS);
  if (text.trim() === '') return BLANK;
  const { most, rest, cues, opens, ends, passes } = cuesOf(text, mask, lexicon);
  const { factor, takes } = dampersOf(text);
  const template = templateOf(text);
  return {
    raw: (most + FURTHER_CUE * rest) * factor,
    cues,
    takes,
    opens,
    ends,
    passes,
    kind: isInner(text) ? 'inner' : 'other',
    indent: indentOf(text),
    template,
    signature: `${cues} ${template.slice(0, 14)}`,
  };
}

function cuesOf(text: string, mask: number, lexicon: Lexicon) {
  let cues = 0;
  let most = 0;
  let all = 0;
  let opens = false;
  let ends = false;
  let passes = false;
  for (let left = mask | lexicon.always; left !== 0; left &= left - 1) {
    const i = 31 - Math.clz32(left & -left);
    const cue = lexicon.cues[i];
    if (cue === undefined || !cue.pattern.test(text)) continue;
    if (cue.name === 'failure word' && NAME_ONLY.test(text) && !BARE_WORD.test(text)) continue;
    cues |= 1 << i;
    all += cue.weight;
    most = Math.max(most, cue.weight);
    opens ||= cue.opens === true;
    ends ||= cue.ends === true;
    passes ||= cue.passes === true;
  }
  return { cues, most, rest: all - most, opens, ends, passes };
}

function dampersOf(text: string): Pick<Damper, 'factor' | 'takes'> {
  let factor = 1;
  let takes = 1;
  for (const damper of DAMPERS) {
    if (!damper.pattern.test(text)) continue;
    factor *= damper.factor;
    takes *= damper.takes;
  }
  return { factor, takes };
}

/** A stack frame, a caret, a line of a diff, or no words at all. */
function isInner(text: string): boolean {
  return FRAME.test(text) || CARET.test(text) || DIFF.test(text) || !WORD.test(text);
}

function templateOf(text: string): string {
  return text
    .slice(0, 400)
    .replace(/0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|\d+/g, '0')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 140);
}

function indentOf(text: string): number {
  const prefix = PREFIX.exec(text)?.[0].length ?? 0;
  let at = prefix;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at - prefix;
}
