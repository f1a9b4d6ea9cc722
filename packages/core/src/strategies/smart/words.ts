/**
 * The lexicon in force: the cues that come with the product, what packs add to them, and what a person adds; with the table that finds their
 * stems. At most 29 cues: a line's cues are the bits of one number.
 */
import { CUES, type Cue, DAMPERS, type Test } from './lexicon.ts';
import { PACKS, type Pack } from './packs.ts';
import { type StemTable, stemTable } from './stems.ts';

export interface Lexicon {
  readonly cues: readonly Cue[];
  readonly table: StemTable;
  /** The bits of the cues that are tried on every line that is looked at, and of those for which every line is. */
  readonly always: number;
  readonly everywhere: number;
  /** The bit that stands for a stem of a damper. It is no cue. */
  readonly passing: number;
  /** The bits of the cues that tell a warning, and of those that report one thing after another. */
  readonly warning: number;
  readonly report: number;
  /** The bits of the cues that make a line an error even if it is labelled a warning. */
  readonly surely: number;
}

/** What a host or a person adds to what tells of failure: patterns that match lines with errors, or with warnings. */
export interface OwnPatterns {
  readonly errors: readonly OwnPattern[];
  readonly warnings: readonly OwnPattern[];
}

/** A pattern that is tried on single lines. It should take linear time: the text is not to be trusted. */
export interface OwnPattern {
  readonly source: string;
  test(line: string): boolean;
}

/** The bit that stands for an escape character in a line. */
export const ESCAPES = 1 << 30;
/** The bit that stands for a stem of a damper. */
const PASSING = 1 << 29;
/** What is no cue. */
export const NO_CUE = ESCAPES | PASSING;

const OWN_ERROR = 'own error';
const OWN_WARNING = 'own warning';

export function lexiconWith(own: OwnPatterns): Lexicon {
  const cues = [
    ...CUES.map((cue) => packed(cue, PACKS)),
    ...ownCue(OWN_ERROR, 8, own.errors),
    ...ownCue(OWN_WARNING, 2, own.warnings),
  ];
  const stems = cues.flatMap((cue, i) => cue.stems.map((text) => ({ text, bits: 1 << i })));
  const damping = DAMPERS.flatMap(({ stems = [] }) => stems.map((text) => ({ text, bits: PASSING })));
  return {
    cues,
    table: stemTable([...stems, ...damping, { text: '\u001b', bits: ESCAPES }]),
    passing: PASSING,
    always: bitsOf(cues, ({ stems: { length } }) => length === 0),
    everywhere: bitsOf(cues, ({ name, stems: { length } }) => length === 0 && isOwn(name)),
    warning: bitsOf(cues, ({ name }) => name === 'warning' || name === OWN_WARNING),
    report: bitsOf(cues, ({ name }) => name === 'message field' || name === 'advisory'),
    surely: bitsOf(cues, ({ name }) => name === 'failed test' || name === 'crash' || name === OWN_ERROR),
  };
}

let standard: Lexicon | undefined;

/** The lexicon that comes with the product. */
export function standardLexicon(): Lexicon {
  standard ??= lexiconWith({ errors: [], warnings: [] });
  return standard;
}

/** A cue with what the packs add to it. */
function packed(cue: Cue, packs: readonly Pack[]): Cue {
  const added = packs.flatMap((pack) => pack.cues[cue.name] ?? []);
  if (added.length === 0) return cue;
  return {
    ...cue,
    stems: [...cue.stems, ...added.flatMap(({ stems }) => stems)],
    pattern: anyOf([cue.pattern, ...added.map(({ pattern }) => pattern)]),
  };
}

/** All patterns of a person for one thing, as one cue: without stems if one of them has none. */
function ownCue(name: string, weight: number, patterns: readonly OwnPattern[]): Cue[] {
  if (patterns.length === 0) return [];
  const stems = patterns.map(({ source }) => stemOf(source));
  const known = stems.every((stem) => stem !== null);
  return [{ name, weight, stems: known ? stems : [], pattern: anyOf(patterns) }];
}

function isOwn(name: string): boolean {
  return name === OWN_ERROR || name === OWN_WARNING;
}

function anyOf(tests: readonly Test[]): Test {
  return {
    test(line) {
      for (const each of tests) if (each.test(line)) return true;
      return false;
    },
  };
}

const SHORTEST_STEM = 3;
/** What every match holds, it holds the beginning of. */
const LONGEST_STEM = 32;

/** The longest run of plain characters that every match of a pattern holds; null where that is not plain to see. */
export function stemOf(source: string): string | null {
  if (/[|\\()[\]{}]/.test(source.replaceAll(/\\[bBdDwWsS.:]/g, '.'))) return null;
  // What may be left out, and what stands for many characters, ends a run.
  const runs = source.replaceAll(/\\[bBdDwWsS.:]/g, '.').split(/.[*?]|[.^$+]/u);
  const plain = runs.filter((run) => /^[\w :/#-]+$/.test(run));
  const longest = plain.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest.length < SHORTEST_STEM
    ? null
    : longest.slice(0, LONGEST_STEM).toLowerCase().replaceAll(/\d/g, '0');
}

function bitsOf(cues: readonly Cue[], is: (cue: Cue) => boolean): number {
  return cues.reduce((bits, cue, i) => (is(cue) ? bits | (1 << i) : bits), 0);
}
