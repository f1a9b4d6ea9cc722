/**
 * Every short run of bytes, against the grammar written down as a regular expression over Latin-1.
 */
import { describe, expect, it } from 'vitest';
import {
  advance,
  characterStart,
  decode,
  decodeExact,
  encode,
  measure,
  offsetOfChar,
  step,
} from '../../src/text/utf8.ts';

// Bytes at the edges of every range that the grammar knows.
const EDGES = [
  0x0a, 0x0d, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0,
  0xf4, 0xf5,
];
const WELL_FORMED =
  '[\\x00-\\x7f]|[\\xc2-\\xdf][\\x80-\\xbf]|\\xe0[\\xa0-\\xbf][\\x80-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]|\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}';
const SURROGATE = '\\xed[\\xa0-\\xbf][\\x80-\\xbf]';
const CUT_OFF =
  '\\xe0[\\xa0-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]|\\xed[\\x80-\\x9f]|\\xf0[\\x90-\\xbf][\\x80-\\xbf]?|[\\xf1-\\xf3][\\x80-\\xbf]{1,2}|\\xf4[\\x80-\\x8f][\\x80-\\xbf]?|[\\s\\S]';
const GRAMMAR = new RegExp(`(?<good>${WELL_FORMED})|(?<surrogate>${SURROGATE})|${CUT_OFF}`, 'g');

interface Unit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly exact: string;
  readonly good: boolean;
}

function unitsOf(bytes: Uint8Array): Unit[] {
  const latin = Buffer.from(bytes).toString('latin1');
  return [...latin.matchAll(GRAMMAR)].map(({ 0: run, index, groups }) => {
    const good = groups?.good !== undefined;
    const text = good ? Buffer.from(run, 'latin1').toString('utf8') : '\uFFFD';
    const [, second = 0, third = 0] = Buffer.from(run, 'latin1');
    const surrogate = String.fromCharCode(0xd000 + (second % 64) * 64 + (third % 64));
    const exact = groups?.surrogate === undefined ? text : surrogate;
    return { start: index, end: index + run.length, text, exact, good };
  });
}

function* runs(longest: number, alphabet: readonly number[]): Generator<Uint8Array> {
  for (let length = 1; length <= longest; length++) {
    for (let n = 0; n < alphabet.length ** length; n++)
      yield Uint8Array.from(
        { length },
        (_, i) => alphabet[Math.floor(n / alphabet.length ** i) % alphabet.length] ?? 0,
      );
  }
}

function breaksOf(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** Compares without the cost of an assertion each. */
function same(bytes: Uint8Array, what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    expect([...bytes, what, found]).toEqual([...bytes, what, wanted]);
}

function check(bytes: Uint8Array): void {
  const units = unitsOf(bytes);
  const text = units.map((unit) => unit.text).join('');
  same(bytes, 'decode', decode(bytes), text);
  same(bytes, 'decodeExact', decodeExact(bytes), units.map((unit) => unit.exact).join(''));
  const illFormed = units.filter((unit) => !unit.good).length;
  const breaks = breaksOf(Buffer.from(bytes).toString('latin1'));
  same(bytes, 'measure', measure(bytes), { bytes: bytes.length, chars: text.length, breaks, illFormed });
  for (const { start, end } of units) {
    for (let at = start; at < end; at++)
      same(bytes, `characterStart ${at}`, characterStart(bytes, at), start);
  }
  for (let chars = 0; chars <= text.length; chars++) {
    let position = 0;
    for (let seen = 0, i = 0; seen < chars && i < units.length; i++) {
      const unit = units[i];
      const crlf = unit?.text === '\r' && units[i + 1]?.text === '\n';
      if (crlf && seen + 2 > chars) {
        // Never between CR and LF.
        position = (unit?.end ?? 0) + 1;
        break;
      }
      seen += unit?.text.length ?? 0;
      position = unit?.end ?? 0;
    }
    same(bytes, `placeOfChar ${chars}`, offsetOfChar(bytes, chars), position);
  }
}

describe('every run of up to three bytes at the edges of the grammar', () => {
  it('is decoded, measured and divided into characters as the grammar says', () => {
    for (const bytes of runs(3, EDGES)) check(bytes);
  });
});

describe('every run of four bytes that a longer sequence may have', () => {
  it('is decoded, measured and divided into characters as the grammar says', () => {
    for (const bytes of runs(3, [0x41, 0x7f, 0x80, 0x8f, 0x90, 0xbf, 0xc0]))
      for (const lead of [0xc2, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5])
        check(Uint8Array.of(lead, ...bytes, 0x80));
  });
});

describe('step', () => {
  it('says 0 while more bytes may complete the sequence, and looks no further than it is told', () => {
    const bytes = Uint8Array.of(0xf0, 0x9f, 0x98, 0x80);
    expect([1, 2, 3, 4].map((end) => step(bytes, 0, end))).toEqual([0, 0, 0, 4]);
    expect(step(Uint8Array.of(0x41, 0xc3, 0xa9), 1, 3)).toBe(2);
    expect(step(Uint8Array.of(0xe2, 0x82, 0x41), 0, 3)).toBe(-2);
    expect(step(Uint8Array.of(0xf1, 0x80, 0x80, 0x41), 0, 4)).toBe(-3);
    expect(step(Uint8Array.of(0xed, 0xa0, 0x41), 0, 3)).toBe(-1);
    expect(step(Uint8Array.of(0xed, 0xa0, 0x80), 0, 3)).toBe(-3);
    expect(step(Uint8Array.of(0xed, 0xa0), 0, 2)).toBe(0);
  });
});

describe('a range of bytes', () => {
  it('is measured by itself: a CR that the end separates from its LF counts, as does an open sequence', () => {
    const bytes = encode('aé\r\nb\n');
    expect(measure(bytes, 1, 3)).toEqual({ bytes: 2, chars: 1, breaks: 0, illFormed: 0 });
    expect(measure(bytes, 1, 4)).toEqual({ bytes: 3, chars: 2, breaks: 1, illFormed: 0 });
    expect(measure(bytes, 3, 5)).toEqual({ bytes: 2, chars: 2, breaks: 1, illFormed: 0 });
    expect(measure(bytes, 4, 7)).toEqual({ bytes: 3, chars: 3, breaks: 2, illFormed: 0 });
    expect(measure(bytes, 0, 2)).toEqual({ bytes: 2, chars: 2, breaks: 0, illFormed: 1 });
    expect(measure(bytes, 3, 4)).toEqual({ bytes: 1, chars: 1, breaks: 1, illFormed: 0 });
    expect(measure(bytes, 7, 7)).toEqual({ bytes: 0, chars: 0, breaks: 0, illFormed: 0 });
  });

  it('is walked from where it is told, up to so many chars and line ends, whole characters only', () => {
    const bytes = encode('a\r\n😀é\rb\nc');
    const from = (start: number, chars: number, breaks?: number) => {
      const reached = advance(bytes, start, chars, breaks);
      return [reached.bytes, reached.chars, reached.breaks];
    };
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((chars) => from(0, chars))).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [1, 1, 0],
      [3, 3, 1],
      [3, 3, 1],
      [7, 5, 1],
      [9, 6, 1],
      [10, 7, 2],
    ]);
    expect(from(0, 99, 0)).toEqual([0, 0, 0]);
    expect(from(0, 99, 1)).toEqual([3, 3, 1]);
    expect(from(3, 99, 1)).toEqual([7, 4, 1]);
    expect(from(3, 99, 2)).toEqual([9, 6, 2]);
    expect(from(0, 99)).toEqual([bytes.length, 10, 3]);
    // Sequences that look like four bytes and are none are one char wide.
    expect(advance(Uint8Array.of(0xf5, 0x41, 0x41), 0, 1)).toEqual({ bytes: 1, chars: 1, breaks: 0 });
    expect(advance(Uint8Array.of(0xf0, 0x90, 0x41), 0, 1)).toEqual({ bytes: 2, chars: 1, breaks: 0 });
  });
});

describe('lone surrogates', () => {
  it('are told from pairs at every place of a string', () => {
    const units = ['a', '\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000'];
    for (const a of units)
      for (const b of units)
        for (const c of units) {
          const text = a + b + c;
          if (decodeExact(encode(text)) !== text) expect(decodeExact(encode(text))).toBe(text);
          const lone =
            text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '').match(/[\ud800-\udfff]/g)?.length ?? 0;
          if (measure(encode(text)).illFormed !== lone)
            expect([text, measure(encode(text))]).toEqual([text, lone]);
        }
  });

  it('give back what they were, and other ill-formed bytes do not become one', () => {
    expect(encode('x\ud83d')).toEqual(Buffer.from([0x78, 0xed, 0xa0, 0xbd]));
    expect(encode('\udfffy')).toEqual(Buffer.from([0xed, 0xbf, 0xbf, 0x79]));
    expect(decodeExact(Uint8Array.of(0x41, 0xf1, 0x80, 0x80, 0x42))).toBe('A\uFFFDB');
    expect(decodeExact(Uint8Array.of(0xed, 0xa0, 0x41))).toBe('\uFFFD\uFFFDA');
  });
});
