// The baseline of a failing run: which run it is, and which lines are new beside it.
import { memoryStore, type Store } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import { findBaseline } from '../src/engine/baseline.ts';
import { openSpillway } from './opening.ts';
import { tableOf } from './tables.ts';

const SCOPE = 's';
/** The shape of a line. */
const shape = (line: string) => tableOf(line).shapeHash(0);

async function ran(store: Store, command: string, text: string, status: 'ok' | 'error', at = 1) {
  const spillway = openSpillway({ store, clock: () => at });
  const call = { tool: 'run', session: `${at}`, scope: SCOPE, input: { command } };
  const answer = await spillway.process(call, { kind: 'text', text }, { outcome: { status } });
  const record = await spillway.sealed(answer);
  return { id: record?.id, input: record?.parts[0]?.hash ?? '' };
}

describe('a baseline', () => {
  it('is the latest of the same tool with the same input that ended well', async () => {
    const store = memoryStore();
    const first = await ran(store, 'make', 'compiled a.c\ncompiled b.c\n', 'ok', 1);
    const second = await ran(store, 'make', 'compiled a.c\ncompiled b.c\nlinked in 12 ms\n', 'ok', 2);
    await ran(store, 'make', 'compiled a.c\nerror: b.c\n', 'error', 3);
    await ran(store, 'make clean', 'removed\n', 'ok', 4);
    const query = { scope: SCOPE, tool: 'run', input: first.input };
    const baseline = await findBaseline(store, query);
    expect(baseline?.id).toBe(second.id);
    expect(baseline?.isNew(shape('compiled a.c\n'))).toBe(false);
    expect(baseline?.isNew(shape('linked in 97 ms'))).toBe(false);
    expect(baseline?.isNew(shape('error: b.c\n'))).toBe(true);
    expect((await findBaseline(store, { ...query, before: 1 }))?.id).toBe(first.id);
    expect(await findBaseline(store, { ...query, before: 0 })).toBeNull();
    expect(await findBaseline(store, { ...query, tool: 'other' })).toBeNull();
    expect(await findBaseline(store, { ...query, scope: 'another' })).toBeNull();
  });

  it('that is too long to be read, or is gone, is none', async () => {
    const store = memoryStore();
    const long = await ran(store, 'seq', 'x'.repeat(9_000_000), 'ok');
    expect(await findBaseline(store, { scope: SCOPE, tool: 'run', input: long.input })).toBeNull();
    const gone = await ran(store, 'ls', 'a\n', 'ok', 2);
    await store.retire({ how: 'purge', scope: SCOPE, at: 3, ids: gone.id === undefined ? [] : [gone.id] });
    expect(await findBaseline(store, { scope: SCOPE, tool: 'run', input: gone.input })).toBeNull();
  });

  it('of a store that fails is none', async () => {
    const store = memoryStore();
    await store.close();
    expect(await findBaseline(store, { scope: SCOPE, tool: 'run', input: 'x' })).toBeNull();
  });
});
