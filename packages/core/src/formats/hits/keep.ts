/**
 * `element` for search hits (`rg`, `grep -n`). Files stay in order; each that fits shows its first hit, then its best ones: lines that define
 * something, whole words rather than parts of them, then the first and last. What is left out is pluralize per file, and files of which nothing
 * is shown together.
 */
import type { OmittedThings } from '../../model/selection.ts';
import type { Strategy } from '../../model/strategy.ts';
import { pluralize } from '../../text/numbers.ts';
import type { Choice, Gap } from '../by-line/choice.ts';
import type { Line } from '../by-line/line-reader.ts';
import { type LineGrammar, lineStrategy } from '../by-line/line-strategy.ts';
import { MOST_OF_CHARS, oneLine } from '../by-line/names.ts';
import type { Span } from '../by-line/span.ts';
import { type HitForm, HitLines, hitForm } from './lines.ts';
import { planHits } from './plan.ts';
import { searchedWord } from './word.ts';

export const keepHits: Strategy = lineStrategy('element:hits', (sample, policy) => {
  const form = hitForm(sample);
  return new Hits(form, form === null ? null : searchedWord(sample, form), policy.firstElements);
});

/** A line that says what something is. */
const DEFINES =
  /^\s*(?:export |default |pub(?:\([a-z]+\))? |public |private |protected |internal |static |async |abstract |final |override |unsafe |extern |declare |inline |const (?=fn|class))*(?:function\*? |class |def |fn |func |interface |type \w+ ?[=<{]|struct |enum |trait |impl\b|module |namespace |macro_rules!|#define |CREATE (?:TABLE|VIEW|FUNCTION|INDEX)|(?:const|let|var|val) [\w$]+ ?(?::[^=]*)?=)/i;
const LOOKED_AT = 300;

class Hits implements LineGrammar {
  readonly #lines: HitLines;
  readonly #isHits: boolean;
  readonly #word: RegExp | null;
  readonly #firstOfFile: number;
  #file = 0;
  #path = '';
  #name = '';
  #seenInFile = 0;
  #hits = 0;
  #others = 0;
  #headings = 0;

  constructor(form: HitForm | null, word: RegExp | null, firstOfFile: number) {
    this.#isHits = form !== null;
    this.#lines = new HitLines(form ?? 'numbered');
    this.#word = word;
    this.#firstOfFile = firstOfFile;
  }

  begins(line: Line, open: Span | null): boolean {
    const lines = this.#lines;
    lines.read(line);
    const newFile = lines.kind === 'heading' || lines.path !== this.#path;
    // The last hit of a file is worth more than one in its middle.
    if (newFile && open !== null && open.count > 0) open.score = Math.max(open.score, 1);
    if (newFile) this.#nextFile(lines.path);
    return true;
  }

  note(line: Line, span: Span): void {
    const { kind } = this.#lines;
    span.group(this.#file, this.#name);
    span.role = kind;
    if (kind === 'heading') {
      span.score = 10;
      this.#headings++;
      return;
    }
    if (kind === 'other') {
      if (line.to - line.from > 2) this.#others++;
      return;
    }
    if (kind === 'around') return;
    this.#hits++;
    span.count = 1;
    span.depth = this.#worth(line);
    const place = this.#seenInFile++;
    span.heads = place === 0 ? 1 : 0;
    span.tier = place === 0 ? 0 : 1;
    span.score = place === 0 ? 10 : span.depth * 2 + (place < this.#firstOfFile ? 1 - place / 100 : 0);
  }

  failure(): string | null {
    if (!this.#isHits || this.#hits === 0) return 'no search hits were found in it';
    return this.#others > this.#hits ? 'most lines are no search hits' : null;
  }

  plan(choice: Choice): void {
    planHits(choice, this.#headings > 0);
  }

  mostChars(gap: Gap): number {
    if (gap.count === 0) return -1;
    return gap.groups === 1 ? Math.min(MOST_OF_CHARS, gap.first.name.length) : 20;
  }

  things(gap: Gap): OmittedThings | undefined {
    if (gap.count === 0) return undefined;
    const of = gap.groups === 1 ? oneLine(gap.first.name) : pluralize(gap.groups, 'file');
    return { unit: 'hit', count: gap.count, ...(of === '' ? {} : { of }) };
  }

  joinNames(one: string): string {
    return one;
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
