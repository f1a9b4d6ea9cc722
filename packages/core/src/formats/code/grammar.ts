/**
 * `element` for source code: cut between blocks, never inside one. Header and imports stay, then
 * whole blocks; of classes that are too long, whole members. What is left out is named by its first
 * lines: `parse, render, class Store, lines 120-480`. A text without blocks fails.
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
import { listNames, MOST_OF_CHARS } from '../by-line/names.ts';
import { linesOfStart } from '../by-line/start.ts';
import { CodeLines } from './lines.ts';

/**
 * Header first, then first lines of classes, then whole blocks, smaller ones before very long ones.
 */
const HEADER_SHARE = 0.6;
const CLASSES_SHARE = 0.5;
/** Larger blocks wait for the others. */
const LARGE = 0.25;

function planCode(choice: UnitChoice): void {
  const { share, units } = choice;
  const tops = new Map<number, number>();
  const by = (test: (role: string) => boolean) =>
    units.flatMap((unit, i) => (unit.isWhole && test(unit.role) ? [i] : []));
  units.forEach((unit, index) => {
    if (unit.role === 'class' && unit.isWhole) tops.set(unit.group, index);
  });
  const bundle = (index: number): number[] => {
    const top = tops.get(units[index]?.depth ?? -1);
    return top === undefined || top === index ? [index] : [top, index];
  };
  const part = (ratio: number) => choice.chars + (share.chars - choice.chars) * ratio;
  const header = part(HEADER_SHARE);
  for (const index of by((role) => role === 'header')) choice.add([index], header);
  const classes = part(CLASSES_SHARE);
  for (const index of by((role) => role === 'class')) choice.add([index], classes);
  for (const wanted of ['block', 'member'])
    for (const index of by((role) => role === wanted))
      if ((units[index]?.chars ?? 0) <= share.chars * LARGE) choice.add(bundle(index));
  for (const index of by(() => true)) choice.add(bundle(index));
}

const WITHOUT_BRACES = new Set(['python-like', 'ruby-like', 'shell']);

/** `family`: the language as detected: `c-like`, `python-like`, `ruby-like`, `shell`. */
function linesFor(start: TextStart, family: string | undefined): CodeLines {
  const lines = linesOfStart(start, 400);
  const often = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const python = often(/^\s*(?:def|class|if|for|elif|else|try|with)\b[^#]*:\s*(?:#.*)?$/) * 20 > lines.length;
  const braces =
    family === undefined ? often(/[{}]/) * 15 > lines.length && !python : !WITHOUT_BRACES.has(family);
  return new CodeLines(braces);
}

const FEWEST_BLOCKS = 2;

export class Code implements LineGrammar {
  readonly longThings = 'blocks';
  readonly #lines: CodeLines;
  readonly #isBinary: boolean;
  #block = 0;
  #top = 0;

  constructor(start: TextStart, { detected }: LineFacts) {
    this.#lines = linesFor(start, detected.detail);
    this.#isBinary = start.bytes.includes(0);
  }

  begins(line: Line, open: Unit | null): boolean {
    return this.#lines.begins(line, open === null);
  }

  note(_line: Line, unit: Unit): void {
    const { role, name } = this.#lines;
    if (unit.lines === 0) {
      this.#block++;
      unit.group = this.#block;
      unit.role = role;
      if (role !== 'member') this.#top = this.#block;
      unit.depth = this.#top;
    }
    if (unit.name === '' && name !== null) {
      unit.name = name;
      unit.role = role;
      unit.count = 1;
    }
  }

  close(unit: Unit): void {
    const { role, chars } = unit;
    unit.tier = role === 'header' || role === 'class' ? 0 : 1;
    unit.score =
      role === 'header'
        ? 10
        : role === 'class'
          ? 5
          : 2 - Math.min(1, chars / 1e5) - (unit.count === 0 ? 0.5 : 0);
  }

  failure(): string | null {
    if (this.#isBinary || this.#lines.blocks < FEWEST_BLOCKS) return 'it has no blocks to cut between';
    return null;
  }

  plan(choice: UnitChoice): void {
    planCode(choice);
  }

  label(gap: Gap): OmittedThings | undefined {
    const { count, firstLine, lastLine } = gap;
    if (count === 0) return undefined;
    const lines = `lines ${firstLine}-${lastLine}`;
    const list = listNames(gap, MOST_OF_CHARS - lines.length - 2);
    return { unit: 'block', count, of: list === '' ? lines : `${list}, ${lines}` };
  }
}
