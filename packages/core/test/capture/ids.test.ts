/** Handles: where their random part comes from, and how much of it there is. */

import { memoryStore } from '@spillway/core';
import { afterEach, expect, it, vi } from 'vitest';
import { openSpillway } from '../opening.ts';

afterEach(() => vi.restoreAllMocks());

const idsOf = async (count: number, options: { random?: (count: number) => Uint8Array } = {}) => {
  const spillway = openSpillway({ store: memoryStore(), clock: () => 1_700_000_000_000, ...options });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await spillway.open({ tool: 't', session: 's', scope: 'c' })).id);
  return ids;
};

it('an id has 80 random bits of the system, not of a generator that can be guessed', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const ids = await idsOf(2_000);
  expect(new Set(ids).size).toBe(2_000);
  expect(ids.every((id) => /^art_1700000000_[0-9a-z]{16}$/.test(id))).toBe(true);
  // Each of the 16 places takes many values: none is constant or counts up.
  for (let position = 15; position < 31; position++)
    expect(new Set(ids.map((id) => id[position])).size).toBeGreaterThan(24);
});

it('an id takes ten bytes of the source that a host gives', async () => {
  const asked: number[] = [];
  const random = (count: number) => {
    asked.push(count);
    return new Uint8Array(count).fill(255);
  };
  expect(await idsOf(1, { random })).toEqual(['art_1700000000_zzzzzzzzzzzzzzzz']);
  expect(asked).toEqual([10]);
});
