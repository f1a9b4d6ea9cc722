/**
 * The lines of a part that tell of an error or a warning, as data: for people who look at the whole
 * output. A line is judged by itself, as strategies judge it before they look at its surroundings.
 */
import type { Piece } from '../../model/piece.ts';
import { textOf } from './candidate.ts';
import { featuresOf } from './features.ts';
import { isSureFailure } from './sure.ts';
import { isError, isWarning } from './tally.ts';
import { UnitFeed } from './units.ts';
import { ESCAPES, type Lexicon, NO_CUE } from './words.ts';

/** Lines of one kind. */
export interface FoundLines {
  total: number;
  /** Numbers of the first of them. */
  readonly lines: number[];
}

const MOST_LINES = 20_000;

export class LineFindings {
  readonly errors: FoundLines = { total: 0, lines: [] };
  readonly warnings: FoundLines = { total: 0, lines: [] };
  readonly #feed: UnitFeed;
  readonly #isShown: (line: number) => boolean;
  readonly shown = { errors: 0, warnings: 0 };

  /**
   * `isShown`: whether the model was shown a line. `evidence`: `sure` in text that no program
   * printed.
   */
  constructor(lexicon: Lexicon, evidence: 'any' | 'sure', isShown: (line: number) => boolean) {
    this.#isShown = isShown;
    this.#feed = new UnitFeed(lexicon, (unit) => {
      if ((unit.mask & ~NO_CUE) === 0) return;
      const text = textOf(unit);
      const features = featuresOf(text, unit.mask & ~ESCAPES, lexicon);
      const isSure = () => isSureFailure(text, unit.stamp > 0 ? 'stamped' : 'bare');
      const line = unit.start.breaks + 1;
      if (features.warns) this.#note('warnings', line);
      else if (features.raw > 0 && ((evidence === 'any' && isError(features)) || isSure()))
        this.#note('errors', line);
      else if (evidence === 'any' && isWarning(features, lexicon.warning)) this.#note('warnings', line);
    });
  }

  push(piece: Piece): void {
    this.#feed.push(piece);
  }

  finish(): void {
    this.#feed.finish();
  }

  #note(kind: 'errors' | 'warnings', line: number): void {
    const found = this[kind];
    // A long line is looked at in segments.
    if (found.lines.at(-1) === line) return;
    found.total++;
    if (this.#isShown(line)) this.shown[kind]++;
    if (found.lines.length < MOST_LINES) found.lines.push(line);
  }
}
