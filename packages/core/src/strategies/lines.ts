/**
 * `lines`: whole lines only, from the beginning and the end. A line that does not fit is left out
 * whole, and the first such line is named with its length, so that it can be fetched. Lines longer
 * than the reach are noticed while they stream by; a few are remembered.
 */
import { isAscii } from 'node:buffer';
import type { Piece } from '../model/piece.ts';
import type { Policy } from '../model/policy.ts';
import type { Segment, UnfitLine } from '../model/selection.ts';
import type { Share, Strategy } from '../model/strategy.ts';
import { measure } from '../text/utf8.ts';
import { Ends, reachBytes } from './ends.ts';
import { selectEnds } from './positional.ts';
import type { Evidence } from './smart/own-score.ts';
import { preserving } from './smart/preserving.ts';
import type { WatchesOf } from './smart/watches.ts';

const MOST_REMEMBERED = 64;
const LF = 10;
const CR = 13;

const wholeLines = (policy: Policy) => (ends: Ends, share: Share) =>
  selectEnds(ends, share, policy, policy.headRatio, 'whole_line');

/** `lines`, by position alone. */
export const lines: Strategy = naming((policy, reachChars) => {
  const ends = new Ends(reachBytes(reachChars));
  const select = wholeLines(policy);
  return {
    push: (piece) => ends.push(piece),
    bytes: (range) => ends.bytes(range),
    select: (share) => select(ends, share),
  };
});

/** The same, with lines that speak of failure kept from the gap. */
export function preservingLines(watches: WatchesOf, evidence: Evidence): Strategy {
  return naming(preserving('lines', watches, wholeLines, { unit: 'whole lines', evidence }).start);
}

/** Adds to each gap of a selection the first line in it that is too long to be shown. */
function naming(start: Strategy['start']): Strategy {
  return {
    name: 'lines',
    start(policy, reachChars, known) {
      const inner = start(policy, reachChars, known);
      const long = new LongLines(SHORTEST_LONG_LINE);
      return {
        push(piece) {
          inner.push(piece);
          long.push(piece);
        },
        bytes: (range) => inner.bytes(range),
        select: (share) => {
          const room = Math.max(0, share.chars - share.gap.chars);
          const tooLong = long.found().filter(({ chars }) => chars > room);
          return inner.select(share).map((segment) => withUnfit(segment, tooLong));
        },
        reasons: () => inner.reasons?.() ?? [],
        get findings() {
          return inner.findings ?? null;
        },
      };
    },
  };
}

function withUnfit(segment: Segment, tooLong: readonly UnfitLine[]): Segment {
  if (segment.kind !== 'omit') return segment;
  const unfit = tooLong.find(({ line }) => line >= segment.firstLine && line <= segment.lastLine);
  return unfit === undefined ? segment : { ...segment, unfit };
}

/** Lines shorter than this fit into any accepted budget that has room for a line at all. */
const SHORTEST_LONG_LINE = 100;

/**
 * Remembers where the longest of the lines lie that are longer than `shortest`, the first ones
 * first.
 */
class LongLines {
  readonly #shortest: number;
  readonly #lines: UnfitLine[] = [];
  #number = 1;
  #startChar = 0;
  #total = 0;

  constructor(shortest: number) {
    this.#shortest = shortest;
  }

  /** A piece never ends between CR and LF. */
  push({ bytes, start, extent }: Piece): void {
    this.#total = start.chars + extent.chars;
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
  found(): readonly UnfitLine[] {
    const open = this.#total - this.#startChar;
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
    const shortest = Math.min(...this.#lines.map(({ chars }) => chars));
    this.#lines.splice(
      this.#lines.findIndex(({ chars }) => chars === shortest),
      1,
    );
  }
}
