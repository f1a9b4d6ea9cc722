/**
 * `element` for search hits (`rg`, `grep -n`). Lines that define something come first, then the
 * first hit of every file, then the hits that bring most new names; lines around hits come last.
 * Files stay in order, and every file is named: by a hit or, where there are too many files, in the
 * list of the gap it is in. What is left out is counted.
 */
import type {
  Gap,
  Line,
  LineFacts,
  LineGrammar,
  TextStart,
  Unit,
  UnitChoice,
} from '../../model/line-grammar.ts';
import type { OmittedThings } from '../../model/selection.ts';
import { FirstSeen } from '../../text/first-seen.ts';
import { pluralize } from '../../text/numbers.ts';
import { fillByNames, UnitNames } from '../by-line/fill-by-names.ts';
import { listNames, oneLine } from '../by-line/names.ts';
import { HitLines, hitForm } from './lines.ts';
import { planHits } from './plan.ts';
import { searchedWord } from './word.ts';

const DEFINES =
  /^\s*(?:export |default |pub(?:\([a-z]+\))? |public |private |protected |internal |static |async |abstract |final |override |unsafe |extern |declare |inline |const (?=fn|class))*(?:function\*? |class |def |fn |func |interface |type \w+ ?[=<{]|struct |enum |trait |impl\b|module |namespace |macro_rules!|#define |CREATE (?:TABLE|VIEW|FUNCTION|INDEX)|(?:const|let|var|val) [\w$]+ ?(?::[^=]*)?=)/i;
const LOOKED_AT = 300;
/** Longer hits are named with their line when omitted. */
const LONG_HIT = 1_000;
const MOST_NAMES_WORTH = 3;

export class Hits implements LineGrammar {
  readonly #lines: HitLines;
  readonly #isHits: boolean;
  readonly #word: RegExp | null;
  readonly #firstOfFile: number;
  readonly #relevance: LineFacts['relevance'];
  readonly #names = new FirstSeen();
  readonly #unitNames = new UnitNames();
  #file = 0;
  #path = '';
  #name = '';
  #seenInFile = 0;
  #hits = 0;
  #others = 0;
  #headings = 0;

  constructor(start: TextStart, { policy, relevance }: LineFacts) {
    const form = hitForm(start);
    this.#isHits = form !== null;
    this.#lines = new HitLines(form ?? 'numbered');
    this.#word = form === null ? null : searchedWord(start, form);
    this.#firstOfFile = policy.firstElements;
    this.#relevance = relevance;
  }

  begins(line: Line, open: Unit | null): boolean {
    const lines = this.#lines;
    lines.read(line);
    const newFile = lines.kind === 'heading' || lines.path !== this.#path;
    // The last hit of a file is worth more than one in its middle.
    if (newFile && open !== null && open.count > 0) open.score = Math.max(open.score, 1);
    if (newFile) this.#nextFile(lines.path);
    return true;
  }

  note(line: Line, unit: Unit): void {
    const { kind } = this.#lines;
    unit.group = this.#file;
    unit.name = this.#name;
    unit.role = kind;
    if (kind === 'heading') {
      unit.score = 10;
      this.#headings++;
      return;
    }
    if (kind === 'other') {
      if (line.to - line.from > 2) this.#others++;
      return;
    }
    if (kind === 'around') return;
    this.#hits++;
    // Hardly shown: a minified file is one line.
    if (line.to - line.from > LONG_HIT) unit.name = this.#nameWithNumber(line);
    unit.count = 1;
    unit.depth = this.#worth(line);
    const ordinal = this.#seenInFile++;
    unit.heads = ordinal === 0 ? 1 : 0;
    unit.tier = ordinal === 0 ? 0 : 1;
    const newNames = this.#names.add(line.bytes, this.#lines.textFrom, line.to);
    const names = Math.min(MOST_NAMES_WORTH, newNames);
    const isFirst = ordinal < this.#firstOfFile ? 1 - ordinal / 100 : 0;
    unit.score = ordinal === 0 ? 10 : unit.depth * 2 + Math.max(isFirst, names);
  }

  failure(): string | null {
    if (!this.#isHits || this.#hits === 0) return 'no search hits were found in it';
    return this.#others > this.#hits ? 'most lines are no search hits' : null;
  }

  plan(choice: UnitChoice): void {
    planHits(choice, this.#headings > 0, (candidates) =>
      fillByNames(choice, candidates, this.#unitNames, this.#relevance),
    );
  }

  label(gap: Gap): OmittedThings | undefined {
    const { count, groups, hidden, listChars } = gap;
    if (count === 0) return undefined;
    const of = groups === 1 ? this.#fileOf(gap) : pluralize(groups, 'file');
    // The neighbours name their own files.
    const list = groups > 1 && hidden > 0 && listChars > 0 ? listNames(gap, listChars) : '';
    return { unit: 'hit', count, ...(of === '' ? {} : { of: list === '' ? of : `${of}: ${list}` }) };
  }

  #fileOf({ count, first, nameAt }: Gap): string {
    return oneLine(count === 1 && first !== undefined ? first.name : nameAt(0).replace(/:\d+$/, ''));
  }

  #nameWithNumber(line: Line): string {
    const number = this.#lines.numberOf(line);
    return number === '' ? this.#name : `${this.#name}:${number}`;
  }

  #nextFile(path: string): void {
    this.#file++;
    this.#path = path;
    this.#name = oneLine(path);
    this.#seenInFile = 0;
  }

  /** 3: defines something; 1: has the searched word as a word. */
  #worth({ bytes, to }: Line): number {
    const from = this.#lines.textFrom;
    const end = Math.min(to, from + LOOKED_AT);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, end - from)).toString(
      'latin1',
    );
    return (DEFINES.test(text) ? 3 : 0) + (this.#word?.test(text) ? 1 : 0);
  }
}
