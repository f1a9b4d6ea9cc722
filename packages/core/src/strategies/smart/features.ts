/**
 * What one line says about failure. Cleaned text in; cues, dampers and shape out. Lines that differ only in digits share their features, so they
 * are kept in a bounded cache.
 */
import { CUES, DAMPERS, STEMS } from './lexicon.ts';

export interface Features {
  /** Sum of what its cues weigh, damped. */
  readonly raw: number;
  /** Bit i: cue i matched. */
  readonly cues: number;
  readonly damping: number;
  readonly opens: boolean;
  readonly ends: boolean;
  readonly kind: 'blank' | 'inner' | 'other';
  readonly indent: number;
  /** The line without its numbers. */
  readonly template: string;
  /** A coarser likeness: which cues, and how the line begins. */
  readonly signature: string;
}

const TESTED_CHARS = 600;
const CACHED = 20_000;
/** What a second cue adds to the strongest. */
const SECOND_CUE = 0.25;

const PREFIX = /^\s*\[\w+\] ?/;
const FRAME =
  /^\s*(?:\[\w+\]\s+)?(?:at [\w$.<>[]|#\d+:? |from \S+:\d|File "|\.{3} \d+ more|\S+\.\w+:\d+:in |\([a-z_]+\) \S+:\d+|\d+: +0x|\s*in \S+ )/;
const CARET = /^\s*(?:\[\w+\])?\s*[|>]?\s*[\^~]+[\^~\-|\s\w]*$|^\s*\d* *\|/;
const DIFF = /^\s*(?:[+-](?:\s|[^\s-])|@@|---|\+\+\+)/;
const PUNCTUATION = /^[^\p{L}\p{N}]+$/u;
/** The word stands inside a name: `error_handler.o`, `-Werror`. */
const NAME_ONLY =
  /(?:[\w/.-][\w-]*(?:error|fail|exception|fatal|panic|crash)|(?:error|fail|exception|fatal|panic|crash)\w*[/.\-_=]\w)/i;

const cache = new Map<string, Features>();

export function featuresOf(line: string): Features {
  const key = line.slice(0, TESTED_CHARS).replace(/[1-9]\d*/g, '1');
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make(line.slice(0, TESTED_CHARS));
  if (cache.size >= CACHED) cache.clear();
  cache.set(key, made);
  return made;
}

function make(line: string): Features {
  const template = maskOf(line);
  const indent = indentOf(line);
  if (line.trim() === '')
    return {
      raw: 0,
      cues: 0,
      damping: 1,
      opens: false,
      ends: false,
      kind: 'blank',
      indent,
      template,
      signature: '',
    };
  const inner = FRAME.test(line) || CARET.test(line) || DIFF.test(line) || PUNCTUATION.test(line);
  let cues = 0;
  let most = 0;
  let rest = 0;
  let opens = false;
  let ends = false;
  if (STEMS.test(line)) {
    CUES.forEach((cue, i) => {
      if (!cue.pattern.test(line)) return;
      if (cue.name === 'failure word' && onlyNames(line)) return;
      cues |= 1 << i;
      if (cue.weight > most) {
        rest += most;
        most = cue.weight;
      } else rest += cue.weight;
      opens ||= cue.opens === true;
      ends ||= cue.ends === true;
    });
  }
  const damping = DAMPERS.reduce(
    (factor, damper) => (damper.pattern.test(line) ? factor * damper.factor : factor),
    1,
  );
  const raw = (most + SECOND_CUE * rest) * damping;
  return {
    raw,
    cues,
    damping,
    opens,
    ends,
    kind: inner ? 'inner' : 'other',
    indent,
    template,
    signature: `${cues} ${template.slice(0, 14)}`,
  };
}

function onlyNames(line: string): boolean {
  return (
    NAME_ONLY.test(line) &&
    !/(?:^|[^\w/.-])(?:error|fail\w*|exception|fatal|panic|crash\w*)(?![\w/.\-=])/i.test(line)
  );
}

function maskOf(line: string): string {
  return line
    .slice(0, 400)
    .replace(/0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|\d+/g, '0')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 140);
}

function indentOf(line: string): number {
  const prefix = PREFIX.exec(line)?.[0].length ?? 0;
  const rest = line.slice(prefix);
  return rest.length - rest.trimStart().length;
}
