/** Raw reading: exact bytes of ranges, each part opened once and no byte read twice. */
import { memoryStore, type Store } from '@spillway/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL, openSpillway } from '../opening.ts';

/** A store that counts what is read from it. */
function countingStore(): { readonly store: Store; readonly reads: { opens: number; bytes: number } } {
  const reads = { opens: 0, bytes: 0 };
  const inner = memoryStore();
  const store: Store = Object.assign(Object.create(inner), {
    async read(...args: Parameters<Store['read']>) {
      reads.opens++;
      const reading = await inner.read(...args);
      return { ...reading, pieces: counted(reading.pieces) };
    },
  });
  async function* counted(pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      reads.bytes += piece.length;
      yield piece;
    }
  }
  return { store: bound(store, inner), reads };
}

/** Methods of a store may use private fields: they are called on the store itself. */
function bound(store: Store, inner: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'read') return target.read;
      const value = Reflect.get(inner, name);
      return typeof value === 'function' ? value.bind(inner) : value;
    },
  });
}

async function joined(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of bytes) all.push(piece);
  return Buffer.concat(all);
}

/** How an output is shown does not matter here: the cheapest strategy. */
const cheap = { policy: { strategy: 'head' } };

const log = Array.from(
  { length: 40_000 },
  (_, i) => `step ${i}: compiled lib/module-${i % 97}.ts in ${i} ms\n`,
).join('');

describe('raw reading', () => {
  it('opens an output of 40 pieces once and reads each byte once', async () => {
    const { store, reads } = countingStore();
    const spillway = openSpillway({ store });
    const answer = await spillway.process(CALL, { kind: 'text', text: log }, cheap);
    const id = (await spillway.sealed(answer))?.id;
    reads.opens = 0;
    reads.bytes = 0;
    const raw = await joined(await spillway.readRaw({ artifact_id: id }, CALL.scope));
    expect(raw.toString()).toBe(log);
    expect(reads).toEqual({ opens: 1, bytes: log.length });
  });

  it('reads a range from the piece in which it begins to the piece in which it ends', async () => {
    const { store, reads } = countingStore();
    const spillway = openSpillway({ store });
    const answer = await spillway.process(CALL, { kind: 'text', text: log }, cheap);
    const id = (await spillway.sealed(answer))?.id;
    const lines = log.split(/(?<=\n)/);
    reads.opens = 0;
    reads.bytes = 0;
    const raw = await joined(await spillway.readRaw({ artifact_id: id, lines: '20001-22000' }, CALL.scope));
    expect(raw.toString()).toBe(lines.slice(20_000, 22_000).join(''));
    expect(reads.opens).toBe(1);
    expect(reads.bytes).toBeLessThanOrEqual(raw.length + 2 * 65_536);
  });

  it('gives the lines and chars asked for, exactly, whatever they are made of', async () => {
    const unit = fc.constantFrom(
      'a',
      'é',
      '😀',
      '\n',
      '\r\n',
      '\r',
      'line\n'.repeat(9_000),
      '漢字'.repeat(20_000),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 12 }), fc.nat(), fc.nat(), async (units, a, b) => {
        const text = units.join('');
        const spillway = openSpillway();
        const answer = await spillway.process(CALL, { kind: 'text', text }, cheap);
        const id = (await spillway.sealed(answer))?.id;
        const raw = async (range: object) =>
          (await joined(await spillway.readRaw({ artifact_id: id, ...range }, CALL.scope))).toString();
        const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
        const [first, last] = [1 + (a % (lines.length + 1)), 1 + (a % (lines.length + 1)) + (b % 9_000)];
        expect(await raw({ lines: `${first}-${last}` })).toBe(lines.slice(first - 1, last).join(''));
        expect(await raw({ lines: `${first}-` })).toBe(lines.slice(first - 1).join(''));
        expect(await raw({})).toBe(text);
      }),
      { numRuns: 30 },
    );
  });
});
