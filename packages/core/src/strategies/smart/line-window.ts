/**
 * The last lines of a part, which wait for what follows them. Most of them say nothing, and their
 * neighbours have nothing to pass on: a line becomes a candidate when somebody asks for it. Units:
 * chars, time stamps not counted.
 */
import { Candidate, charsOf } from './candidate.ts';
import type { Unit } from './units.ts';

export class LineWindow {
  readonly #units: Unit[] = [];
  /** By line: the chars of the lines before it. */
  readonly #offsets: number[] = [];
  readonly #candidates: (Candidate | null)[] = [];
  #chars = 0;

  get length(): number {
    return this.#units.length;
  }

  /** Of all its lines. */
  get chars(): number {
    return this.#chars;
  }

  /** `at`: the chars before it. */
  push(unit: Unit, at: number): void {
    this.#units.push(unit);
    this.#offsets.push(at);
    this.#candidates.push(null);
    this.#chars += charsOf(unit);
  }

  unitAt(index: number): Unit | undefined {
    return this.#units[index];
  }

  /** The chars before a line. */
  offsetOf(index: number): number {
    return this.#offsets[index] as number;
  }

  /** Null as long as nobody asked for it. */
  known(index: number): Candidate | null {
    return this.#candidates[index] ?? null;
  }

  candidateAt(index: number): Candidate {
    const known = this.#candidates[index];
    if (known !== null && known !== undefined) return known;
    const made = new Candidate(this.#units[index] as Unit, this.#offsets[index] as number);
    this.#candidates[index] = made;
    return made;
  }

  /** How many of the first lines must go so that no more chars are left. */
  countOver(chars: number): number {
    let count = 0;
    for (let left = this.#chars; left > chars; count++) left -= charsOf(this.#units[count] as Unit);
    return count;
  }

  /** Lets the first lines go. */
  drop(count: number): void {
    for (let i = 0; i < count; i++) this.#chars -= charsOf(this.#units[i] as Unit);
    this.#units.splice(0, count);
    this.#offsets.splice(0, count);
    this.#candidates.splice(0, count);
  }
}
