/**
 * The bodies of JSON strings: what they say, and how they were written, so that they can be written
 * again.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody, SPELLINGS, spellBody } from '../../src/gateway/json-string.ts';
import { ENVELOPE, OpenText, ScanSteps } from '../../src/gateway/scan-steps.ts';

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

/** What a body says, and what the envelope keeps of it. */
function read(body: Uint8Array, lengths: readonly number[]) {
  const steps = new ScanSteps();
  const open = new OpenText(steps, steps.begin('text', 'text'));
  for (const chunk of chunked(body, lengths)) open.push(chunk);
  open.close();
  const written = steps.taken().flatMap((step) => (step.step === 'write' ? [step] : []));
  const bytesOf = (part: number) =>
    Buffer.concat(written.flatMap((step) => (step.part === part ? [step.bytes] : [])));
  return { text: bytesOf(0), envelope: bytesOf(ENVELOPE).toString('latin1') };
}

/** The body again, from its text and the envelope. */
function writtenAgain(text: Buffer, envelope: string): Buffer {
  let at = 0;
  const again = envelope.replace(REFERENCE, (_, how: string, count: string, name = '') => {
    const bytes = text.toString('latin1', at, at + Number(count));
    at += Number(count);
    return how === 's' ? '' : spellBody(bytes, name);
  });
  return Buffer.from(again, 'latin1');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: references stand between control characters
const REFERENCE = /\x01([ts])0:(\d+)(?::([^\x02]*))?\x02/g;

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

describe('the body of a string', () => {
  it('is decoded as the parser does and written again exactly, however it was written and cut', () => {
    fc.assert(
      fc.property(body, sizes, (written, lengths) => {
        const { text, envelope } = read(Buffer.from(written), lengths);
        expect(text.equals(wtf8(JSON.parse(`"${written}"`) as string))).toBe(true);
        expect(writtenAgain(text, envelope).toString()).toBe(written);
      }),
    );
  });

  it('in the spelling of a well-known writer is not kept a second time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' })),
        fc.constantFrom(...SPELLINGS),
        (texts, spelling) => {
          const text = texts.join('a/<>&"\n\u2028é😀');
          const written = spellBody(wtf8(text).toString('latin1'), spelling);
          const { text: decoded, envelope } = read(Buffer.from(written, 'latin1'), [1_000_000]);
          expect(decoded.equals(wtf8(text))).toBe(true);
          expect(envelope.replace(REFERENCE, '')).toBe('');
        },
      ),
    );
  });

  it('that holds bytes which are no text, or wrong escapes, is written again exactly too', () => {
    const bytes = fc.uint8Array({ maxLength: 30 }).map((all) => all.filter((b) => b > 2 && b !== 0x22));
    const wrong = fc.constantFrom('\\x', '\\u00g0', '\\u00', 'a\\ud83d\\u', '\\ud83d\\u12');
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            bytes,
            fc.constantFrom(...HALVES.map((half) => Uint8Array.from(half))),
            fc.oneof(body, wrong).map((text) => Buffer.from(text)),
          ),
        ),
        sizes,
        (all, lengths) => {
          const written = Buffer.concat(all);
          const { text, envelope } = read(written, lengths);
          expect(writtenAgain(text, envelope).equals(written)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('the spelling', () => {
  it.each([
    ['of JSON.stringify', 'é \n / < \u2028', '', 'é \\n / < \u2028'],
    ['of Python', 'é 😀 \n / \x7f', 'W7f', '\\u00e9 \\ud83d\\ude00 \\n / \\u007f'],
    ['of PHP', 'é /', 'W/', '\\u00e9 \\/'],
    ['of Go', 'é <a> & \u2028', 'S3c3e26', 'é \\u003ca\\u003e \\u0026 \\u2028'],
    ['of .NET', 'é "a"', 'CW22', '\\u00E9 \\u0022a\\u0022'],
  ])('%s has a short name', (_whose, text, name, written) => {
    const spelled = spellBody(Buffer.from(text).toString('latin1'), name);
    expect(Buffer.from(spelled, 'latin1').toString()).toBe(written);
    expect(Buffer.from(decodeBody(spelled), 'latin1').toString()).toBe(text);
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
