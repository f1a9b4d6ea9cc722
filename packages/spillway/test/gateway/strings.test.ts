/**
 * The bodies of JSON strings: what they say, and how they were written, so that they can be written
 * again.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLAIN, type Spelling, spellingName, spellingNamed } from '../../src/gateway/spelling.ts';
import { StringBody } from '../../src/gateway/string-body.ts';
import type { Run } from '../../src/gateway/string-runs.ts';
import { StringWriter } from '../../src/gateway/string-writer.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });

/** Surrogates as bytes, and characters that are cut off. */
const HALVES = [
  [0xed, 0xa0, 0x80],
  [0xed, 0xa0],
  [0xed],
  [0xe2, 0x80, 0xa8],
  [0xe2, 0x80],
  [0xe2],
  [0xf0, 0x9f],
];

function chunked(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = lengths[i % lengths.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function read(body: Uint8Array, lengths: readonly number[]) {
  const decoder = new StringBody();
  const runs: Run[] = [];
  const text = chunked(body, lengths).map((chunk) => {
    const bytes = decoder.push(chunk);
    runs.push(...decoder.runs());
    return bytes;
  });
  text.push(decoder.finish());
  runs.push(...decoder.runs());
  return { text: Buffer.concat(text), runs, failed: decoder.failed };
}

function spelled(text: Uint8Array, spelling: Spelling, lengths: readonly number[] = [1_000_000]): Buffer {
  const writer = new StringWriter(spelling);
  return Buffer.concat([...chunked(text, lengths).map((chunk) => writer.push(chunk)), writer.finish()]);
}

/** What the runs say was written. */
function writtenAgain(text: Uint8Array, runs: readonly Run[], lengths: readonly number[]): Buffer {
  let at = 0;
  const pieces = runs.map((run) => {
    if (run.kind === 'written') return run.bytes;
    const bytes = text.subarray(at, at + run.bytes);
    at += run.bytes;
    return spelled(bytes, spellingNamed(spellingName(run.spelling)), lengths);
  });
  return Buffer.concat(pieces);
}

const unit = fc.oneof(
  fc.constantFrom(
    ...['\\ud83d\\ude00', '\\uD83D\\ude00', '\\ud800', '\\uDC00', '\\u00e9', '\\u00E9', '\\u00eF', '\\u2028'],
    ...[
      '\\/',
      '/',
      '\\n',
      '\\u000a',
      '\\"',
      '\\u0022',
      '\\\\',
      '\\u0041',
      '\\u003c',
      '<',
      '\\u001f',
      '\\u007f',
    ],
    ...['😀', 'é', '\u2028', '퟿', '한'],
  ),
  fc.stringMatching(/^[a-z ]{1,5}$/),
);
const body = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''));
const spelling: fc.Arbitrary<Spelling> = fc.record({
  digits: fc.constantFrom('small', 'capital'),
  wide: fc.constantFrom('plain', 'separators', 'escaped'),
  slash: fc.constantFrom('/', '\\/'),
  long: fc.uniqueArray(fc.constantFrom(0x0a, 0x22, 0x26, 0x3c, 0x3e, 0x5c, 0x7f, 0x61), { maxLength: 4 }),
});

describe('the body of a string', () => {
  it('is decoded as the parser does and written again exactly, however it was written and cut', () => {
    fc.assert(
      fc.property(body, sizes, (text, lengths) => {
        const { text: words, runs, failed } = read(Buffer.from(text), lengths);
        const value = JSON.parse(`"${text}"`) as string;
        expect(failed).toBe(false);
        expect(words.equals(wtf8(value))).toBe(true);
        expect(writtenAgain(words, runs, lengths).toString()).toBe(text);
      }),
    );
  });

  it('in any one spelling takes few runs, none of them as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), spelling, sizes, (texts, given, lengths) => {
        const text = texts.join('a/<>&"\n\u2028é😀');
        const written = spelled(wtf8(text), given);
        const { text: words, runs } = read(written, lengths);
        expect(JSON.parse(`"${written}"`)).toBe(text);
        expect(words.equals(wtf8(text))).toBe(true);
        expect(runs.filter(({ kind }) => kind === 'written')).toEqual([]);
        expect(runs.length).toBeLessThanOrEqual(10);
        expect(writtenAgain(words, runs, lengths).equals(written)).toBe(true);
      }),
    );
  });

  it('that holds bytes which are no text is written again exactly too', () => {
    const bytes = fc.uint8Array({ maxLength: 30 }).map((all) => all.filter((b) => b !== 0x22 && b !== 0x5c));
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            bytes,
            fc.constantFrom(...HALVES.map((half) => Uint8Array.from(half))),
            body.map((text) => Buffer.from(text)),
          ),
        ),
        sizes,
        (all, lengths) => {
          const written = Buffer.concat(all);
          const { text, runs } = read(written, lengths);
          expect(writtenAgain(text, runs, lengths).equals(written)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('that changes its ways all the time is kept as it was written, from there on', () => {
    const text = 'one \\/ or / the other '.repeat(1_000);
    const { text: words, runs } = read(Buffer.from(text), [1_000]);
    expect(runs.length).toBeLessThan(400);
    expect(runs.some(({ kind }) => kind === 'written')).toBe(true);
    expect(writtenAgain(words, runs, [1_000]).toString()).toBe(text);
  });

  it.each(['\\x', '\\u00g0', '\\', '\\u00', 'a\\ud83d\\u', '\\ud83d\\u12'])(
    'that is wrong (%s) fails, and is kept',
    (text) => {
      const { text: words, runs, failed } = read(Buffer.from(text), [3]);
      expect(failed).toBe(true);
      expect(writtenAgain(words, runs, [3]).toString()).toBe(text);
    },
  );
});

describe('the spelling', () => {
  it.each([
    ['of JSON.stringify', 'é \n / < \u2028', '', 'é \\n / < \u2028'],
    ['of Python', 'é 😀 \n / \x7f', 'W7f', '\\u00e9 \\ud83d\\ude00 \\n / \\u007f'],
    ['of PHP', 'é /', 'W/', '\\u00e9 \\/'],
    ['of Go', 'é <a> & \u2028', 'S3c3e26', 'é \\u003ca\\u003e \\u0026 \\u2028'],
    ['of .NET', 'é "a"', 'CW22', '\\u00E9 \\u0022a\\u0022'],
  ])('%s has a short name', (_whose, text, name, written) => {
    expect(spelled(Buffer.from(text), spellingNamed(name)).toString()).toBe(written);
    expect(spellingName(spellingNamed(name))).toBe(name);
    const last = read(Buffer.from(written), [1_000]).runs.at(-1);
    expect(last?.kind === 'said' && spellingName(last.spelling)).toBe(name);
  });

  it('that is plain is what the language itself writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(`"${spelled(wtf8(text), PLAIN)}"`).toBe(JSON.stringify(text));
      }),
    );
  });
});

/** Surrogates without a partner as the three bytes that UTF-8 has no right to. */
function wtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff)
      bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else bytes.push(...Buffer.from(point));
  }
  return Buffer.from(bytes);
}
