/**
 * The words of a query, and where they stand in a text that comes piece by piece. Words are compared
 * in lower case, as parts of longer ones too. Linear in the text, for each word of the query.
 */
import type { LinePosition, LineSink } from '../../text/lines.ts';

/** A line that holds words of the query; `part` names its part where there are several. */
export interface SearchedLine {
  readonly part: string | undefined;
  readonly line: number;
  readonly text: string;
}

const MOST_TERMS = 12;
/** Longer words are cut: the cost of a search grows with the length. */
const LONGEST_TERM = 100;
const MOST_LINES = 3;
const LINE_CHARS = 240;
const LEAD_CHARS = 60;
const SMALL_WORDS = new Set(
  'a an and are as at be by for from in is it of on or that the to was were with'.split(' '),
);

/** Words and numbers with the signs inside them; quoted words stay together. */
export function termsOf(query: string): readonly string[] {
  const lower = query.toLowerCase().normalize('NFC');
  const quoted = [...lower.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words.trim());
  const rest = lower.replaceAll(/"[^"]*"/g, ' ').match(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_./:@#-]*/gu) ?? [];
  const words = rest.map(withoutEnd);
  const all = [...new Set([...quoted, ...words].map((term) => term.slice(0, LONGEST_TERM)))].filter(Boolean);
  const rare = all.filter((term) => !SMALL_WORDS.has(term));
  return (rare.length === 0 ? all : rare).slice(0, MOST_TERMS);
}

function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && './:@#-'.includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

export class TermCounter {
  readonly #terms: readonly string[];
  readonly #counts: number[];
  readonly #longest: number;
  #held = '';
  #chars = 0;

  constructor(terms: readonly string[]) {
    this.#terms = terms;
    this.#counts = terms.map(() => 0);
    this.#longest = Math.max(1, ...terms.map(({ length }) => length));
  }

  add(text: string): void {
    this.#chars += text.length;
    const all = this.#held + text.toLowerCase();
    const end = Math.max(0, all.length - this.#longest + 1);
    this.#count(all, end);
    this.#held = all.slice(end);
  }

  get counted(): { readonly counts: readonly number[]; readonly chars: number } {
    this.#count(this.#held, this.#held.length);
    this.#held = '';
    return { counts: this.#counts, chars: this.#chars };
  }

  #count(text: string, end: number): void {
    for (const [i, term] of this.#terms.entries())
      for (let at = text.indexOf(term); at >= 0 && at < end; at = text.indexOf(term, at + term.length))
        this.#counts[i] = (this.#counts[i] ?? 0) + (isWord(text, at, term.length) ? WHOLE_WORD : 1);
  }
}

/** A whole word counts as much as this many words that only hold it. */
const WHOLE_WORD = 3;

function isWord(text: string, at: number, length: number): boolean {
  return !isWordChar(text.charCodeAt(at - 1)) && !isWordChar(text.charCodeAt(at + length));
}

/** Letters in lower case, digits and `_`; beyond ASCII everything counts as one. */
function isWordChar(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit >= 0x80;
}

interface ScoredLine extends SearchedLine {
  readonly score: number;
}

export class LineFinder implements LineSink {
  readonly #terms: readonly string[];
  #best: ScoredLine[] = [];
  /** Names the part that is searched, where there are several. */
  part: string | undefined;

  constructor(terms: readonly string[]) {
    this.#terms = terms;
  }

  get best(): readonly SearchedLine[] {
    return this.#best;
  }

  text(text: string, { number }: LinePosition): void {
    this.#look(text, number);
  }

  end(): void {}

  #look(line: string, number: number): void {
    const lower = line.toLowerCase();
    const found = this.#terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
    if (found.length === 0) return;
    const worst = this.#best.reduce((least, { score }) => Math.min(least, score), Number.POSITIVE_INFINITY);
    if (this.#best.length >= MOST_LINES && found.length <= worst) return;
    const text = around(line, Math.min(...found));
    const lines = [...this.#best, { part: this.part, line: number, text, score: found.length }];
    if (lines.length > MOST_LINES)
      lines.splice(
        lines.findLastIndex(({ score }) => score === worst),
        1,
      );
    this.#best = lines;
  }
}

function around(line: string, at: number): string {
  if (line.length <= LINE_CHARS) return line.trim();
  const from = Math.max(0, at - LEAD_CHARS);
  const shown = line
    .slice(from, from + LINE_CHARS)
    .toWellFormed()
    .trim();
  return `${from > 0 ? '… ' : ''}${shown}${from + LINE_CHARS < line.length ? ' …' : ''}`;
}
