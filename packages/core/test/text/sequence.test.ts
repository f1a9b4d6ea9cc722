/** The order of bundled parts as bytes: exact, in any pieces, two or three bytes a part. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PartSpec } from '../../src/model/part.ts';
import { SequenceDecoder, type SequencedPart, SequenceEncoder } from '../../src/text/sequence.ts';

const TEXT: PartSpec = { role: 'content', kind: 'text', name: 'text' };
const small = (bytes: number, spec = TEXT, notes: string[] = []): SequencedPart => ({
  spec,
  notes,
  size: { bytes },
});

function encoded(parts: readonly SequencedPart[]): Buffer {
  const encoder = new SequenceEncoder();
  return Buffer.concat(parts.map((part) => encoder.push(part)));
}

function decoded(...pieces: readonly Uint8Array[]): SequencedPart[] {
  const decoder = new SequenceDecoder();
  return pieces.flatMap((piece) => [...decoder.push(piece)]);
}

describe('a sequence', () => {
  it('describes each kind of part once, and then costs two bytes a part, three from 127 bytes on', () => {
    const described = Buffer.from(JSON.stringify([TEXT, []]));
    expect(encoded([small(5)])).toEqual(
      Buffer.concat([Buffer.of(0, described.length), described, Buffer.of(6)]),
    );
    const tail = (...parts: SequencedPart[]) =>
      [...encoded([small(5), ...parts])].slice(3 + described.length);
    expect(tail(small(0))).toEqual([1, 1]);
    expect(tail(small(126), small(127), small(128))).toEqual([1, 127, 1, 128, 1, 1, 129, 1]);
    expect(tail(small(65_536))).toEqual([1, 129, 128, 4]);
    expect(tail({ ...small(0), size: { stored: 1_003 } })).toEqual([1, 0, 235, 7]);
  });

  it('tells parts apart by what they are and by their notes', () => {
    const parts = [
      small(1),
      small(2, TEXT, ['base64']),
      small(3, { ...TEXT, kind: 'binary', mediaType: 'image/png' }),
      small(4),
      small(5, TEXT, ['base64']),
    ];
    expect(decoded(encoded(parts))).toEqual(parts);
  });

  it('comes back whole from any pieces', () => {
    const specs = fc.record({
      spec: fc.constantFrom<PartSpec>(TEXT, { ...TEXT, name: 'é' }, { ...TEXT, kind: 'json' }),
      notes: fc.constantFrom<string[]>([], ['bigint']),
      size: fc.oneof(
        fc.record({ bytes: fc.integer({ min: 0, max: 65_536 }) }),
        fc.record({ stored: fc.integer({ min: 0, max: 40_000 }) }),
      ),
    });
    fc.assert(
      fc.property(fc.array(specs, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (parts, step) => {
        const bytes = encoded(parts);
        const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
          bytes.subarray(i * step, (i + 1) * step),
        );
        expect(decoded(...pieces)).toEqual(parts);
      }),
    );
  });

  it('remembers 256 descriptions; more are spelled out each time', () => {
    const parts = Array.from({ length: 600 }, (_, i) => small(1, { ...TEXT, name: `n${i % 300}` }));
    const bytes = encoded(parts);
    expect(decoded(bytes)).toEqual(parts);
    const cost = (name: string) => encoded([...parts, small(1, { ...TEXT, name })]).length - bytes.length;
    expect([cost('n0'), cost('n255')]).toEqual([2, 3]);
    expect(cost('n256')).toBeGreaterThan(40);
    expect(cost('n299')).toBe(cost('n256'));
  });

  it('that was cut off gives what is whole', () => {
    const parts = [small(1), small(300), { ...small(0), size: { stored: 500 } }];
    const bytes = encoded(parts);
    expect(decoded(bytes.subarray(0, -1))).toEqual(parts.slice(0, 2));
    expect(decoded(bytes.subarray(0, 20))).toEqual([]);
    expect(decoded(Buffer.of(9, 1))).toEqual([]);
  });
});
