/** A ruler answers what measuring from the beginning would, at any place of any bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ruler } from '../../src/text/ruler.ts';
import { advance, characterStart, encode, measure, offsetOfChar } from '../../src/text/utf8.ts';
import { anyBytes, anyText } from '../arbitraries.ts';

/**
 * Some kilobytes, so that there are several marks: in plain text, in wide characters, in line ends,
 * in ill-formed bytes.
 */
const longBytes = fc
  .tuple(
    fc.integer({ min: 900, max: 1_100 }),
    fc.array(fc.oneof(anyBytes, anyText.map(encode)), { minLength: 1, maxLength: 4 }),
  )
  .map(([length, parts]) => {
    const unit = Buffer.concat([...parts, Buffer.from('\r\n')]);
    const filler = Buffer.alloc(length, 'ab\r\n');
    return Uint8Array.from(Buffer.concat([filler, ...Array<Buffer>(200).fill(unit), filler]));
  });

describe('a ruler', () => {
  it('sets no mark between CR and LF, wherever the pair lies', () => {
    for (let at = 1_020; at <= 1_028; at++) {
      const bytes = encode(`${'x'.repeat(at)}\r\n${'y'.repeat(3_000)}`);
      expect(new Ruler(bytes).to(3_000)).toEqual({ bytes: 3_000, chars: 3_000, breaks: 1 });
      expect(new Ruler(bytes).reach(at + 1).bytes).toBe(at);
    }
  });

  it('measures up to any place as measuring from the beginning does', () => {
    fc.assert(
      fc.property(longBytes, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, share) => {
        const offset = characterStart(bytes, Math.floor(share * bytes.length));
        const { illFormed, ...extent } = measure(bytes, 0, offset);
        expect(illFormed).toBeGreaterThanOrEqual(0);
        expect(new Ruler(bytes).to(offset)).toEqual(extent);
      }),
    );
  });

  it('gets as far within chars and lines as one does from the beginning', () => {
    fc.assert(
      fc.property(longBytes, fc.nat(4_000), fc.nat(500), (bytes, chars, breaks) => {
        const ruler = new Ruler(bytes);
        expect(ruler.reach(chars, breaks)).toEqual(advance(bytes, 0, chars, breaks));
        expect(ruler.reach(chars)).toEqual(advance(bytes, 0, chars));
        const open = Number.POSITIVE_INFINITY;
        expect(ruler.reach(open, breaks)).toEqual(advance(bytes, 0, open, breaks));
        expect(ruler.offsetOfChar(chars)).toBe(offsetOfChar(bytes, chars));
      }),
    );
  });

  it('counts a line end of two chars once, wherever a mark would fall', () => {
    for (let before = 1_020; before < 1_030; before++) {
      const bytes = encode(`${'x'.repeat(before)}\r\n${'y'.repeat(2_000)}`);
      const ruler = new Ruler(bytes);
      expect(ruler.to(before + 2)).toEqual({ bytes: before + 2, chars: before + 2, breaks: 1 });
      expect(ruler.to(bytes.length).breaks).toBe(1);
    }
  });
});
