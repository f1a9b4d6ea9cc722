/**
 * The lexicon in force: the cues that come with the product, what packs add to them, and what a
 * person adds; with the table that finds their stems. At most 28 cues: a line's cues are the bits
 * of one number.
 */
import { CUES, type Cue, DAMPERS, type Damper, STACK_FRAME, type Test } from './lexicon.ts';
import { PACKS, type Pack } from './packs.ts';
import { PatternGuards } from './pattern-guards.ts';
import { type StemTable, stemTable } from './stems.ts';

export interface Lexicon {
  readonly cues: readonly KnownCue[];
  readonly dampers: readonly KnownDamper[];
  readonly table: StemTable;
  /** Tells which patterns can match a line, by their numbers. */
  readonly guards: PatternGuards;
  /** The number of the pattern of stack frames. */
  readonly frame: number;
  /**
   * The bits of the cues that are tried on every line that is looked at, and of those for which
   * every line is.
   */
  readonly always: number;
  readonly everywhere: number;
  /** The bits of the cues that open a block, that end one, and that say that all went well. */
  readonly opens: number;
  readonly ends: number;
  readonly passes: number;
  /** The bits of the cues that tell a warning, and of those that report one thing after another. */
  readonly warning: number;
  readonly report: number;
  /** The bit of the cue that tells what was made. */
  readonly result: number;
  /** The bits of the cues that a diagnostic of a compiler or linter has. */
  readonly placed: number;
  /** The bits of the cues that make a line an error even if it is labelled a warning. */
  readonly surely: number;
}

/** A pattern with its number among all patterns of the lexicon. */
interface NumberedTest {
  readonly pattern: Test;
  readonly number: number;
}

interface TestedCue extends Omit<Cue, 'pattern'> {
  readonly tests: readonly Test[];
}

/** A cue with all patterns that tell it. */
interface KnownCue extends Omit<Cue, 'pattern'> {
  readonly tests: readonly NumberedTest[];
}

/** A damper with the bit that stands for its stems; 0 if it is tried on every line. */
interface KnownDamper extends Damper {
  readonly bit: number;
  readonly number: number;
}

/**
 * What a host or a person adds to what tells of failure: patterns that match lines with errors, or
 * with warnings.
 */
export interface OwnPatterns {
  readonly errors: readonly OwnPattern[];
  readonly warnings: readonly OwnPattern[];
}

/**
 * A pattern that is tried on single lines. It should take linear time: the text is not to be
 * trusted.
 */
export interface OwnPattern {
  readonly source: string;
  test(line: string): boolean;
}

/** The bit that stands for an escape character in a line. */
export const ESCAPES = 1 << 30;
/** The bits for dampers that have stems: from here on, below. */
const FIRST_DAMPER = 29;
const MOST_CUES = 28;
/** What is no cue: the bits above those of cues. */
export const NO_CUE = -1 << MOST_CUES;

const OWN_ERROR = 'own error';
const OWN_WARNING = 'own warning';

export function lexiconWith(own: OwnPatterns): Lexicon {
  const patterns: unknown[] = [];
  const numbered = (pattern: Test): NumberedTest => ({ pattern, number: patterns.push(pattern) - 1 });
  const cues = [
    ...CUES.map((cue) => packed(cue, PACKS)),
    ...ownCue(OWN_ERROR, 8, own.errors),
    ...ownCue(OWN_WARNING, 2, own.warnings),
  ].map((cue) => ({ ...cue, tests: cue.tests.map(numbered) }));
  const dampers = DAMPERS.map((damper, i) => ({
    ...withBit(damper, i),
    number: numbered(damper.pattern).number,
  }));
  const { number: frame } = numbered(STACK_FRAME);
  refuseOverflow(cues.length, dampers.filter(({ bit }) => bit !== 0).length);
  const stems = [
    ...cues.flatMap((cue, i) => cue.stems.map((text) => ({ text, bits: 1 << i }))),
    ...dampers.flatMap((damper) => (damper.stems ?? []).map((text) => ({ text, bits: damper.bit }))),
  ];
  return {
    cues,
    dampers,
    guards: new PatternGuards(patterns),
    frame,
    table: stemTable([...stems, { text: '\u001b', bits: ESCAPES }]),
    always: bitsOf(cues, ({ stems: { length } }) => length === 0),
    everywhere: bitsOf(cues, ({ name, stems: { length } }) => length === 0 && isOwn(name)),
    opens: bitsOf(cues, ({ opens }) => opens === true),
    ends: bitsOf(cues, ({ ends }) => ends === true),
    passes: bitsOf(cues, ({ passes }) => passes === true),
    warning: bitsOf(cues, ({ name }) => name === 'warning' || name === OWN_WARNING),
    report: bitsOf(cues, ({ name }) => name === 'message field' || name === 'advisory'),
    result: bitsOf(cues, ({ name }) => name === 'result'),
    placed: bitsOf(
      cues,
      ({ name }) => name === 'place in a source' || name === 'lint finding' || name === 'error said',
    ),
    surely: bitsOf(cues, ({ name }) => name === 'failed test' || name === 'crash' || name === OWN_ERROR),
  };
}

/**
 * A line's cues, and the dampers that have stems, are bits of one number: more would overlap
 * without a word.
 */
export function refuseOverflow(cues: number, dampersWithStems: number): void {
  const mostDampers = FIRST_DAMPER - MOST_CUES + 1;
  if (cues > MOST_CUES)
    throw new RangeError(
      `The lexicon has ${cues} cues, and there is room for ${MOST_CUES}: add patterns to a cue.`,
    );
  if (dampersWithStems > mostDampers)
    throw new RangeError(
      `The lexicon has ${dampersWithStems} dampers with stems, and there is room for ${mostDampers}: leave the stems out.`,
    );
}

let standard: Lexicon | undefined;

/** The lexicon that comes with the product. */
export function standardLexicon(): Lexicon {
  standard ??= lexiconWith({ errors: [], warnings: [] });
  return standard;
}

/** A cue with what the packs add to it. */
function packed({ pattern, ...cue }: Cue, packs: readonly Pack[]): TestedCue {
  const added = packs.flatMap((pack) => pack.cues[cue.name] ?? []);
  return {
    ...cue,
    stems: [...cue.stems, ...added.flatMap(({ stems }) => stems)],
    tests: [pattern, ...added.map((each) => each.pattern)],
  };
}

function withBit(damper: Damper, index: number): Omit<KnownDamper, 'number'> {
  const before = DAMPERS.slice(0, index).filter(({ stems }) => stems !== undefined);
  return { ...damper, bit: damper.stems === undefined ? 0 : 1 << (FIRST_DAMPER - before.length) };
}

/** All patterns of a person for one thing, as one cue: without stems if one of them has none. */
function ownCue(name: string, weight: number, patterns: readonly OwnPattern[]): TestedCue[] {
  if (patterns.length === 0) return [];
  const stems = patterns.map(({ source }) => stemOf(source));
  const known = stems.every((stem) => stem !== null);
  return [{ name, weight, stems: known ? stems : [], tests: patterns }];
}

function isOwn(name: string): boolean {
  return name === OWN_ERROR || name === OWN_WARNING;
}

const SHORTEST_STEM = 3;
/** What every match holds, it holds the beginning of. */
const LONGEST_STEM = 32;

/**
 * The longest run of plain characters that every match of a pattern holds; null where that is not
 * plain to see.
 */
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

function bitsOf(cues: readonly KnownCue[], is: (cue: KnownCue) => boolean): number {
  return cues.reduce((bits, cue, i) => (is(cue) ? bits | (1 << i) : bits), 0);
}
