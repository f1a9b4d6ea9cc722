/**
 * `element` for search hits (`rg`, `grep -n`). Lines that define something come first, then the
 * first hit of every file, then the hits that bring most new names; lines around hits come last.
 * Files stay in order, and every file is named: by a hit or, where there are too many files, in the
 * list of the gap it is in. What is left out is counted.
 */
import type { OmittedThings } from '../../model/selection.ts';
import type { Strategy } from '../../model/strategy.ts';
import { FirstSeen } from '../../text/first-seen.ts';
import { pluralize } from '../../text/numbers.ts';
import { Query } from '../../text/query.ts';
import type { Choice } from '../by-line/choice.ts';
import { fillByNames, SpanNames } from '../by-line/fill-by-names.ts';
import type { Gap } from '../by-line/gap-sums.ts';
import type { Line } from '../by-line/line-reader.ts';
import { type LineGrammar, lineStrategy } from '../by-line/line-strategy.ts';
import { joinList, MOST_OF_CHARS, oneLine, shortList } from '../by-line/names.ts';
import type { Span } from '../by-line/span.ts';
import { type HitForm, HitLines, hitForm } from './lines.ts';
import { planHits } from './plan.ts';
import { searchedWord } from './word.ts';

export const keepHits: Strategy = lineStrategy(
  'element:hits',
  (sample, policy, reachChars, { input, about }) => {
    const form = hitForm(sample);
    const word = form === null ? null : searchedWord(sample, form);
    return new Hits(form, word, policy.firstElements, reachChars, new Query(input, about));
  },
);

/** A line that says what something is. */
const DEFINES =
  /^\s*(?:export |default |pub(?:\([a-z]+\))? |public |private |protected |internal |static |async |abstract |final |override |unsafe |extern |declare |inline |const (?=fn|class))*(?:function\*? |class |def |fn |func |interface |type \w+ ?[=<{]|struct |enum |trait |impl\b|module |namespace |macro_rules!|#define |CREATE (?:TABLE|VIEW|FUNCTION|INDEX)|(?:const|let|var|val) [\w$]+ ?(?::[^=]*)?=)/i;
const LOOKED_AT = 300;
/** A longer one is named with its line where it is left out. */
const LONG_HIT = 1_000;
const MOST_NAMES_CHARS = 8_000;
/** What new names count at the most for remembering a hit. */
const MOST_NAMES_WORTH = 3;
/** `12 files: `. */
const FILES_CHARS = 20;

class Hits implements LineGrammar {
  readonly #lines: HitLines;
  readonly #isHits: boolean;
  readonly #word: RegExp | null;
  readonly #firstOfFile: number;
  readonly #query: Query;
  /** Names of files that are only counted are remembered up to here, in each gap. */
  readonly #mostNamesChars: number;
  readonly #names = new FirstSeen();
  #spanNames: SpanNames | undefined;
  #file = 0;
  #path = '';
  #name = '';
  #seenInFile = 0;
  #hits = 0;
  #others = 0;
  #headings = 0;

  constructor(
    form: HitForm | null,
    word: RegExp | null,
    firstOfFile: number,
    reachChars: number,
    query: Query,
  ) {
    this.#query = query;
    this.#isHits = form !== null;
    this.#lines = new HitLines(form ?? 'numbered');
    this.#word = word;
    this.#firstOfFile = firstOfFile;
    this.#mostNamesChars = Math.min(MOST_NAMES_CHARS, reachChars >> 1);
    this.joinNames = this.joinNames.bind(this);
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
    // It will hardly be shown: a minified file is one line.
    if (line.to - line.from > LONG_HIT) span.group(this.#file, this.#nameWithNumber(line));
    span.count = 1;
    span.depth = this.#worth(line);
    const ordinal = this.#seenInFile++;
    span.heads = ordinal === 0 ? 1 : 0;
    span.tier = ordinal === 0 ? 0 : 1;
    const newNames = this.#names.add(line.bytes, this.#lines.textFrom, line.to);
    const names = Math.min(MOST_NAMES_WORTH, newNames);
    const isFirst = ordinal < this.#firstOfFile ? 1 - ordinal / 100 : 0;
    span.score = ordinal === 0 ? 10 : span.depth * 2 + Math.max(isFirst, names);
  }

  failure(): string | null {
    if (!this.#isHits || this.#hits === 0) return 'no search hits were found in it';
    return this.#others > this.#hits ? 'most lines are no search hits' : null;
  }

  plan(choice: Choice, bytesOf: (span: Span) => Uint8Array): void {
    this.#spanNames ??= new SpanNames(bytesOf);
    const names = this.#spanNames;
    planHits(choice, this.#headings > 0, (candidates) => fillByNames(choice, candidates, names, this.#query));
  }

  mostChars(gap: Gap): number {
    if (gap.count === 0) return -1;
    if (gap.groups === 1) return Math.min(MOST_OF_CHARS, gap.first.name.length);
    return FILES_CHARS + (gap.hidden === 0 ? 0 : gap.listChars);
  }

  things(gap: Gap, names: () => string): OmittedThings | undefined {
    if (gap.count === 0) return undefined;
    const files = pluralize(gap.groups, 'file');
    // Files on both sides are named by their own lines.
    const isListed = gap.hidden > 0 && gap.groups > 1 && gap.listChars > 0;
    const list = isListed ? shortList(names(), gap.listChars) : '';
    // The number is that of one hit.
    const name = gap.count === 1 ? gap.first.name : gap.first.name.replace(/:\d+$/, '');
    const of = gap.groups === 1 ? oneLine(name) : list === '' ? files : `${files}: ${list}`;
    return { unit: 'hit', count: gap.count, ...(of === '' ? {} : { of }) };
  }

  joinNames(one: string, other: string): string {
    return joinList(one, other, this.#mostNamesChars);
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
