/**
 * The vocabulary in force: the cues that come with the product, what packs add to them, and what a
 * person adds. Everything that asks whether a line speaks of failure asks it here: logs, prose,
 * tables, documents, statistics and suspected losses. There may be any number of cues.
 */

import { type Stem, type StemAutomaton, stemAutomaton } from '../table/stem-automaton.ts';
import { compiled } from '../text/compiled.ts';
import { lazy } from '../text/memo.ts';
import type { SecretPattern } from '../text/secrets.ts';
import { CUES, type Cue, DAMPERS, type Damper, type Test } from './cues.ts';
import { PACKS } from './packs.ts';

interface KnownCue extends Omit<Cue, 'pattern'> {
  readonly tests: () => readonly Test[];
  /** What a line that has it is, as bits of `CueFlag`. */
  readonly flags: number;
  /** Lines that differ only in numbers may differ in it. */
  readonly readsDigits: boolean;
}

/** -1: tried on every line that is looked at. */
interface KnownDamper extends Omit<Damper, 'pattern'> {
  readonly pattern: () => RegExp;
  readonly bit: number;
}

export interface Vocabulary {
  readonly cues: readonly KnownCue[];
  readonly dampers: readonly KnownDamper[];
  readonly automaton: StemAutomaton;
  /** Without stems: tried on lines that are looked at for another reason. */
  readonly always: readonly number[];
  /** Patterns of a person without a known stem: every line is looked at. */
  readonly everywhere: readonly number[];
  /** As opposed to dampers. */
  readonly cueBits: Uint32Array;
}

export const CueFlag = {
  opens: 1,
  ends: 2,
  passes: 4,
  warning: 8,
  report: 16,
  result: 32,
  placed: 64,
  surely: 128,
} as const;

/** Patterns of a host or a person for lines with errors, or with warnings. */
export interface OwnPatterns {
  /** Lines that tell of an error. */
  readonly errors: readonly OwnPattern[];
  /** Lines that tell of a warning. */
  readonly warnings: readonly OwnPattern[];
  /** What is replaced beside known secrets, where `redact` is not off. */
  readonly secrets?: readonly SecretPattern[];
}

/** Tried on single lines, in linear time: the text is not to be trusted. */
export interface OwnPattern {
  /** The pattern as it was written. */
  readonly source: string;
  /** Whether a line has it. */
  test(line: string): boolean;
}

const OWN_ERROR = 'own error';
const OWN_WARNING = 'own warning';

/** By the name of a cue, what it says beside its weight. */
const FLAGS: Readonly<Record<string, number>> = {
  warning: CueFlag.warning,
  [OWN_WARNING]: CueFlag.warning,
  'message field': CueFlag.report,
  advisory: CueFlag.report,
  result: CueFlag.result,
  'place in a source': CueFlag.placed,
  'lint finding': CueFlag.placed,
  'error said': CueFlag.placed,
  'failed test': CueFlag.surely,
  crash: CueFlag.surely,
  [OWN_ERROR]: CueFlag.surely,
};
const READS_DIGITS: ReadonlySet<string> = new Set(['error code', 'first frames', OWN_ERROR, OWN_WARNING]);

export function vocabularyWith(own: OwnPatterns): Vocabulary {
  const cues = [
    ...CUES.map(packed),
    ...ownCue(OWN_ERROR, 8, own.errors),
    ...ownCue(OWN_WARNING, 2, own.warnings),
  ];
  let bits = cues.length;
  const dampers = DAMPERS.map(({ pattern, ...damper }) => ({
    ...damper,
    pattern: lazy(() => compiled(pattern)),
    bit: damper.stems === undefined ? -1 : bits++,
  }));
  const stems: Stem[] = [
    ...cues.flatMap((cue, bit) => cue.stems.map((text) => ({ text, bit }))),
    ...dampers.flatMap(({ stems: own = [], bit }) => own.map((text) => ({ text, bit }))),
  ];
  const automaton = stemAutomaton(stems, bits);
  const cueBits = new Uint32Array(automaton.words);
  for (let bit = 0; bit < cues.length; bit++)
    cueBits[bit >> 5] = (cueBits[bit >> 5] as number) | (1 << (bit & 31));
  const without = cues.flatMap(({ stems: { length } }, bit) => (length === 0 ? [bit] : []));
  const isOwn = (bit: number) => READS_DIGITS.has(cues[bit]?.name ?? '') && bit >= CUES.length;
  return { cues, dampers, automaton, always: without, everywhere: without.filter(isOwn), cueBits };
}

let standard: Vocabulary | undefined;

/** The vocabulary that comes with the product. */
export function standardVocabulary(): Vocabulary {
  standard ??= vocabularyWith({ errors: [], warnings: [] });
  return standard;
}

function packed({ pattern, ...cue }: Cue): KnownCue {
  const added = PACKS.flatMap((pack) => pack.cues[cue.name] ?? []);
  return known({
    ...cue,
    stems: [...cue.stems, ...added.flatMap(({ stems }) => stems)],
    tests: lazy(() => [pattern, ...added.map((each) => each.pattern)].map(compiled)),
  });
}

function known(cue: Omit<KnownCue, 'flags' | 'readsDigits'>): KnownCue {
  const flags =
    (FLAGS[cue.name] ?? 0) |
    (cue.opens ? CueFlag.opens : 0) |
    (cue.ends ? CueFlag.ends : 0) |
    (cue.passes ? CueFlag.passes : 0);
  return { ...cue, flags, readsDigits: READS_DIGITS.has(cue.name) };
}

/** One cue for all patterns of a person; without stems if one of them has none. */
function ownCue(name: string, weight: number, patterns: readonly OwnPattern[]): KnownCue[] {
  if (patterns.length === 0) return [];
  const stems = patterns.map(({ source }) => stemOf(source));
  const areKnown = stems.every((stem) => stem !== null);
  return [known({ name, weight, stems: areKnown ? stems : [], tests: () => patterns })];
}

const SHORTEST_STEM = 3;
const LONGEST_STEM = 32;

/** The longest plain run that every match of a pattern holds; null if it is not clear. */
export function stemOf(source: string): string | null {
  if (/[|\\()[\]{}]/.test(source.replaceAll(/\\[bBdDwWsS.:]/g, '.'))) return null;
  // Optional and wildcard parts end a run.
  const runs = source.replaceAll(/\\[bBdDwWsS.:]/g, '.').split(/.[*?]|[.^$+]/u);
  const plain = runs.filter((run) => /^[\w :/#-]+$/.test(run));
  const longest = plain.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest.length < SHORTEST_STEM
    ? null
    : longest.slice(0, LONGEST_STEM).toLowerCase().replaceAll(/\d/g, '0');
}
