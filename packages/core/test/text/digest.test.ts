import { createHash } from 'node:crypto';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';

type Digest = typeof import('../../src/text/digest.ts');

describe('hashes of what is short', () => {
  let digest: Digest;

  // A process hashes a few kilobytes itself, then leaves it to Node: each run begins as a process
  // does.
  beforeEach(async () => {
    digest = await freshly();
  });

  it('are those of Node at every length around a block', () => {
    for (let length = 0; length <= 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 167 + length) & 0xff);
      expect(new digest.Sha256().update(bytes).digest()).toBe(ofNode(bytes));
      expect(digest.crc32(bytes)).toBe(zlib.crc32(bytes));
    }
  });

  it('are those of Node for any bytes in any pieces, short and long', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 5_000, size: 'max' }), { maxLength: 4 }),
        async (pieces) => {
          const { Sha256, crc32 } = await freshly();
          const hash = new Sha256();
          for (const piece of pieces) {
            const lent = piece.slice();
            hash.update(lent);
            // Whoever gave the bytes may use them again.
            lent.fill(0);
          }
          const all = Buffer.concat(pieces);
          expect(hash.digest()).toBe(ofNode(all));
          expect(crc32(all)).toBe(zlib.crc32(all));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are the same for bytes that last, however many and however long', async () => {
    for (const lengths of [[0], [70_000], [3, 70_000], [30_000, 30_000, 5], [0, 0, 100], [24_000, 24_000]]) {
      const pieces = lengths.map((length) => new Uint8Array(length).fill(length & 0xff));
      const { Sha256 } = await freshly();
      // The second one finds that the process has hashed its share here.
      for (const hash of [new Sha256(), new Sha256()]) {
        for (const piece of pieces) hash.updateLasting(piece);
        expect(hash.digest()).toBe(ofNode(Buffer.concat(pieces)));
      }
    }
  });

  it('count text as UTF-8', () => {
    expect(new digest.Sha256().update('größer 👩‍👩‍👧').digest()).toBe(ofNode(Buffer.from('größer 👩‍👩‍👧')));
    expect(digest.crc32('größer')).toBe(zlib.crc32('größer'));
  });
});

function ofNode(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function freshly(): Promise<Digest> {
  vi.resetModules();
  return import('../../src/text/digest.ts');
}
