/**
 * Leaves formatting out before anything is decided: the strategy sees the cleaned text, so that it
 * cuts less and never inside an escape sequence; its selection is then told in places of the stored
 * text. Formatting inside what is kept is elided; formatting inside a gap belongs to the gap. What
 * is to be shown as it is (`share.asIs`) is given back whole. Units: bytes for places.
 */
import { type ByteRange, type Extent, NOTHING, sum } from '../model/extent.ts';
import type { Piece } from '../model/piece.ts';
import type { Elide, Keep, Omit, Segment, Selection, UnfitLine } from '../model/selection.ts';
import type { Findings, Grammar, KeptLines, Selector, Share } from '../model/strategy.ts';
import { Cleaner } from '../text/cleaner.ts';
import { isLineStart } from '../text/cut.ts';
import { measure } from '../text/utf8.ts';

/** A kept range: where it lies in the stored text and in the cleaned one. */
interface KeptRange extends ByteRange {
  readonly cleaned: number;
}

/** What a range of the cleaned text keeps of the stored one. */
interface StoredKeeps {
  readonly end: number;
  readonly lines: number;
  readonly isLast: boolean;
  readonly segments: readonly (Keep | Elide)[];
  readonly kept: readonly KeptRange[];
}

export class CleaningSelector implements Selector {
  readonly #inner: Selector;
  readonly #reachChars: number;
  readonly #cleaner: Cleaner;
  /** The stored text, as long as all of it may be shown. */
  #raw: Piece[] | null = [];
  #total: Extent = NOTHING;
  #isFinished = false;
  #isAsIs = false;
  #kept: readonly KeptRange[] = [];
  readonly #keepsByStart = new Map<number, StoredKeeps>();

  /** `seen`: told how many lines there were so far, and how many of them with formatting. */
  constructor(
    reachChars: number,
    start: (seen: { readonly lines: number; readonly controlled: number }) => Selector,
  ) {
    this.#reachChars = reachChars;
    this.#cleaner = new Cleaner((piece) => this.#inner.push(piece));
    this.#inner = start(this.#cleaner.counted);
  }

  push(piece: Piece): void {
    this.#total = sum(this.#total, piece.extent);
    if (this.#raw !== null) {
      if (this.#total.chars <= this.#reachChars) this.#raw.push(piece);
      else this.#raw = null;
    }
    this.#cleaner.push(piece);
  }

  finish(): void {
    this.#finished.finish?.();
  }

  select(share: Share): Selection {
    this.#isAsIs = false;
    const cleaned = this.#finished.select(share);
    if (this.#cleaner.elisions.isEmpty) return cleaned;
    // Where the cleaned text is shown whole, the stored one is too, if it fits.
    this.#isAsIs =
      share.asIs === true &&
      this.#raw !== null &&
      this.#total.chars <= share.chars &&
      linesIn(this.#total, this.#raw) <= share.lines &&
      cleaned.every(({ kind }) => kind === 'keep');
    return this.#isAsIs ? this.#whole() : this.#stored(cleaned);
  }

  bytes({ start, end }: ByteRange): Uint8Array {
    if (this.#isAsIs) return concat(this.#raw ?? []).subarray(start, end);
    if (this.#cleaner.elisions.isEmpty) return this.#inner.bytes({ start, end });
    let low = 0;
    let high = this.#kept.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle] as KeptRange).start <= start) low = middle;
      else high = middle;
    }
    const range = this.#kept[low];
    if (range === undefined || start < range.start || end > range.end)
      throw new RangeError('a selection may only keep what its selector still holds');
    const moved = range.cleaned - range.start;
    return this.#inner.bytes({ start: start + moved, end: end + moved });
  }

  get grammar(): Grammar | null {
    return this.#isAsIs ? null : (this.#finished.grammar ?? null);
  }

  get failure(): string | null {
    return this.#finished.failure ?? null;
  }

  get decidedBy(): string | undefined {
    return this.#finished.decidedBy;
  }

  get findings(): Findings | null {
    return this.#isAsIs ? null : (this.#finished.findings ?? null);
  }

  get fallback(): string | null {
    return this.#isAsIs ? null : (this.#finished.fallback ?? null);
  }

  get why(): string | null {
    return this.#finished.why ?? null;
  }

  get withheld(): string | null {
    return this.#isAsIs ? null : (this.#finished.withheld ?? null);
  }

  reasons(): readonly KeptLines[] {
    if (this.#isAsIs) return [];
    const line = (number: number) => number + this.#cleaner.elisions.before(number, 'breaks').breaks;
    return (this.#finished.reasons?.() ?? []).map((reason) => ({
      ...reason,
      firstLine: line(reason.firstLine),
      lastLine: line(reason.lastLine),
    }));
  }

  /** The strategy, once it has seen everything: it may be asked before the first selection. */
  get #finished(): Selector {
    if (!this.#isFinished) this.#cleaner.finish();
    this.#isFinished = true;
    return this.#inner;
  }

  /** All of the stored text. */
  #whole(): Selection {
    const { bytes, chars } = this.#total;
    return [{ kind: 'keep', start: 0, end: bytes, chars, lines: linesIn(this.#total, this.#raw ?? []) }];
  }

  /**
   * A selection of the cleaned text as one of the stored text. What is missing at a place belongs
   * to what begins there.
   */
  #stored(cleaned: Selection): Selection {
    const { elisions } = this.#cleaner;
    const kept: KeptRange[] = [];
    const segments: Segment[] = [];
    const index = cleaned.length === 0 ? null : cleaned.length - 1;
    cleaned.forEach((segment, i) => {
      const isLast = i === index;
      if (segment.kind === 'keep') {
        const keeps = this.#knownKeeps(segment, isLast);
        for (const range of keeps.kept) kept.push(range);
        for (const each of keeps.segments) segments.push(each);
        return;
      }
      const after = isLast ? elisions.total : elisions.before(segment.end);
      segments.push(moved(segment, elisions.before(segment.start), after, (unfit) => this.#unfit(unfit)));
    });
    if (index === null && elisions.total.bytes > 0) segments.push(elided(NOTHING, elisions.total));
    this.#kept = kept;
    return segments;
  }

  /** While a selection is made to fit, most of what it keeps stays as it is. */
  #knownKeeps(segment: Keep, isLast: boolean): StoredKeeps {
    const known = this.#keepsByStart.get(segment.start);
    if (known?.end === segment.end && known.lines === segment.lines && known.isLast === isLast) return known;
    const { elisions } = this.#cleaner;
    const kept: KeptRange[] = [];
    const after = isLast ? elisions.total : elisions.before(segment.end);
    const segments = this.#keeps(segment, elisions.before(segment.start), after, kept);
    const keeps = { end: segment.end, lines: segment.lines, isLast, segments, kept };
    this.#keepsByStart.set(segment.start, keeps);
    return keeps;
  }

  /** A kept range and the formatting in it, one after the other. */
  #keeps(segment: Keep, before: Extent, after: Extent, kept: KeptRange[]): (Keep | Elide)[] {
    const { start, end } = segment;
    if (after.bytes === before.bytes && end > start) {
      const range = { start: start + before.bytes, end: end + before.bytes };
      kept.push({ ...range, cleaned: start });
      return [{ ...segment, ...range }];
    }
    const { elisions } = this.#cleaner;
    const bytes = this.#inner.bytes(segment);
    const segments: (Keep | Elide)[] = [];
    let missing = before;
    let at = segment.start;
    const keepUpTo = (to: number) => {
      if (to === at) return;
      const run = measure(bytes, at - segment.start, to - segment.start);
      const start = at + missing.bytes;
      kept.push({ start, end: to + missing.bytes, cleaned: at });
      const last = segments.findLast(({ kind }) => kind === 'keep');
      const isOpen = !isLineStart(bytes, to - segment.start);
      const goesOn = last !== undefined && !isLineStart(bytes, at - segment.start);
      const lines = run.breaks + (isOpen ? 1 : 0) - (goesOn ? 1 : 0);
      segments.push({ kind: 'keep', start, end: to + missing.bytes, chars: run.chars, lines });
      at = to;
    };
    for (const elision of elisions.within(segment.start, segment.end)) {
      keepUpTo(elision.at.bytes);
      segments.push(elided({ ...NOTHING, bytes: at + missing.bytes }, elision.missing));
      missing = sum(missing, elision.missing);
    }
    keepUpTo(segment.end);
    // What is missing at the very end of the text.
    if (after.bytes > missing.bytes)
      segments.push(
        elided(
          { ...NOTHING, bytes: at + missing.bytes },
          {
            bytes: after.bytes - missing.bytes,
            chars: after.chars - missing.chars,
            breaks: after.breaks - missing.breaks,
          },
        ),
      );
    return withLines(segments, segment.lines);
  }

  #unfit({ line, firstChar, chars }: UnfitLine): UnfitLine {
    const { elisions } = this.#cleaner;
    const before = elisions.before(firstChar - 1, 'chars').chars;
    const after = elisions.before(firstChar - 1 + chars, 'chars').chars;
    return {
      line: line + elisions.before(line, 'breaks').breaks,
      firstChar: firstChar + before,
      chars: chars + after - before,
    };
  }
}

function elided({ bytes: start }: Extent, { bytes, chars, breaks }: Extent): Elide {
  return {
    kind: 'elide',
    start,
    end: start + bytes,
    chars,
    lines: breaks,
    why: breaks > 0 ? 'overwritten' : 'ansi',
  };
}

/** A gap, or what the strategy itself elides, with the formatting inside. */
function moved(
  segment: Omit | Elide,
  before: Extent,
  after: Extent,
  unfitOf: (unfit: UnfitLine) => UnfitLine,
): Segment {
  const common = {
    start: segment.start + before.bytes,
    end: segment.end + after.bytes,
    chars: segment.chars + after.chars - before.chars,
    lines: segment.lines + after.breaks - before.breaks,
  };
  if (segment.kind === 'elide') return { ...segment, ...common };
  return {
    ...segment,
    ...common,
    firstLine: segment.firstLine + before.breaks,
    lastLine: segment.lastLine + after.breaks,
    ...(segment.unfit === undefined ? {} : { unfit: unfitOf(segment.unfit) }),
  };
}

/** The first range takes what the others leave: its line may have been shown before. */
function withLines(segments: (Keep | Elide)[], lines: number): (Keep | Elide)[] {
  const first = segments.findIndex(({ kind }) => kind === 'keep');
  const others = segments.reduce(
    (all, each, i) => all + (each.kind === 'keep' && i !== first ? each.lines : 0),
    0,
  );
  return segments.map((each, i) => (i === first ? { ...each, lines: lines - others } : each));
}

function linesIn({ breaks }: Extent, pieces: readonly Piece[]): number {
  const last = pieces.at(-1)?.bytes ?? new Uint8Array(0);
  return breaks + (last.length > 0 && !isLineStart(last, last.length) ? 1 : 0);
}

function concat(pieces: readonly Piece[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only.bytes;
  return Buffer.concat(pieces.map(({ bytes }) => bytes));
}
