/**
 * Finds where lines end and which stems they hold: one pass, a table step for each byte, so that a
 * line without any stem costs next to nothing. The loop sees every byte and calls nothing; what it
 * finds waits in arrays. Units: bytes.
 */
import type { StemTable } from './stems.ts';

const LF = 10;
/** So many lines are found at a time. */
const MOST_LINES = 512;

export class LineScan {
  readonly #table: StemTable;
  /** The places behind the ends of the lines that were found, and the bits of their stems. */
  readonly ends = new Uint32Array(MOST_LINES);
  readonly stems = new Int32Array(MOST_LINES);

  constructor(table: StemTable) {
    this.#table = table;
  }

  /**
   * Finds lines from a place on, where the table is in some state; gives how many. Fewer than
   * `MOST_LINES` are all that end here.
   */
  find(bytes: Uint8Array, from: number, start: number): number {
    const { classes, rows, matched, endings, lineStart, returned } = this.#table;
    const { ends, stems } = this;
    const to = bytes.length;
    let state = start;
    let held = 0;
    let count = 0;
    let at = from;
    while (at < to && count < MOST_LINES) {
      // Nothing else in this loop: it then runs at twice the speed.
      do state = rows[(state << 2) + (classes[bytes[at++] as number] as number)] as number;
      while (state < matched && at < to);
      if (state >= lineStart) {
        if (state === returned && bytes[at] === LF) continue;
        ends[count] = at;
        stems[count++] = held;
        held = 0;
      } else if (state >= matched) held |= endings[state - matched] as number;
    }
    return count;
  }
}

/** The bits of the stems in a range, where the table is in some state. */
export function stemsIn(
  { classes, rows, matched, endings }: StemTable,
  bytes: Uint8Array,
  from: number,
  to: number,
  start: number,
): number {
  let state = start;
  let stems = 0;
  for (let at = from; at < to; at++) {
    state = rows[(state << 2) + (classes[bytes[at] as number] as number)] as number;
    if (state >= matched) stems |= endings[state - matched] as number;
  }
  return stems;
}
