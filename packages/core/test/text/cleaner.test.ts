/**
 * Formatting is left out of a text as it streams by, in the same way in any chunking, and every
 * place leads back.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Piece } from '../../src/model/piece.ts';
import { type CleanBytes, Cleaner, type Elision } from '../../src/text/cleaner.ts';
import { escapeAround } from '../../src/text/escapes.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { measure } from '../../src/text/utf8.ts';

function clean(text: string | Uint8Array, sizes: readonly number[] = []) {
  const pieces: CleanBytes[] = [];
  const cleaner = new Cleaner(({ bytes, ...rest }) => pieces.push({ bytes: bytes.slice(), ...rest }));
  const cutter = new PieceCutter('text');
  const bytes = Buffer.from(text as string);
  let at = 0;
  const give = (given: Iterable<Piece>) => {
    for (const piece of given) cleaner.push(piece);
  };
  for (const size of sizes) {
    give(cutter.push(bytes.subarray(at, at + size)));
    give(cutter.flush());
    at += size;
  }
  give(cutter.push(bytes.subarray(at)));
  give(cutter.finish());
  cleaner.finish();
  const cleaned = Buffer.concat(pieces.map((piece) => piece.bytes));
  const elisions = elisionsOf(pieces);
  return { pieces, cleaned, text: cleaned.toString(), elisions, bytes };
}

/** Places of all cleaned bytes; what is missing at one place is one. */
function elisionsOf(pieces: readonly CleanBytes[]): Elision[] {
  const all: Elision[] = [];
  let before = 0;
  for (const { bytes, elisions } of pieces) {
    for (const { offset, missing } of elisions) {
      const last = all.at(-1);
      if (last?.offset !== before + offset) all.push({ offset: before + offset, missing });
      else all[all.length - 1] = { ...last, missing: add(last.missing, missing) };
    }
    before += bytes.length;
  }
  return all;
}

const ESC = '\u001b';

describe('a cleaned text', () => {
  it.each([
    ['colours', `${ESC}[32mPASS${ESC}[0m a\n`, 'PASS a\n'],
    [
      'a title and a link',
      `${ESC}]0;title\u0007a ${ESC}]8;;https://x.y${ESC}\\link${ESC}]8;;${ESC}\\\n`,
      'a link\n',
    ],
    ['a character set', `${ESC}(Bplain${ESC}7${ESC}8\n`, 'plain\n'],
    ['what is cut off at the end', `done\n${ESC}[3`, 'done\n'],
    ['frames drawn over by a return', 'a\nget 1%\rget 2%\rget 3%\nb\n', 'a\nget 3%\nb\n'],
    ['frames that begin with a return', 'a\n\rget 1%\rget 2%\rget 3%\nb\n', 'a\nget 3%\nb\n'],
    [
      'frames that are erased',
      `a\n${ESC}[2K${ESC}[1Gone${ESC}[2K${ESC}[1Gtwo${ESC}[2K${ESC}[1Gdone\n`,
      'a\ndone\n',
    ],
    ['a frame erased behind a return', `a\nfetching a\r${ESC}[Kinstalling b\n`, 'a\ninstalling b\n'],
    ['progress without any line feed', 'get 1 %\rget 2 %\rget 3 %', 'get 3 %'],
  ])('has no %s', (_, text, cleaned) => {
    expect(clean(text).text).toBe(cleaned);
  });

  it.each([
    ['time stamps', '2026-01-01T10:00:00Z a\n10:00:01 b\n'],
    ['lines that end with CR', 'row 1\rrow 2\rrow 3\r'],
    ['frames that say something else', 'a\ncannot open\rretrying\n'],
    ['CRLF', 'a\r\nb\r\n'],
    ['brackets without an escape', '[32mPASS[0m\n'],
  ])('keeps %s', (_, text) => {
    expect(clean(text).text).toBe(text);
  });

  it('keeps an erased frame that speaks of a failure, and the text behind an OSC without an end', () => {
    expect(clean(`a\nerror: no disk\r${ESC}[Knext\n`).text).toBe('a\nerror: no disk\rnext\n');
    expect(clean(`${ESC}]0;never ended\nERROR: it failed\n`).text).toBe('0;never ended\nERROR: it failed\n');
  });

  const fragment = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        '\n',
        '\r',
        '\r\n',
        `${ESC}[31m`,
        `${ESC}[0m`,
        `${ESC}[2K`,
        `${ESC}[1G`,
        `${ESC}[K`,
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'get 10 %',
        'get 20 %',
        'error: x',
        'é日😀',
        `${ESC}]0;t\u0007`,
        `${ESC}]`,
        ESC,
        `${ESC}[`,
      ),
    },
    { weight: 2, arbitrary: fc.string({ maxLength: 9 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'x'.repeat(70_000),
        'get 30 %\r'.repeat(9_000),
        `${ESC}[2K${ESC}[1Gabc`.repeat(9_000),
      ),
    },
  );
  const any = fc.array(fragment, { maxLength: 50 }).map((parts) => parts.join(''));

  it('is the same in any chunking', () => {
    fc.assert(
      fc.property(any, fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 12 }), (text, sizes) => {
        const once = clean(text);
        const pieces = clean(text, sizes);
        expect(pieces.cleaned.equals(once.cleaned)).toBe(true);
        expect(pieces.elisions).toEqual(once.elisions);
      }),
      { numRuns: 150 },
    );
  });

  it('and what is missing make the stored text, in bytes, chars and line ends', () => {
    const lone = fc.constantFrom(0x80, 0xe2, 0x82, 0xf0, 0x1b, 0x5b, 0x6d, 0x0a, 0x0d, 0x41);
    const broken = fc
      .uint8Array({ maxLength: 40 })
      .chain((bytes) =>
        fc.array(lone, { maxLength: 40 }).map((more) => Uint8Array.from([...bytes, ...more])),
      );
    fc.assert(
      fc.property(
        fc.oneof(
          any.map((text) => Buffer.from(text)),
          broken,
        ),
        (text) => {
          const { pieces, cleaned: kept, elisions, bytes } = clean(text);
          const whole = measure(bytes);
          // A CR at the end of one piece and an LF at the beginning of the next are two line ends.
          const cleaned = pieces.reduce((all, piece) => add(all, measure(piece.bytes)), {
            bytes: 0,
            chars: 0,
            breaks: 0,
          });
          const missing = elisions.reduce((all, each) => add(all, each.missing), {
            bytes: 0,
            chars: 0,
            breaks: 0,
          });
          expect(add(cleaned, missing)).toEqual({
            bytes: whole.bytes,
            chars: whole.chars,
            breaks: whole.breaks,
          });
          // What is kept is the stored text without the missing ranges.
          let from = 0;
          let gone = 0;
          const ranges: Uint8Array[] = [];
          for (const { offset, missing: here } of elisions) {
            ranges.push(bytes.subarray(from, offset + gone));
            gone += here.bytes;
            from = offset + gone;
          }
          ranges.push(bytes.subarray(from));
          expect(Buffer.concat(ranges).equals(kept)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function add<T extends { bytes: number; chars: number; breaks: number }>(a: T, b: T) {
  return { bytes: a.bytes + b.bytes, chars: a.chars + b.chars, breaks: a.breaks + b.breaks };
}

const SEQUENCE = new RegExp(`${ESC}(?:\\[[\\d;]*m|\\]8.*?${ESC}\\\\|\\(B|\\]$)`, 'g');

describe('a cut', () => {
  it('is never made inside an escape sequence', () => {
    const text = Buffer.from(`a${ESC}[38;5;9mb${ESC}]8;;https://x${ESC}\\c${ESC}(Bd${ESC}]`);
    const inside = [...text.keys()].filter((at) => escapeAround(text, at) !== null);
    const wanted = [...text.toString().matchAll(SEQUENCE)].flatMap(({ index, 0: found }) =>
      Array.from({ length: found.length - 1 }, (_, i) => index + 1 + i),
    );
    expect(inside).toEqual(wanted);
  });
});
