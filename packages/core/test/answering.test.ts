/**
 * What answering costs: how often an output is projected, and in how many durable steps it is kept.
 */
import { memoryStore, type Store } from '@spillway/core';
import type { OutputDraft } from '@spillway/core/store';
import { describe, expect, it } from 'vitest';
import type { Strategy } from '../src/model/strategy.ts';
import { openSpillway } from './opening.ts';

const call = { tool: 'run', session: 's', scope: 's' };
const text = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1}`).join('\n');

/** A store that tells what was written to it, in order. */
function countingStore(): { readonly store: Store; readonly writes: string[] } {
  const inner = memoryStore();
  const writes: string[] = [];
  const store = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: never[]) => {
        if (['freeze', 'note', 'addMessages', 'addSummary', 'retire'].includes(String(name)))
          writes.push([name, typeof args[1] === 'string' ? args[1] : ''].filter(Boolean).join(' '));
        const given = await value.apply(target, args);
        if (name !== 'create') return given;
        return {
          ...given,
          part: given.part.bind(given),
          append: given.append.bind(given),
          discard: given.discard.bind(given),
          async seal(seal: { projection?: unknown }) {
            writes.push(seal.projection === undefined ? 'seal' : 'seal with projection');
            return given.seal(seal);
          },
        };
      };
    },
  });
  return { store, writes };
}

/** The first lines, counted. */
function countingStrategy() {
  const counts = { rows: 0, ranked: 0 };
  const strategy: Strategy = {
    name: 'counted',
    rank({ rows }) {
      counts.ranked++;
      counts.rows = rows;
      return { score: Float32Array.from({ length: rows }, (_, row) => 1 / (1 + row)) };
    },
  };
  return { strategy, counts };
}

function bench(copies: 'none' | 'written' | 'failing') {
  const { store, writes } = countingStore();
  const { strategy, counts } = countingStrategy();
  const plainCopies = {
    path: ({ id }: OutputDraft) => `copies/${id}.txt`,
    begin: () => ({
      write: async () => {},
      finish: async () => copies === 'written',
      remove: async () => {},
    }),
    remove: async () => false,
  };
  const spillway = openSpillway({
    store,
    strategies: [strategy],
    ...(copies === 'none' ? {} : { plainCopies }),
  });
  spillway.settings.set({ strategy: 'counted', dialect: 'spill' });
  return { spillway, writes, counts };
}

describe('an output that is cut', () => {
  it('is projected once and frozen with its seal, in one durable step, plain copy and all', async () => {
    const without = bench('none');
    await without.spillway.process(call, { kind: 'text', text });
    const { spillway, writes, counts } = bench('written');
    const { projection } = await spillway.process(call, { kind: 'text', text });
    const record = await spillway.sealed({ projection });
    if (record === null) throw new Error('not stored');
    await spillway.settled();
    expect(writes).toEqual(['seal with projection']);
    expect(counts).toEqual(without.counts);
    expect(projection.metadata.saved_path).toBe(`copies/${record.id}.txt`);
    expect(projection.text).toContain(`saved to copies/${record.id}.txt`);
    expect(await spillway.project(record)).toEqual(projection);
  });

  it('is projected again if its plain copy cannot be written: nothing names a file that is not there', async () => {
    const { spillway, writes } = bench('failing');
    const { projection } = await spillway.process(call, { kind: 'text', text });
    const record = await spillway.sealed({ projection });
    if (record === null) throw new Error('not stored');
    expect(writes).toEqual(['seal with projection']);
    expect(projection.metadata).toMatchObject({ saved_path: null, artifact_id: record.id });
    expect(projection.text).not.toContain('copies/');
    expect(await spillway.project(record)).toEqual(projection);
  });

  it('is projected once, in one durable step, also where it is compared with its baseline', async () => {
    const { spillway, writes, counts } = bench('written');
    const again = { ...call, input: { command: 'make' } };
    const policy = { failingFactor: 1 };
    const good = await spillway.process(again, { kind: 'text', text }, { policy });
    const once = counts.ranked;
    const outcome = { status: 'error', exitCode: 1 } as const;
    const failing = await spillway.process(again, { kind: 'text', text }, { policy, outcome });
    expect(counts.ranked).toBe(2 * once);
    expect(writes).toEqual(['seal with projection', 'seal with projection']);
    const { compared_with, saved_path } = failing.projection.metadata;
    expect([compared_with, saved_path === null]).toEqual([good.projection.metadata.artifact_id, false]);
    expect((await spillway.sealed(failing))?.outcome).toEqual(outcome);
  });

  it('names no plain copy where it is a range that was asked for, because it gets none', async () => {
    const { spillway } = bench('written');
    const input = { path: 'a.txt', start_line: 200 };
    const { projection } = await spillway.process({ ...call, input }, { kind: 'text', text });
    expect(projection.metadata).toMatchObject({ was_truncated: true, saved_path: null });
    expect(projection.text).not.toContain('copies/');
  });
});

describe('an answer', () => {
  it('is plain data; its output is given once it is durable, to the Spillway that answered', async () => {
    const { spillway } = bench('none');
    const answer = await spillway.process(call, { kind: 'text', text: 'short' });
    expect(structuredClone(answer)).toEqual(answer);
    expect(await spillway.sealed(answer)).toMatchObject({ tool: 'run', complete: true });
    const refused = { code: 'invalid_argument' };
    await expect(bench('none').spillway.sealed(answer)).rejects.toMatchObject(refused);
  });
});

describe('an output that a conversation records', () => {
  it('is neither selected from nor frozen before it is sent', async () => {
    const { spillway, writes, counts } = bench('written');
    const { record } = await spillway.record(call, { kind: 'text', text });
    expect([writes, counts]).toEqual([['seal'], { rows: 0, ranked: 0 }]);
    await spillway.project(record);
    expect(writes).toEqual(['seal', 'freeze first', 'note']);
    expect(counts.rows).toBe(3_000);
  });
});
