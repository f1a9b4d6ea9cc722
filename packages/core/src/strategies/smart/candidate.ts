/**
 * A line that may be shown, with what speaks for it. Filled in while its neighbours are looked at.
 * Units: chars for lengths, time stamps not counted.
 */
import type { Extent } from '../../model/extent.ts';
import { ESC, escapeEnd } from '../../text/escapes.ts';
import { decode } from '../../text/utf8.ts';
import type { DiagnosticGroup } from './diagnostics.ts';
import { type Features, featuresOf, TESTED_CHARS } from './features.ts';
import { type Guard, mayMatchAny, type PatternGuards } from './pattern-guards.ts';
import { isSureFailure, sureGuards } from './sure.ts';
import { copiesOf, type Unit } from './units.ts';
import { ESCAPES, type Lexicon } from './words.ts';

/** Bytes of a line that are looked at: no char takes more than three. */
const MOST_BYTES = TESTED_CHARS * 3;

/**
 * A class, not a literal: once scores are stored that are no whole numbers, objects of a literal
 * would each be converted to another layout.
 */
export class Candidate {
  unit: Unit;
  /** Chars without the time stamp, formatting included. */
  readonly chars: number;
  /** Chars of the lines before it. */
  readonly at: number;
  features: Features | null = null;
  /** The same line over again: how often, and where the last of them ends. */
  again: { count: number; end: Extent } | null = null;
  /** Whether it was not there when the same call ended well. */
  isNew = false;
  /** How many lines with the same template were looked at before. */
  before = 0;
  /** The diagnostics that say the same, if it is one, and how many of them came before it. */
  group: DiagnosticGroup | null = null;
  inGroup = 0;
  /**
   * The line above that says what it belongs to, such as the name of a file: it is shown with it.
   */
  heading: Unit | null = null;
  /** Where the diagnostic begins, in chars, whose code it shows: without that it says nothing. */
  frameOf: number | null = null;
  /** The line's own score. */
  own = 0;
  /** The best of its own score and what its neighbours pass on. */
  context = 0;
  /** What a bad end further down passes up. */
  pull = 0;
  priority = 0;
  /** What the ends of the part add: filled in at the end. */
  tail = 0;
  head = 0;

  /** A line of which nothing is known yet. `at`: chars before it. */
  constructor(unit: Unit, at: number) {
    this.unit = unit;
    this.chars = charsOf(unit);
    this.at = at;
  }
}

/** Chars without the time stamp, formatting included. */
export function charsOf({ start, end, stamp }: Unit): number {
  return end.chars - start.chars - stamp;
}

/** What a line is like by itself; looked at once, whoever asks. `text`: its text, if that is known. */
export function looksOf(unit: Unit, lexicon: Lexicon, text?: string): Features {
  unit.looks ??= featuresOf(
    text ?? textOf(unit),
    unit.mask & ~ESCAPES,
    lexicon,
    guardOf(unit, lexicon.guards),
  );
  return unit.looks;
}

/** Whether a line surely speaks of a failure; looked at once, whoever asks. */
export function isSure(unit: Unit, text?: string): boolean {
  if (unit.sure === null) {
    const guard = guardOf(unit, sureGuards());
    const start = unit.stamp > 0 ? 'stamped' : 'bare';
    unit.sure = mayMatchAny(guard) && isSureFailure(text ?? textOf(unit), start, guard);
  }
  return unit.sure;
}

/** Which patterns can match a unit. Formatting in it may stand inside what they look for. */
function guardOf({ bytes, from, to, stamp, mask, ascii }: Unit, guards: PatternGuards): Guard {
  if (!ascii || (mask & ESCAPES) !== 0) return guards.any;
  return guards.look(bytes, from + stamp, Math.min(to, from + stamp + MOST_BYTES));
}

/** The text that cues are looked for in: no escapes, no time stamp. */
export function textOf(unit: Unit): string {
  const from = unit.from + unit.stamp;
  const to = Math.min(unit.to, from + MOST_BYTES);
  const plain = (unit.mask & ESCAPES) === 0;
  if (plain && unit.ascii) return unit.bytes.toString('latin1', from, trimmedEnd(unit.bytes, from, to));
  const bytes = unit.bytes.subarray(from, to);
  if (plain) return decode(bytes).trimEnd();
  let text = '';
  let at = 0;
  for (let found = bytes.indexOf(ESC); found !== -1; found = bytes.indexOf(ESC, at)) {
    text += decode(bytes.subarray(at, found));
    at = escapeEnd(bytes, found);
  }
  return (text + decode(bytes.subarray(at))).trimEnd();
}

/** Where ASCII text ends without the white space behind it. */
function trimmedEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  for (; end > from; end--) {
    const byte = bytes[end - 1] as number;
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) break;
  }
  return end;
}

/** Whether two lines are the same, word for word, whenever they were said. */
export function isSameLine(a: Unit, b: Unit): boolean {
  const length = a.to - a.from - a.stamp;
  if (length !== b.to - b.from - b.stamp || !a.first || !b.first) return false;
  // Most differ at once, at the beginning or in a number at the end: nothing is faster than to look.
  const { bytes: ours, from, stamp } = a;
  const moved = b.from + b.stamp - from - stamp;
  for (let first = from + stamp, last = a.to - 1; first <= last; first++, last--) {
    if (ours[first] !== b.bytes[first + moved] || ours[last] !== b.bytes[last + moved]) return false;
  }
  return true;
}

/**
 * Lines that stay must not hold on to the pieces they came in: they get memory of their own,
 * together.
 */
export function keepBytes(candidates: readonly Candidate[]): void {
  // Others may hold the units too.
  const copies = copiesOf(candidates.map(({ unit }) => unit));
  for (const [i, candidate] of candidates.entries()) candidate.unit = copies[i] as Unit;
}
