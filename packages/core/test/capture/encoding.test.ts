/** The memory behind what was encoded, and where randomness for handles comes from. */
import { describe, expect, it } from 'vitest';
import { ChunkEncoder } from '../../src/capture/capture-part.ts';
import { randomPool } from '../../src/engine/setup.ts';
import { memoryStore, Spillway } from '../../src/index.ts';
import { mintArtifactId } from '../../src/model/artifact.ts';

describe('an encoded text', () => {
  it('does not hold the memory of others, nor much more than it needs', () => {
    for (const length of [1, 100, 3_000, 5_000, 100_000]) {
      const bytes = new ChunkEncoder().push('x'.repeat(length));
      expect([bytes.length, bytes.buffer.byteLength <= length * 2]).toEqual([length, true]);
      expect(bytes.constructor).toBe(Uint8Array);
    }
  });
});

describe('random bytes from a pool', () => {
  it('are given once each, also when the pool is filled again', () => {
    const random = randomPool();
    const seen = new Set(Array.from({ length: 1_000 }, () => Buffer.from(random(10)).toString('hex')));
    expect(seen.size).toBe(1_000);
  });

  it('make handles of all their bits, five a letter', () => {
    const bytes = Uint8Array.of(0x00, 0x44, 0x32, 0x14, 0xc7, 0xff, 0xff, 0xff, 0xff, 0xfe);
    expect(mintArtifactId(1_000, () => bytes)).toBe('art_1_01234567zzzzzzzy');
  });
});

describe('a very long text', () => {
  it('is stored exactly, also where it is encoded in parts and a pair of surrogates is split', async () => {
    const text = `a${'😀'.repeat(600_000)}é\r\n`;
    const spillway = new Spillway({ store: memoryStore() });
    const call = { tool: 't', session: 's', scope: 'x' };
    const { id, parts } = (await spillway.record(call, { kind: 'text', text })).record;
    expect(parts).toMatchObject([{ chars: text.length, lines: 1, illFormed: 0, notes: [] }]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await spillway.readRaw({ artifact_id: id }, 'x')) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(Buffer.from(text))).toBe(true);
  });
});
