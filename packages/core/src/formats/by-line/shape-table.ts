/**
 * Tells which of many patterns a line may match, by what is quickly seen of it: how it begins and
 * ends, and which marks it holds. Of some hundred patterns a few are left to be tried. The table is
 * made once enough lines were looked at to pay for it.
 */
import { type CharSet, markBit, type Needs, needsOf } from './pattern-needs.ts';

/** Stands for a sign that is no ASCII, or for none. */
const OTHER = 128;
/** Stands for a blank before the first sign. */
const INDENTED = OTHER + 1;

/** So many lines are looked at without: a program that runs once sees fewer. */
const WORTH_A_TABLE = 2_000;

/** What is quickly seen of a line. A sign is a char that is no blank. */
export interface LineTraits {
  /** Its first sign, or more than that if a blank stands before it. */
  readonly first: number;
  readonly last: number;
  /** Bits of the marks that stand in it. */
  readonly marks: number;
  readonly isAscii: boolean;
}

export function traitsOf(text: string): LineTraits {
  const bits = marksTable();
  let first = OTHER;
  let last = OTHER;
  let marks = 0;
  let isAscii = true;
  let at = 0;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  if (at < text.length) first = Math.min(OTHER, text.charCodeAt(at)) + (at > 0 ? INDENTED : 0);
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= OTHER) isAscii = false;
    if (isBlank(code)) continue;
    last = code < OTHER ? code : OTHER;
    marks |= bits[last] as number;
  }
  return { first, last, marks, isAscii };
}

/** Patterns that a line may match. */
interface Possible {
  /** The number of their group. */
  readonly group: number;
  readonly pattern: RegExp;
  /** 1 for each last sign that the line may have. */
  readonly last: Uint8Array;
  readonly marks: number;
}

export class ShapeTable {
  readonly #groups: readonly RegExp[];
  #needs: readonly (readonly Needs[])[] | undefined;
  /** By the beginning of a line, once one began so. */
  readonly #byFirst = Array.from<readonly Possible[] | undefined>({ length: 2 * INDENTED });

  #unaided: number;

  /**
   * A pattern and its alternatives are a group. `unaided`: how many lines are looked at without a
   * table.
   */
  constructor(groups: readonly RegExp[], unaided = WORTH_A_TABLE) {
    this.#groups = groups;
    this.#unaided = unaided;
  }

  /** The first group in a range of them that a line matches; infinity if there is none. */
  find(text: string, { first, last, marks }: LineTraits, from = 0, to = Number.POSITIVE_INFINITY): number {
    if (this.#unaided > 0) return this.#tryAll(text, from, to);
    const possible = this.#byFirst[first] ?? this.#beginningWith(first);
    for (let i = 0; i < possible.length; i++) {
      const each = possible[i] as Possible;
      if (each.group < from || each.group >= to || (each.marks & ~marks) !== 0 || each.last[last] === 0)
        continue;
      if (each.pattern.test(text)) return each.group;
    }
    return Number.POSITIVE_INFINITY;
  }

  #tryAll(text: string, from: number, to: number): number {
    this.#unaided--;
    const end = Math.min(to, this.#groups.length);
    for (let group = from; group < end; group++) if (this.#groups[group]?.test(text)) return group;
    return Number.POSITIVE_INFINITY;
  }

  #beginningWith(first: number): readonly Possible[] {
    this.#needs ??= this.#groups.map(needsOf);
    const sign = first % INDENTED;
    const found = this.#needs.flatMap((needs, group) => {
      const possible = needs.filter((each) => begins(first < INDENTED ? each.opening : each.indented, sign));
      const alike = Object.groupBy(possible, ({ kind }) => kind);
      return Object.values(alike).flatMap((each) => (each === undefined ? [] : [together(group, each)]));
    });
    this.#byFirst[first] = found;
    return found;
  }
}

function begins(set: CharSet, sign: number): boolean {
  return sign === OTHER || isIn(set, sign);
}

/** Alternatives with the same needs are tried together. */
function together(group: number, needs: readonly Needs[]): Possible {
  const { last = 0n, marks = 0, flags = '' } = needs[0] ?? {};
  const table = lastTables.get(last) ?? tableOf(last);
  lastTables.set(last, table);
  return {
    group,
    pattern: new RegExp(needs.map(({ source }) => source).join('|'), flags),
    last: table,
    marks,
  };
}

/** By the set of last signs: most patterns take any. */
const lastTables = new Map<CharSet, Uint8Array>();

function tableOf(set: CharSet): Uint8Array {
  const bits = set.toString(2).padStart(OTHER + 1, '0');
  const table = Uint8Array.from({ length: OTHER + 1 }, (_, code) => Number(bits[OTHER - code]));
  table[OTHER] = 1;
  return table;
}

function isIn(set: CharSet, code: number): boolean {
  return ((set >> BigInt(code)) & 1n) === 1n;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

let marksOf: Int32Array | undefined;

/** The bits of marks, by character. */
function marksTable(): Int32Array {
  marksOf ??= Int32Array.from({ length: OTHER + 1 }, (_, code) => (code === OTHER ? 0 : markBit(code)));
  return marksOf;
}
