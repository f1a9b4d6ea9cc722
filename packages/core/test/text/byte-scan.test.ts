/** Line ends, UTF-16 units and controls, looked for sixteen bytes at a time, are those that a loop finds. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  controlsIn,
  controlsInLoop,
  countBreaks,
  countBreaksInLoop,
  countUnits,
  countUnitsInLoop,
} from '../../src/text/byte-scan.ts';

/** Texts around the sizes at which the way of counting changes. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom('\n', '\r', '\r\n', 'a', 'é', '日', '😀', '\0', '\x1b'), {
      minLength: 1,
      maxLength: 50,
    }),
    fc.constantFrom(200, 300, 8_200, 65_530, 65_560, 140_000),
    fc.nat({ max: 40 }),
  )
  .map(([units, atLeast, more]) => {
    const bytes = Buffer.from(units.join(''));
    const times = Math.ceil((atLeast + more) / bytes.length);
    return Buffer.concat(Array.from({ length: times }, () => bytes));
  });

describe('looking at sixteen bytes at a time', () => {
  it('gives what a loop gives, from anywhere to anywhere', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 100 }), fc.nat({ max: 100 }), (bytes, before, behind) => {
        const [start, end] = [before, bytes.length - behind];
        expect(countBreaks(bytes, start, end)).toBe(countBreaksInLoop(bytes, start, end));
        expect(countUnits(bytes, start, end)).toBe(countUnitsInLoop(bytes, start, end));
        expect(controlsIn(bytes, end)).toEqual(controlsInLoop(bytes, end));
      }),
      { numRuns: 300 },
    );
  });

  it('does not overflow where every byte counts', () => {
    for (const byte of [10, 13, 0xf0]) {
      const bytes = new Uint8Array(200_000).fill(byte);
      expect(countBreaks(bytes, 0, bytes.length)).toBe(byte === 0xf0 ? 0 : 200_000);
      expect(countUnits(bytes, 0, bytes.length)).toBe(byte === 0xf0 ? 400_000 : 200_000);
    }
  });

  it('counts a CR that the end separates from its LF, and none that an LF follows', () => {
    for (const length of [8_192, 65_536, 65_537, 131_072]) {
      const bytes = new Uint8Array(length + 1).fill(0x61);
      bytes.set([13, 10], length - 1);
      expect([length, countBreaks(bytes, 0, length)]).toEqual([length, 1]);
      expect([length, countBreaks(bytes, 0, length + 1)]).toEqual([length, 1]);
    }
  });
});

describe('where there is no WebAssembly', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('a loop counts', async () => {
    vi.resetModules();
    vi.stubGlobal('WebAssembly', undefined);
    const scan = await import('../../src/text/byte-scan.ts');
    const bytes = Buffer.from('é\r\n\x1b[0m\r'.repeat(5_000));
    expect(scan.countBreaks(bytes, 0, bytes.length)).toBe(10_000);
    expect(scan.countUnits(bytes, 0, bytes.length)).toBe(40_000);
    expect(scan.controlsIn(bytes, bytes.length)).toHaveLength(10_000);
  });
});
