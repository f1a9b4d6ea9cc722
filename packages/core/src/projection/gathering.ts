/**
 * Of very many parts, only the first and last are kept; what lies between becomes one section, and
 * one for the blank parts. Invariant: everything that a projection of `reachChars` may show is
 * there. Memory does not depend on the number of parts.
 */
import type { PartRecord, PartSpec } from '../model/part.ts';
import type { PartText, Selected } from '../model/part-text.ts';
import type { Selection } from '../model/selection.ts';
import { JoinedBlocks } from './joined-blocks.ts';
import { leastPrice, PLAIN, type Section } from './section.ts';

/** From this many blocks on they are judged together. */
const LEAST_JOINED = 10;

export type JointText = (like: PartSpec) => PartText;

/** Empty parts show nothing; some are kept for their labels. */
const MOST_EMPTY = 100;

/** Takes the parts of an output in order. */
export class Gathering {
  readonly #visible: Ends;
  readonly #blank: Ends;
  readonly #empty = new Ends(MOST_EMPTY);
  readonly #joint: JointText | null;
  #texts = 0;
  #blocks: Section[] = [];
  #joined: JoinedBlocks | undefined;

  /** `joint`: creates the text of joined blocks; null if blocks may not be joined. */
  constructor(reachChars: number, joint: JointText | null = null) {
    this.#joint = joint;
    this.#visible = new Ends(reachChars);
    this.#blank = new Ends(reachChars);
  }

  add({ part, text, blank }: Pick<Section, 'part' | 'text' | 'blank'>): void {
    const section = { part, text, blank, ordinal: text === null ? null : ++this.#texts };
    if (blank) (part.bytes === 0 ? this.#empty : this.#blank).add(section);
    else if (!this.#join(section)) this.#visible.add(section);
  }

  /** In order. */
  get sections(): Section[] {
    const blocks = this.#joined === undefined ? this.#blocks : [this.#joined.section()];
    const ends = [this.#visible, this.#blank, this.#empty].flatMap(({ sections }) => sections);
    return [...ends, ...blocks].sort((a, b) => a.part.index - b.part.index);
  }

  #join(section: Section): boolean {
    const { part, text } = section;
    const [first = section] = this.#blocks;
    const isPlain = part.labelled !== true && part.encoding === undefined && part.notes.length === 0;
    if (this.#joint === null || !isPlain || part.name !== first.part.name) return false;
    const pieces = text?.lines?.() ?? null;
    if (pieces === null) return false;
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

class Ends {
  readonly #reachChars: number;
  readonly #first: Section[] = [];
  readonly #last = new Set<Section>();
  #firstPrice = 0;
  #lastPrice = 0;
  #between: Section | null = null;

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
      this.#between = hidden(this.#between, oldest);
      this.#last.delete(oldest);
    }
  }

  get sections(): Section[] {
    return [...this.#first, ...(this.#between === null ? [] : [this.#between]), ...this.#last];
  }
}

/** A part that is not shown, together with those right before it: one section with their sums. */
function hidden(before: Section | null, { part, blank, ordinal }: Section): Section {
  const { run, ...first } = before ?? { part, blank, ordinal };
  const sum = (unit: 'bytes' | 'chars' | 'lines' | 'illFormed') => (before?.part[unit] ?? 0) + part[unit];
  const sums = { bytes: sum('bytes'), chars: sum('chars'), lines: sum('lines'), illFormed: sum('illFormed') };
  const all = { ...first.part, ...sums };
  return {
    ...{ ...first, part: all, text: { push() {}, compare() {}, select: () => nothingOf(all) } },
    run: {
      parts: (run?.parts ?? 0) + 1,
      texts: (run?.texts ?? 0) + Number(ordinal !== null),
      last: part.index,
      firstBytes: run?.firstBytes ?? part.bytes,
    },
  };
}

function nothingOf({ bytes: end, chars, lines }: PartRecord): Selected {
  const selection: Selection =
    end === 0 ? [] : [{ kind: 'omit', start: 0, end, chars, lines, firstLine: 1, lastLine: lines }];
  return { ...PLAIN, decidedBy: 'none', selection, texts: selection.map(() => '') };
}
