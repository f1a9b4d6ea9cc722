/**
 * Collects what a scan finds, in the order of the document: everything is counted, and as much is
 * kept as a page can show at the most. Kept are places, not text, so memory is bounded by the page
 * whatever is found. Units: bytes of the part; chars for room.
 */
import type { Match, MatchSink } from '../../model/stored-text.ts';

export class Matches implements MatchSink {
  readonly kept: Match[] = [];
  readonly #skip: number;
  readonly #counting: boolean;
  #room: number;
  #open = 0;
  total: number;

  /**
   * `before` were found before the scan began, `skip` of all are not wanted, `room` is what a page
   * holds. With `counting` the scan goes on to the end, to tell how many there are.
   */
  constructor(options: { before: number; skip: number; room: number; counting: boolean }) {
    this.total = options.before;
    this.#skip = options.skip;
    this.#room = options.room;
    this.#counting = options.counting;
  }

  /** Something begins. Null if it is only counted; else it is to be ended with `end`. */
  begin(start: number, label: () => string): Match | null {
    this.total++;
    if (this.total <= this.#skip || this.#room <= 0) return null;
    const match = { label: label(), start, end: -1 };
    this.#room -= match.label.length + 1;
    this.kept.push(match);
    this.#open++;
    return match;
  }

  end(match: Match | null, at: number): void {
    if (match === null) return;
    match.end = at;
    // What is shown takes a third of its bytes as chars, at the least.
    this.#room -= (at - match.start) / 3;
    this.#open--;
  }

  /** Something whose end is known. */
  add(start: number, end: number, label: () => string): void {
    this.end(this.begin(start, label), end);
  }

  /** Whether the scan may stop. */
  get enough(): boolean {
    return !this.#counting && this.#room <= 0 && this.#open === 0;
  }
}
