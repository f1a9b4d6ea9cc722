// Very many tiny parts: memory and time grow with them, but no faster, and only what can be shown is remembered.
import { join } from 'node:path';
import { Spillway } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { FarParts } from '../../src/far-parts.ts';
import type { PartRecord } from '../../src/model/part.ts';
import type { Selector } from '../../src/model/strategy.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { temporaryFolders } from '../stores/running.ts';

const newFolder = temporaryFolders();
const call = { tool: 't', session: 's', scope: 'scope' };
const blocksOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ type: 'text' as const, text: `block ${i + 1}\n` }));

describe('an output of very many parts', () => {
  it('is projected within its bound, with its first and last parts', async () => {
    const count = 50_000;
    const { projection } = await new Spillway({ store: null }).process(call, {
      kind: 'blocks',
      blocks: blocksOf(count),
    });
    expect(projection.text.length).toBeLessThanOrEqual(8_000);
    expect(projection.text).toContain('block 1\n');
    expect(projection.text.trimEnd().endsWith(`block ${count}`)).toBe(true);
    expect(projection.metadata.original_lines).toBe(count);
  });

  it('takes time in proportion to store, and each part can be fetched', async () => {
    const store = sqliteStore({ file: join(await newFolder(), 'store.db'), durability: 'process' });
    const spillway = new Spillway({ store });
    const took: number[] = [];
    for (const count of [1_000, 8_000]) {
      const before = performance.now();
      const record = await (await spillway.process(call, { kind: 'blocks', blocks: blocksOf(count) })).sealed;
      took.push(performance.now() - before);
      expect(record?.parts).toHaveLength(count);
      const page = await spillway.retrieve({ artifact_id: record?.id, part: '777' }, 'scope');
      expect(page.body).toBe('block 777\n');
    }
    const [few = 0, many = 0] = took;
    // Eight times the parts; a cost that grows with their square would be 64.
    expect(many / few).toBeLessThan(32);
    await spillway.close();
  });

  it('gives the same projection from the store as on its way in, also where most parts are blank', async () => {
    const store = sqliteStore({ file: join(await newFolder(), 'store.db'), durability: 'process' });
    const spillway = new Spillway({ store });
    const blocks = Array.from({ length: 2_000 }, (_, i) => ({
      type: 'text' as const,
      text: i % 3 === 0 ? ' \n' : i % 3 === 1 ? '' : `block ${i}`,
    }));
    const policy = { inlineLimit: 300 };
    for (const some of [blocks, blocks.filter(({ text }) => text.trim() === '')]) {
      const { projection, sealed } = await spillway.process(
        call,
        { kind: 'blocks', blocks: some },
        { policy },
      );
      const id = (await sealed)?.id;
      if (id === undefined) throw new Error('not stored');
      const again = await spillway.preview({ scope: 'scope', id }, { policy });
      expect(again.text).toBe(projection.text);
    }
    await spillway.close();
  });
});

describe('far parts', () => {
  const asked = new Set<number>();
  const partOf = (index: number, text: string) => {
    const bytes = Buffer.from(text);
    const selector: Selector = {
      push() {},
      select() {
        asked.add(index);
        return [];
      },
      bytes: ({ start, end }) => bytes.subarray(start, end),
    };
    const part = { index, bytes: bytes.length, chars: text.length, lines: 1 } as PartRecord;
    return { part, selector: selector as Selector | null };
  };

  it('of each kind keep their selectors at both ends; those between leave out everything, and blank stays blank', () => {
    const far = new FarParts(3);
    const parts = Array.from({ length: 40 }, (_, i) => partOf(i, i % 2 === 0 ? `telling ${i}` : '  \n'));
    for (const part of parts) far.add(part);
    const own = parts.filter(({ selector }) => {
      asked.clear();
      selector?.select({ chars: 9, lines: 9, gap: { chars: 0, lines: 0 } });
      return asked.size === 1;
    });
    expect(own.map(({ part }) => part.index)).toEqual([0, 1, 2, 3, 4, 5, 34, 35, 36, 37, 38, 39]);
    const look = (i: number) => Buffer.from(parts[i]?.selector?.bytes({ start: 0, end: 3 }) ?? []).toString();
    expect(look(11)).toBe('   ');
    expect(look(12).trim()).not.toBe('');
    expect(parts[12]?.selector?.select({ chars: 9, lines: 9, gap: { chars: 0, lines: 0 } })).toEqual([
      { kind: 'omit', start: 0, end: 10, chars: 10, lines: 1, firstLine: 1, lastLine: 1 },
    ]);
  });
});
