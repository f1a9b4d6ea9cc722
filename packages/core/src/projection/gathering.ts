/**
 * Of very many parts, only the first and last are kept; what lies between becomes one section, and
 * one for the blank parts. Invariant: everything that a projection of `reachChars` may show is
 * there. Memory does not depend on the number of parts.
 */
import type { PartRecord, PartSpec } from '../model/part.ts';
import type { PartText, Selected } from '../model/strategy.ts';
import { JoinedBlocks } from './joined-blocks.ts';
import type { PartRun, Section } from './section.ts';
import { leastPrice } from './views.ts';

/** From this many blocks on they are judged together. */
const LEAST_JOINED = 10;

export type JointText = (like: PartSpec) => PartText;

/** Empty parts show nothing; some are kept for their labels. */
const MOST_EMPTY = 100;

/** The first thousand in order, and in parallel those after them. */
export class Gathering {
  readonly #early: Group;
  readonly #late: Group;
  readonly #joint: JointText | null;
  /** Joined once there are enough. */
  #blocks: Section[] = [];
  #joined: JoinedBlocks | undefined;

  /** `joint`: creates the text of joined blocks; null if blocks may not be joined. */
  constructor(reachChars: number, joint: JointText | null = null) {
    this.#joint = joint;
    this.#early = new Group(reachChars);
    this.#late = new Group(reachChars);
  }

  add({ part, text, blank }: Pick<Section, 'part' | 'text' | 'blank'>, position: 'early' | 'late'): void {
    const group = position === 'late' ? this.#late : this.#early;
    const ordinal = text === null ? null : ++group.texts;
    const isJoined =
      !blank && this.#join({ part, text, blank, ordinal: (ordinal ?? 0) + this.#before(position) });
    if (!isJoined) group.add({ part, text, blank, ordinal });
  }

  /** In order. */
  get sections(): Section[] {
    const late = this.#late.sections.map((section) =>
      section.ordinal === null ? section : { ...section, ordinal: this.#before('late') + section.ordinal },
    );
    const blocks = this.#joined === undefined ? this.#blocks : [this.#joined.section()];
    return [...this.#early.sections, ...late, ...blocks].sort((a, b) => a.part.index - b.part.index);
  }

  /** Texts before a group. */
  #before(position: 'early' | 'late'): number {
    return position === 'late' ? this.#early.texts : 0;
  }

  #join(section: Section): boolean {
    const { part, text } = section;
    const [first = section] = this.#blocks;
    const isPlain = part.labelled !== true && part.encoding === undefined && part.notes.length === 0;
    if (this.#joint === null || !isPlain || part.name !== first.part.name) return false;
    const pieces = text?.lines?.() ?? null;
    if (pieces === null || this.#joined?.isBehind(part.index) === false) return false;
    if (this.#joined !== undefined) {
      this.#joined.add(section, pieces);
      return true;
    }
    this.#blocks.push(section);
    if (this.#blocks.length < LEAST_JOINED) return true;
    this.#joined = new JoinedBlocks(this.#joint(part), first);
    for (const block of this.#blocks) this.#joined.add(block, block.text?.lines?.() ?? []);
    this.#blocks = [first];
    return true;
  }
}

class Group {
  readonly #visible: Ends;
  readonly #blank: Ends;
  readonly #empty = new Ends(MOST_EMPTY);
  /** Including those that are not kept. */
  texts = 0;

  constructor(reachChars: number) {
    this.#visible = new Ends(reachChars);
    this.#blank = new Ends(reachChars);
  }

  add(section: Section): void {
    const isEmpty = section.part.bytes === 0;
    (section.blank ? (isEmpty ? this.#empty : this.#blank) : this.#visible).add(section);
  }

  get sections(): Section[] {
    return [this.#visible, this.#blank, this.#empty].flatMap((ends) => ends.sections);
  }
}

/** The first and last of a kind; the oldest of the last ones is summed up. */
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

/** Sums of parts that are not shown. */
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
    return { part: all, text: nothingOf(all), blank, ordinal, run };
  }
}

function nothingOf({ bytes: end, chars, lines }: PartRecord): PartText {
  const gap = { kind: 'omit', start: 0, end, chars, lines, firstLine: 1, lastLine: lines } as const;
  const facts = { why: null, grammar: null, findings: null, fallback: null, error: null, withheld: null };
  const selected: Selected = {
    ...{ ...facts, decidedBy: 'none', isExact: true, reasons: () => [] },
    selection: end === 0 ? [] : [gap],
    texts: end === 0 ? [] : [''],
  };
  return { push() {}, compare() {}, select: () => selected };
}
