// The baseline of a failing run: which run it is, and which lines are new beside it.
import { memoryStore, type Store } from '@spillway/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBaseline, LineCutter, LineSet, readBaseline } from '../src/engine/baseline.ts';
import { openSpillway } from './opening.ts';

const SCOPE = 's';
const bytes = (text: string) => new TextEncoder().encode(text);

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
    expect(baseline?.isNew(bytes('compiled a.c\n'))).toBe(false);
    expect(baseline?.isNew(bytes('linked in 97 ms'))).toBe(false);
    expect(baseline?.isNew(bytes('error: b.c\n'))).toBe(true);
    expect((await findBaseline(store, { ...query, before: 1 }))?.id).toBe(first.id);
    expect(await findBaseline(store, { ...query, before: 0 })).toBeNull();
    expect(await findBaseline(store, { ...query, tool: 'other' })).toBeNull();
    expect(await findBaseline(store, { ...query, scope: 'another' })).toBeNull();
  });

  it('that was compared with before is read again by its record, and says the same', async () => {
    const store = memoryStore();
    const { id } = await ran(store, 'make', 'compiled a.c\n', 'ok');
    const record = id === undefined ? undefined : await store.find({ scope: SCOPE, id });
    if (record === undefined || 'purgedAt' in record) throw new Error('it was stored');
    const baseline = await readBaseline(store, record);
    expect(baseline?.id).toBe(id);
    expect(baseline?.isNew(bytes('compiled a.c'))).toBe(false);
    expect(baseline?.isNew(bytes('compiled b.c'))).toBe(true);
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

describe('a set of lines', () => {
  it('knows every line that was added, whatever the chunks were', () => {
    const text = fc.array(fc.string({ maxLength: 30 }), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 17 }), (lines, step) => {
        const whole = bytes(lines.join('\n'));
        const set = new LineSet();
        const cutter = new LineCutter((line) => set.add(line));
        for (let at = 0; at < whole.length; at += step) cutter.push(whole.slice(at, at + step));
        cutter.finish();
        const again: Uint8Array[] = [];
        const once = new LineCutter((line) => again.push(line.slice()));
        once.push(whole);
        once.finish();
        for (const line of again) expect(set.has(line)).toBe(true);
      }),
    );
  });

  it('takes few lines for known that are not, up to 100,000', () => {
    const set = new LineSet();
    const words = (i: number) =>
      bytes(
        `${String.fromCharCode(97 + (i % 26), 97 + ((i / 26) % 26), 97 + ((i / 676) % 26), 97 + ((i / 17576) % 26))} line`,
      );
    for (let i = 0; i < 100_000; i++) set.add(words(i));
    let wrong = 0;
    for (let i = 100_000; i < 110_000; i++) if (set.has(words(i))) wrong++;
    expect(wrong).toBeLessThan(200);
  });

  it.each([
    ['numbers', 'step 12 took 3.4 s', 'step 7 took 10.95 s'],
    ['colours', '\u001b[32mok\u001b[0m all', 'ok all'],
    ['line ends and blanks', 'done  \r\n', 'done'],
  ])('does not count %s', (_, one, other) => {
    const set = new LineSet();
    set.add(bytes(one));
    expect(set.has(bytes(other))).toBe(true);
    expect(set.has(bytes(`${other} x`))).toBe(false);
  });
});
