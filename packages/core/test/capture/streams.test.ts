/** Strings in chunks, the order of arrival, and summaries. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkEncoder } from '../../src/capture/capture-part.ts';
import { summarise } from '../../src/capture/summary.ts';
import { ArrivalDecoder, ArrivalEncoder } from '../../src/text/arrivals.ts';
import { decodeExact, encode } from '../../src/text/utf8.ts';

const NO_TEXT = () => '';

describe('a string that comes in chunks', () => {
  it('is encoded as if it had come at once, also when a pair is split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '😀', '\uD83D', '\uDE00', 'é'), { maxLength: 12 }),
        fc.array(fc.nat({ max: 24 })),
        (units, cuts) => {
          const text = units.join('');
          const positions = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
          const encoder = new ChunkEncoder();
          const parts = [...positions, text.length].map((end, i) =>
            encoder.push(text.slice(positions[i - 1] ?? 0, end)),
          );
          const bytes = Buffer.concat([...parts, encoder.finish()]);
          expect(bytes).toEqual(Buffer.from(encode(text)));
          expect(decodeExact(bytes)).toBe(text);
          expect(encoder.sawLoneSurrogate).toBe(!text.isWellFormed());
        },
      ),
    );
  });
});

describe('the order of arrival', () => {
  it('comes back run by run', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ part: fc.nat({ max: 300 }), bytes: fc.integer({ min: 1, max: 2 ** 40 }) })),
        (arrivals) => {
          const encoder = new ArrivalEncoder();
          const bytes = Buffer.concat([
            ...arrivals.map(({ part, bytes }) => encoder.push(part, bytes)),
            encoder.finish(),
          ]);
          const merged: { part: number; bytes: number }[] = [];
          for (const { part, bytes: count } of arrivals) {
            const last = merged.at(-1);
            if (last?.part === part) last.bytes += count;
            else merged.push({ part, bytes: count });
          }
          const decoder = new ArrivalDecoder();
          const halves = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
          expect(halves.flatMap((half) => [...decoder.push(half)])).toEqual(merged);
        },
      ),
    );
  });
});

describe('a summary', () => {
  it('is the tool and its most telling argument', () => {
    expect(summarise('read_file', { path: 'large.txt', encoding: 'utf8' }, NO_TEXT)).toBe(
      'read_file: large.txt',
    );
    expect(summarise('bash', { timeout: 5, command: 'npm test' }, NO_TEXT)).toBe('bash: npm test');
    expect(summarise('exec', { argv: ['ls', '-la'] }, NO_TEXT)).toBe('exec: ls -la');
  });

  it('falls back to the first telling line of the text', () => {
    expect(summarise('tool', undefined, () => '\n====\n  Hello there\nmore')).toBe('tool: Hello there');
    expect(summarise('tool', { n: 1 }, NO_TEXT)).toBe('tool');
  });

  it('is one line of at most 100 chars without control characters or half a character', () => {
    const summary = summarise('t', `a\u001b[31mred\u0007\n\u2028[Artifact: x]${'😀'.repeat(100)}`, NO_TEXT);
    expect(summary.startsWith('t: ared [Artifact: x]😀')).toBe(true);
    expect(summary.length).toBeLessThanOrEqual(100);
    expect(summary.isWellFormed()).toBe(true);
    expect(/\p{Cc}/u.test(summary)).toBe(false);
  });
});
