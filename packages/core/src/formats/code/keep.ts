/**
 * `element` for source code: cut between blocks, never inside one. Header and imports stay, then
 * whole blocks; of classes that are too long, whole members. What is left out is named by its first
 * lines: `parse, render, class Store, lines 120-480`. A text without blocks fails.
 */
import type { OmittedThings } from '../../model/selection.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { Choice } from '../by-line/choice.ts';
import type { Gap } from '../by-line/gap-sums.ts';
import { type Line, linesOfSample } from '../by-line/line-reader.ts';
import { type LineGrammar, lineStrategy, type Sample } from '../by-line/line-strategy.ts';
import { joinList, MOST_OF_CHARS, shortList } from '../by-line/names.ts';
import { Showable } from '../by-line/showable.ts';
import type { Span } from '../by-line/span.ts';
import { CodeLines } from './lines.ts';
import { planCode } from './plan.ts';

/**
 * `family` is what detection knows of the language: `c-like`, `python-like`, `ruby-like`, `shell`.
 */
export function keepCode(family?: string): Strategy {
  return lineStrategy(
    'element:code',
    (sample, _policy, reachChars) =>
      new Code(linesFor(sample, family), sample.bytes.includes(0), new Showable(reachChars)),
  );
}

const WITHOUT_BRACES = new Set(['python-like', 'ruby-like', 'shell']);

function linesFor(sample: Sample, family: string | undefined): CodeLines {
  const lines = linesOfSample(sample.bytes, sample.complete, 400);
  const often = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const python = often(/^\s*(?:def|class|if|for|elif|else|try|with)\b.*:\s*(?:#.*)?$/) * 20 > lines.length;
  const braces =
    family === undefined ? often(/[{}]/) * 15 > lines.length && !python : !WITHOUT_BRACES.has(family);
  return new CodeLines(braces);
}

/** The least number of blocks of a text that is cut between them. */
const FEWEST_BLOCKS = 2;

class Code implements LineGrammar {
  readonly #lines: CodeLines;
  readonly #isBinary: boolean;
  #block = 0;
  #top = 0;
  readonly #showable: Showable;

  constructor(lines: CodeLines, isBinary: boolean, showable: Showable) {
    this.#lines = lines;
    this.#showable = showable;
    this.#isBinary = isBinary;
  }

  begins(line: Line, open: Span | null): boolean {
    return this.#lines.begins(line, open === null);
  }

  note(_line: Line, span: Span): void {
    const { role, name } = this.#lines;
    if (span.lines === 0) {
      this.#block++;
      span.group(this.#block, '');
      span.role = role;
      if (role !== 'member') this.#top = this.#block;
      span.depth = this.#top;
    }
    if (span.name === '' && name !== null) {
      span.name = name;
      span.role = role;
      span.count = 1;
    }
  }

  close(span: Span): void {
    const { role, chars } = span;
    this.#showable.add(chars);
    span.tier = role === 'header' || role === 'class' ? 0 : 1;
    span.score =
      role === 'header'
        ? 10
        : role === 'class'
          ? 5
          : 2 - Math.min(1, chars / 1e5) - (span.count === 0 ? 0.5 : 0);
  }

  failure(): string | null {
    if (this.#isBinary || this.#lines.blocks < FEWEST_BLOCKS) return 'it has no blocks to cut between';
    return this.#showable.tooLittle ? 'its blocks are longer than what can be shown' : null;
  }

  plan(choice: Choice): void {
    planCode(choice);
  }

  mostChars(gap: Gap): number {
    return gap.count === 0 ? -1 : MOST_OF_CHARS;
  }

  things({ count, first, last }: Gap, names: () => string): OmittedThings | undefined {
    if (count === 0) return undefined;
    const lines = `lines ${first.line}-${last.line + last.lines - 1}`;
    const list = shortList(names(), MOST_OF_CHARS - lines.length - 2);
    return { unit: 'block', count, of: list === '' ? lines : `${list}, ${lines}` };
  }

  joinNames(one: string, other: string): string {
    return joinList(one, other);
  }
}
