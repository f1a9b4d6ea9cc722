/**
 * Lines in which a program says what it made: a commit, an address, an image. A reader of a command
 * that succeeded looks for them first. The first and the last few are remembered, each in memory of
 * its own.
 */
import { textOf } from './candidate.ts';
import { copyOf } from './open-block.ts';
import type { Unit } from './units.ts';

/** `[main 7238eaa] Add the report`, above the files that changed. */
const COMMIT = /^\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] \S/;

const CHANGED = /^ \d+ files? changed, /;

const MOST_FIRST = 4;
const MOST_LAST = 4;

export class Results {
  readonly #first: Unit[] = [];
  readonly #last: Unit[] = [];

  /** A line that says so. `above`: the line before it. */
  add(unit: Unit, above: Unit | undefined): void {
    if (CHANGED.test(textOf(unit))) {
      // In the history of a repository there is one for each commit.
      if (above === undefined || !COMMIT.test(textOf(above))) return;
      this.#keep(above);
    }
    this.#keep(unit);
  }

  /** In order. */
  get units(): readonly Unit[] {
    return [...this.#first, ...this.#last];
  }

  #keep(unit: Unit): void {
    if (this.#first.length < MOST_FIRST) this.#first.push(copyOf(unit));
    else {
      this.#last.push(copyOf(unit));
      if (this.#last.length > MOST_LAST) this.#last.shift();
    }
  }
}
