/**
 * The lines above a diagnostic that say where it stands: how a file came to be included, in which
 * function it is. They are known by their beginning or their end; most lines are told apart by a few
 * bytes.
 */
import { textOf } from './candidate.ts';
import type { Unit } from './units.ts';

/** `In file included from a.h:3,`, and the lines `from b.c:1:` below it. */
const INCLUDED = /^In file included from /;
const GOES_ON = /^\s+from \S+:\d+[:,]/;
/** `a.c: In function 'run':` */
const INSIDE = /^\S+: (?:In|At) .*:$/;

const CAPITAL_I = 0x49;
const SMALL_N = 0x6e;
const SPACE = 0x20;
const COLON = 0x3a;

export class LeadIn {
  #first: Unit | null = null;
  /** The index of the line that follows it. */
  #next = -1;

  /** Takes each line that begins a line of the text. */
  add(unit: Unit): void {
    const { bytes, from, stamp, index } = unit;
    const start = bytes[from + stamp];
    const goesOn = start === SPACE && index === this.#next && GOES_ON.test(textOf(unit));
    if (goesOn) this.#next++;
    else if (
      (start === CAPITAL_I && bytes[from + stamp + 1] === SMALL_N && INCLUDED.test(textOf(unit))) ||
      (endsWith(unit, COLON) && INSIDE.test(textOf(unit)))
    ) {
      // Lines about the function may stand below those about the file.
      if (index !== this.#next) this.#first = unit;
      this.#next = index + 1;
    }
  }

  /** The first of the lines just above a line, if they lead to it. */
  above({ index }: Unit): Unit | null {
    return index === this.#next ? this.#first : null;
  }
}

/** Whether the last sign before the end of the line is this one. */
function endsWith({ bytes, from, to }: Unit, byte: number): boolean {
  let at = to - 1;
  while (at > from && (bytes[at] === 10 || bytes[at] === 13)) at--;
  return bytes[at] === byte;
}
