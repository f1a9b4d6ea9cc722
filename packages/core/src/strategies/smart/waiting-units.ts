/**
 * The first units of a part, held until it is known whether somebody must look at them. Bounded:
 * once it is full, they have to be looked at. Units of measure: bytes.
 */
import type { Unit } from './units.ts';

const MOST_BYTES = 131_072;
const MOST_UNITS = 8_192;

export class WaitingUnits {
  readonly units: Unit[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes > MOST_BYTES || this.units.length > MOST_UNITS;
  }

  add(unit: Unit): void {
    this.units.push(unit);
    this.#bytes += unit.to - unit.from;
  }
}
