/**
 * What a line must have so that a pattern can match it, found from the source of the pattern: how
 * it may begin and end, blanks apart, and marks such as `:` that it must hold. Only ASCII is looked
 * at. In doubt anything will do, so a line that lacks what is needed need not be tried.
 */

/** A set of characters: bit i stands for character i of ASCII, bit 128 for any that is none. */
export type CharSet = bigint;

/** What one alternative of a pattern needs. */
export interface Needs {
  /** The alternative, as a pattern of its own. */
  readonly source: string;
  readonly flags: string;
  /** How a line begins if no blank stands before its first sign; and if one does. */
  readonly opening: CharSet;
  readonly indented: CharSet;
  /** The last sign of a line is one of these, if it is ASCII. */
  readonly last: CharSet;
  /** Bits of marks that must stand in a line. */
  readonly marks: number;
  /** The same for those that agree in all but how they begin. */
  readonly kind: string;
}

const BEYOND: CharSet = 1n << 128n;
const ASCII: CharSet = BEYOND - 1n;
const ALL: CharSet = ASCII | BEYOND;
const BLANKS = setOf('\t\n\v\f\r ');
const DIGITS = setOf('0123456789');
const CAPITALS = between(setOf('A'), setOf('Z'));
const WORD = CAPITALS | between(setOf('a'), setOf('z')) | DIGITS | setOf('_');
const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGITS,
  D: ALL & ~DIGITS,
  s: BLANKS | BEYOND,
  S: ALL & ~BLANKS,
  w: WORD,
  W: ALL & ~WORD,
};
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', v: '\v', f: '\f', 0: '\0' };

const MARKS = ':%|[(/.-=<>{;,#*"\'`@$&!?\\~+])}';
/** The bits for any digit and any capital; then comes one for each of the marks. */
const DIGIT_BIT = 1;
const CAPITAL_BIT = 2;

/** The bit of a mark, digit or capital; 0 for any other character. */
export function markBit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT_BIT;
  if (code >= 0x41 && code <= 0x5a) return CAPITAL_BIT;
  const at = MARKS.indexOf(String.fromCharCode(code));
  return at < 0 ? 0 : 4 << at;
}

/** The alternatives of a pattern, and what each of them needs. */
export function needsOf({ source, flags }: RegExp): readonly Needs[] {
  if (flags !== '' || UNKNOWN.test(source))
    return [{ source, flags, opening: ALL, indented: ALL, last: ALL, marks: 0, kind: flags }];
  return new NeedsParser(source).alternatives('apart').map((each) => {
    const isBound = each.begins && !each.isBlank;
    const last = each.ends && !each.isBlank ? each.last : ALL;
    return {
      source: each.source,
      flags,
      opening: isBound ? each.opening : ALL,
      indented: !isBound ? ALL : (each.opening & BLANKS) === 0n ? 0n : each.first,
      last,
      marks: each.marks,
      kind: `${each.marks} ${last === ALL ? '' : last.toString(32)}`,
    };
  });
}

/** Named groups, lookbehind and what refers to a group. */
const UNKNOWN = /\(\?<|\\[1-9]/;

/** What a piece of a pattern matches. */
interface Piece {
  /** The first char that it can match, and the first sign. */
  readonly opening: CharSet;
  readonly first: CharSet;
  readonly last: CharSet;
  /** Whether it can match nothing at all. */
  readonly isEmpty: boolean;
  /** Whether it can match without a sign. */
  readonly isBlank: boolean;
  readonly marks: number;
  /** Whether it is bound to the beginning, or to the end of the line. */
  readonly begins: boolean;
  readonly ends: boolean;
  /** Its alternatives, if it is a group of them. */
  readonly inside?: readonly Alternative[];
}

type Alternative = Piece & { readonly source: string };

const NOTHING: Piece = {
  opening: 0n,
  first: 0n,
  last: 0n,
  isEmpty: true,
  isBlank: true,
  marks: 0,
  begins: false,
  ends: false,
};

class NeedsParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** `apart`: those of a group that begins the line count as alternatives of the whole. */
  alternatives(groups: 'apart' | 'together' = 'together'): Alternative[] {
    const all: Alternative[] = [];
    do {
      const start = this.#at;
      const offsets: number[] = [];
      const pieces: Piece[] = [];
      while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] as string)) {
        offsets.push(this.#at);
        pieces.push(this.#repeated());
      }
      offsets.push(this.#at);
      const source = (from: number, to: number) => this.#source.slice(offsets[from], offsets[to]);
      const group = pieces.findIndex(({ first, isBlank }) => !isBlank || first !== 0n);
      const inside = groups === 'apart' ? pieces[group]?.inside : undefined;
      if (inside === undefined) all.push({ ...joined(pieces), source: this.#source.slice(start, this.#at) });
      for (const each of inside ?? [])
        all.push({
          ...joined(pieces.with(group, each)),
          source: `${source(0, group)}${each.source}${source(group + 1, pieces.length)}`,
        });
    } while (this.#take('|'));
    return all;
  }

  #repeated(): Piece {
    const piece = this.#item();
    const found = /^(?:[*+?]|\{(\d+),?\d*\})\??/.exec(this.#source.slice(this.#at, this.#at + 12));
    if (found === null) return piece;
    this.#at += found[0].length;
    const isOptional = found[1] === undefined ? found[0][0] !== '+' : Number(found[1]) === 0;
    const { inside: _, ...apart } = { ...piece, begins: false, ends: false };
    return isOptional ? { ...apart, isEmpty: true, isBlank: true, marks: 0 } : apart;
  }

  #item(): Piece {
    const char = this.#source[this.#at++] as string;
    if (char === '(') return this.#group();
    if (char === '[') return ofSet(this.#class());
    if (char === '^') return { ...NOTHING, begins: true };
    if (char === '$') return { ...NOTHING, ends: true };
    if (char === '.') return ofSet(ALL);
    if (char !== '\\') return ofSet(setOf(char));
    const next = this.#source[this.#at];
    if (next !== 'b' && next !== 'B') return ofSet(this.#escape());
    this.#at++;
    return NOTHING;
  }

  #group(): Piece {
    const kind = /^\?[:=!]/.exec(this.#source.slice(this.#at, this.#at + 2))?.[0] ?? '';
    this.#at += kind.length;
    const inside = this.alternatives();
    this.#take(')');
    const marks = inside.reduce((bits, each) => bits & each.marks, -1);
    if (kind === '?=') return { ...NOTHING, marks };
    if (kind === '?!') return NOTHING;
    return {
      opening: inside.reduce((set, each) => set | each.opening, 0n),
      isEmpty: inside.some(({ isEmpty }) => isEmpty),
      first: inside.reduce((set, { first }) => set | first, 0n),
      last: inside.reduce((set, { last }) => set | last, 0n),
      isBlank: inside.some(({ isBlank }) => isBlank),
      marks,
      begins: inside.every(({ begins }) => begins),
      ends: inside.every(({ ends }) => ends),
      inside,
    };
  }

  /** What is behind `[`, up to its end. */
  #class(): CharSet {
    const isNot = this.#take('^');
    let set = 0n;
    while (this.#source[this.#at] !== ']') {
      const from = this.#member();
      const to =
        this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' ? this.#rangeEnd() : from;
      set |= from === to ? from : between(from, to);
    }
    this.#at++;
    return isNot ? ALL & ~(set & ASCII) : set;
  }

  #member(): CharSet {
    return this.#take('\\') ? this.#escape() : setOf(this.#source[this.#at++] as string);
  }

  #rangeEnd(): CharSet {
    this.#at++;
    return this.#member();
  }

  /** What is behind a backslash. */
  #escape(): CharSet {
    const char = this.#source[this.#at++] as string;
    const known = CLASSES[char];
    if (known !== undefined) return known;
    const control = CONTROLS[char];
    if (control !== undefined) return setOf(control);
    const rest = this.#source.slice(this.#at);
    const code = char === 'u' ? /^[\da-f]{4}/i.exec(rest) : char === 'x' ? /^[\da-f]{2}/i.exec(rest) : null;
    const long = code ?? (char === 'p' || char === 'P' || char === 'u' ? /^\{[^}]*\}/.exec(rest) : null);
    this.#at += long?.[0].length ?? 0;
    if (code !== null) return setOf(String.fromCharCode(Number.parseInt(code[0], 16)));
    return /[A-Za-z\d]/.test(char) ? ALL : setOf(char);
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

/** Pieces one after the other. */
function joined(pieces: readonly Piece[]): Piece {
  let opening = 0n;
  let first = 0n;
  let last = 0n;
  for (const piece of pieces) {
    opening |= piece.opening;
    if (!piece.isEmpty) break;
  }
  for (const piece of pieces) {
    first |= piece.first;
    if (!piece.isBlank) break;
  }
  for (const piece of pieces.toReversed()) {
    last |= piece.last;
    if (!piece.isBlank) break;
  }
  return {
    opening,
    first,
    last,
    isEmpty: pieces.every(({ isEmpty }) => isEmpty),
    isBlank: pieces.every(({ isBlank }) => isBlank),
    marks: pieces.reduce((bits, { marks }) => bits | marks, 0),
    begins: pieces[0]?.begins === true,
    ends: pieces.at(-1)?.ends === true,
  };
}

/** One character out of a set. Patterns have few sets, each many times. */
function ofSet(set: CharSet): Piece {
  const known = ofSets.get(set) ?? anyOf(set);
  ofSets.set(set, known);
  return known;
}

const ofSets = new Map<CharSet, Piece>();

function anyOf(set: CharSet): Piece {
  const signs = set & ASCII & ~BLANKS;
  const isOne = signs === set && (set & (set - 1n)) === 0n;
  const kind = (set & ~DIGITS) === 0n ? DIGIT_BIT : (set & ~CAPITALS) === 0n ? CAPITAL_BIT : 0;
  const marks = isOne ? markBit(set.toString(2).length - 1) : kind;
  const isBlank = (set & BLANKS) !== 0n;
  return { ...NOTHING, opening: set & ASCII, first: signs, last: signs, isEmpty: false, isBlank, marks };
}

function setOf(chars: string): CharSet {
  let set = 0n;
  for (let i = 0; i < chars.length; i++) set |= 1n << BigInt(Math.min(128, chars.charCodeAt(i)));
  return set;
}

/** All from one character to another. */
function between(from: CharSet, to: CharSet): CharSet {
  return (to << 1n) - from;
}
