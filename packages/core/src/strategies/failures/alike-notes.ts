/**
 * What the marker of a gap says of diagnostics above it: in how many more lines the same is said,
 * and where. Each kind is told once, at the first gap behind its first line.
 */
import type { OmittedThings } from '../../model/selection.ts';
import { alikeWords, type DiagnosticGroup, LISTED_CHARS, mostAlikeChars } from './diagnostics.ts';

/** A run that is shown. */
interface ShownRun {
  readonly start: { readonly bytes: number; readonly breaks: number };
  /** The diagnostics that say the same, if it is one. */
  readonly group?: { readonly of: DiagnosticGroup; readonly isFirst: boolean };
}

interface Pending {
  readonly line: number;
  readonly words: string;
  readonly count: number;
}

/** `; ` and ` as line 123456789`, or `: `. */
const AS_LINE_CHARS = 22;
/**
 * A marker tells of so many kinds, those with most lines first; the others wait for the next one.
 */
const MOST_AT_A_GAP = 3;
/** What the places of a kind may take more where there is room. */
const MORE_LISTED_CHARS = 80;

export class AlikeNotes {
  /** Where the shown lines of each group begin. */
  readonly #shown = new Map<DiagnosticGroup, Set<number>>();
  #pending: Pending[] = [];

  /** The groups there is room to tell of, and what their places may take. */
  readonly #groups = new Map<DiagnosticGroup, number>();

  /**
   * `runs`: all that is shown. `room`: the chars that notes may take; the groups with most lines
   * come first.
   */
  constructor(runs: readonly ShownRun[], room: number) {
    for (const run of runs) {
      if (run.group === undefined) continue;
      const starts = this.#shown.get(run.group.of) ?? new Set();
      this.#shown.set(run.group.of, starts.add(run.start.bytes));
    }
    let left = room;
    const groups = [...this.#shown].filter(([{ count }, { size }]) => count > size).map(([group]) => group);
    for (const group of groups.sort((a, b) => b.count - a.count || b.id - a.id)) {
      const chars = mostAlikeChars(group, LISTED_CHARS) + AS_LINE_CHARS;
      if (chars > left) continue;
      left -= chars;
      this.#groups.set(group, LISTED_CHARS);
    }
    for (const group of this.#groups.keys()) {
      if (left < MORE_LISTED_CHARS) break;
      left -= MORE_LISTED_CHARS;
      this.#groups.set(group, LISTED_CHARS + MORE_LISTED_CHARS);
    }
  }

  /** A run that is shown. */
  add(run: ShownRun): void {
    const listedChars = run.group?.isFirst === true ? this.#groups.get(run.group.of) : undefined;
    if (run.group === undefined || listedChars === undefined) return;
    const words = alikeWords(run.group.of, this.#shown.get(run.group.of) ?? new Set(), listedChars);
    const { count } = run.group.of;
    if (words !== null) this.#pending.push({ line: run.start.breaks + 1, words, count });
  }

  /** What the next gap says; undefined if there is nothing to say. */
  atGap(): OmittedThings | undefined {
    if (this.#pending.length === 0) return undefined;
    const isOne = this.#pending.length === 1;
    const largest = this.#pending.toSorted((a, b) => b.count - a.count).slice(0, MOST_AT_A_GAP);
    this.#pending = this.#pending.filter((each) => !largest.includes(each));
    const of = largest
      .map(({ line, words }) => (isOne ? words : words.replace('the same in', `the same as line ${line} in`)))
      .join('; ');
    return { unit: 'alike', count: 1, of };
  }
}
