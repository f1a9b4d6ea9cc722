/**
 * `lines`: whole lines only, from the beginning and the end. A line that does not fit is left out whole, and the first such line is named
 * with its length, so that it can be fetched. Lines longer than the reach are noticed while they stream by; a few are remembered.
 */
import { isAscii } from 'node:buffer';
import type { Piece } from '../model/piece.ts';
import type { Omit, Segment, UnfitLine } from '../model/selection.ts';
import type { Strategy } from '../model/strategy.ts';
import { measure } from '../text/utf8.ts';
import { Ends, reachBytes } from './ends.ts';
import { selectEnds } from './positional.ts';

const MOST_REMEMBERED = 64;
const LF = 10;
const CR = 13;

export const lines: Strategy = {
  name: 'lines',
  start(policy, reachChars) {
    const ends = new Ends(reachBytes(reachChars));
    const long = new LongLines(SHORTEST_LONG_LINE);
    return {
      push(piece) {
        ends.push(piece);
        long.push(piece);
      },
      bytes: (range) => ends.bytes(range),
      select(share) {
        const room = Math.max(0, share.chars - share.gap.chars);
        const unfitIn = (gap: Omit) =>
          long
            .found(ends.total.chars)
            .find(({ line, chars }) => chars > room && line >= gap.firstLine && line <= gap.lastLine);
        return selectEnds(ends, share, policy, policy.headRatio, 'whole_line').map((segment): Segment => {
          if (segment.kind !== 'omit') return segment;
          const unfit = unfitIn(segment);
          return unfit === undefined ? segment : { ...segment, unfit };
        });
      },
    };
  },
};

/** Lines shorter than this fit into any accepted budget that has room for a line at all. */
const SHORTEST_LONG_LINE = 100;

/** Remembers where the longest of the lines lie that are longer than `shortest`, the first ones first. */
class LongLines {
  readonly #shortest: number;
  readonly #lines: UnfitLine[] = [];
  #number = 1;
  #startChar = 0;

  constructor(shortest: number) {
    this.#shortest = shortest;
  }

  /** A piece never ends between CR and LF. */
  push({ bytes, start }: Piece): void {
    const ascii = isAscii(bytes);
    let from = 0;
    let chars = start.chars;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && (byte !== CR || bytes[at + 1] === LF)) continue;
      chars += ascii ? at + 1 - from : measure(bytes, from, at + 1).chars;
      this.#close(chars);
      from = at + 1;
    }
  }

  /** All that were found, the last and open line included. */
  found(totalChars: number): readonly UnfitLine[] {
    const open = totalChars - this.#startChar;
    const last =
      open > this.#shortest ? [{ line: this.#number, firstChar: this.#startChar + 1, chars: open }] : [];
    return [...this.#lines, ...last];
  }

  #close(endChar: number): void {
    const chars = endChar - this.#startChar;
    if (chars > this.#shortest) this.#remember({ line: this.#number, firstChar: this.#startChar + 1, chars });
    this.#number++;
    this.#startChar = endChar;
  }

  /** Room is made by forgetting the shortest. */
  #remember(line: UnfitLine): void {
    this.#lines.push(line);
    if (this.#lines.length <= MOST_REMEMBERED) return;
    const shortest = this.#lines.reduce(
      (least, one, i) => (one.chars < (this.#lines[least]?.chars ?? 0) ? i : least),
      0,
    );
    this.#lines.splice(shortest, 1);
  }
}
