/**
 * Of very many parts a projection shows the first and the last ones and counts the rest. So only
 * those are kept; what lies between becomes one section that stands for all of them, and one for
 * the blank ones among them. Invariant: of telling parts and of blank ones, everything that a
 * projection of at most `reachChars` chars may show is still there. Memory is bounded by that, not
 * by the number of parts.
 */
import type { PartRecord } from '../model/part.ts';
import type { Selection } from '../model/selection.ts';
import type { Selector } from '../model/strategy.ts';
import type { PartRun, Section } from './section.ts';
import { leastPrice } from './views.ts';

/** Parts without a byte show nothing; a few are kept for their labels. */
const MOST_EMPTY = 100;

/**
 * Takes the parts of an output: the first thousand in order, and, at the same time, those after
 * them in order.
 */
export class Gathering {
  readonly #reachChars: number;
  readonly #early: Group;
  /** Few outputs have so many parts. */
  #late: Group | undefined;

  constructor(reachChars: number) {
    this.#reachChars = reachChars;
    this.#early = new Group(reachChars);
  }

  add(part: Pick<Section, 'part' | 'selector' | 'blank'>, position: 'early' | 'late'): void {
    if (position === 'late') this.#late ??= new Group(this.#reachChars);
    (position === 'late' ? this.#late : this.#early)?.add(part);
  }

  /** What is left of them, in order. */
  get sections(): Section[] {
    if (this.#late === undefined) return this.#early.sections;
    const before = this.#early.texts;
    const late = this.#late.sections.map((section) =>
      section.ordinal === null ? section : { ...section, ordinal: before + section.ordinal },
    );
    return [...this.#early.sections, ...late];
  }
}

class Group {
  readonly #visible: Ends;
  readonly #blank: Ends;
  readonly #empty = new Ends(MOST_EMPTY);
  #texts = 0;

  constructor(reachChars: number) {
    this.#visible = new Ends(reachChars);
    this.#blank = new Ends(reachChars);
  }

  add({ part, selector, blank }: Pick<Section, 'part' | 'selector' | 'blank'>): void {
    const ordinal = selector === null ? null : ++this.#texts;
    const ends = !blank ? this.#visible : part.bytes > 0 ? this.#blank : this.#empty;
    ends.add({ part, selector, blank, ordinal: ordinal });
  }

  get texts(): number {
    return this.#texts;
  }

  get sections(): Section[] {
    return [this.#visible, this.#blank, this.#empty]
      .flatMap((ends) => ends.sections)
      .sort((a, b) => a.part.index - b.part.index);
  }
}

/**
 * The first and the last of a kind; the oldest of the last ones (a set keeps its order) gives way
 * to what stands for all between.
 */
class Ends {
  readonly #reachChars: number;
  readonly #first: Section[] = [];
  readonly #last = new Set<Section>();
  #firstPrice = 0;
  #lastPrice = 0;
  #between: Between | null = null;

  constructor(reachChars: number) {
    this.#reachChars = reachChars;
  }

  add(section: Section): void {
    const price = leastPrice(section);
    if (this.#firstPrice < this.#reachChars) {
      this.#firstPrice += price;
      this.#first.push(section);
      return;
    }
    this.#lastPrice += price;
    this.#last.add(section);
    for (const oldest of this.#last) {
      const left = this.#lastPrice - leastPrice(oldest);
      if (left < this.#reachChars) break;
      this.#lastPrice = left;
      this.#between ??= new Between(oldest);
      this.#between.add(oldest);
      this.#last.delete(oldest);
    }
  }

  get sections(): Section[] {
    const between = this.#between === null ? [] : [this.#between.section()];
    return [...this.#first, ...between, ...this.#last];
  }
}

/** What stands for parts of which nothing will be shown: their sums. */
class Between {
  readonly #first: Section;
  #parts = 0;
  #texts = 0;
  #last: number;
  readonly #sums = { bytes: 0, chars: 0, lines: 0, illFormed: 0 };

  constructor(first: Section) {
    this.#first = first;
    this.#last = first.part.index;
  }

  add({ part, ordinal }: Section): void {
    this.#parts++;
    if (ordinal !== null) this.#texts++;
    this.#last = part.index;
    this.#sums.bytes += part.bytes;
    this.#sums.chars += part.chars;
    this.#sums.lines += part.lines;
    this.#sums.illFormed += part.illFormed;
  }

  section(): Section {
    const { part, ordinal, blank } = this.#first;
    const run: PartRun = {
      parts: this.#parts,
      texts: this.#texts,
      last: this.#last,
      firstBytes: part.bytes,
    };
    const all: PartRecord = { ...part, ...this.#sums };
    return { part: all, selector: new Nothing(all), blank, ordinal: ordinal, run };
  }
}

/** Leaves out everything. */
class Nothing implements Selector {
  readonly #part: PartRecord;

  constructor(part: PartRecord) {
    this.#part = part;
  }

  push(): void {}

  select(): Selection {
    const { bytes, chars, lines } = this.#part;
    if (bytes === 0) return [];
    return [{ kind: 'omit', start: 0, end: bytes, chars, lines, firstLine: 1, lastLine: lines }];
  }

  bytes(): Uint8Array {
    throw new RangeError('a selection may only keep what its selector still holds');
  }
}
