/** The time stamps that lines begin with, each looked at once. */
import type { LineStamp } from './kept.ts';
import type { Unit } from './units.ts';

/** Up to the second, of `2026-01-31T10:00:00.123Z`, `[10:00:00]` or `[   12.345678]`. */
const SECOND = /^.*?\d\d:\d\d:\d\d|^\[\s*\d+(?=\.)/;

/** `2026-01-31T10:00:00.1234567Z `: what a CI system puts before each line, whoever wrote it. */
const OF_RUNNER = /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d+Z /;

export class LineStamps {
  /** By the index of the line. */
  readonly #known = new Map<number, LineStamp | null>();

  /** Null if the line begins with none, or with one that tells no second. */
  of(unit: Unit): LineStamp | null {
    if (unit.stamp === 0 || !unit.first) return null;
    let stamp = this.#known.get(unit.index);
    if (stamp === undefined) {
      stamp = stampOf(unit);
      this.#known.set(unit.index, stamp);
    }
    return stamp;
  }
}

function stampOf({ bytes, from, stamp: chars }: Unit): LineStamp | null {
  const text = bytes.toString('latin1', from, from + chars);
  const second = SECOND.exec(text)?.[0];
  return second === undefined ? null : { chars, second, isOfRunner: OF_RUNNER.test(text) };
}
