// A call that is given up in the middle stops its work, not only its caller's wait, and the store
// goes on as if nothing had happened. On a real SQLite store with an output of many pieces.
import { Spillway, type Store } from '@spillway/core';
import { History } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import type { OutputRecord } from '../src/model/output.ts';
import { temporaryStore } from './opening.ts';

const CALL = { tool: 'build', callId: 'c1', session: 's', scope: 's' };
const LINES = 60_000;
const TEXT = Array.from({ length: LINES }, (_, i) => `line ${i} of the build, which goes on and on\n`).join(
  '',
);
const STOP = new Error('the user pressed stop');
/** Pieces after which the signal is given; the output has more than ten times as many. */
const PIECES = 3;

/**
 * A store that gives the signal once some pieces of any part were read, and counts how many were.
 */
function watched(store: Store) {
  const state = { control: new AbortController(), read: 0, open: 0 };
  const read: Store['read'] = async (id, part, from, options) => {
    const { at, pieces } = await store.read(id, part, from, options);
    return { at, pieces: counted(pieces) };
  };
  async function* counted(pieces: AsyncIterable<Uint8Array>) {
    state.open++;
    try {
      for await (const piece of pieces) {
        if (++state.read === PIECES) state.control.abort(STOP);
        yield piece;
      }
    } finally {
      state.open--;
    }
  }
  return { state, store: { ...store, read } as Store };
}

/** Waits for it; a stream is read to its end. */
async function whole(work: unknown): Promise<void> {
  const value = await work;
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value)
    for await (const item of value as AsyncIterable<{ readonly bytes?: unknown }>)
      if (typeof item.bytes === 'object') await whole(item.bytes);
}

type Call = (spillway: Spillway, record: OutputRecord, signal: AbortSignal) => unknown;
const NAME = ({ scope, id }: OutputRecord) => ({ scope, id });
const CALLS: Readonly<Record<string, Call>> = {
  project: (spillway, record, signal) => spillway.project(NAME(record), { audience: 'screen', signal }),
  reproject: (spillway, record, signal) => spillway.reproject(NAME(record), { signal }),
  preview: (spillway, record, signal) => spillway.preview(NAME(record), { signal }),
  reasons: (spillway, record, signal) => spillway.reasons(NAME(record), { signal }),
  projectTogether: (spillway, record, signal) => spillway.projectTogether([record], { signal }),
  retrieve: (spillway, { id, scope }, signal) =>
    spillway.retrieve({ artifact_id: id, pattern: 'nowhere' }, scope, 'fetch', { signal }),
  readRaw: (spillway, { id, scope }, signal) => spillway.readRaw({ artifact_id: id }, scope, { signal }),
  interleaved: (spillway, record, signal) => spillway.interleaved(NAME(record), { signal }),
  contents: (spillway, record, signal) => spillway.contents(record, undefined, { signal }),
  firstError: (spillway, record, signal) => spillway.firstError(record, { signal }),
};
const patterns = { compile: (text: string) => ({ find: (line: string) => line.indexOf(text) }) };

describe('a call that is given up while a large output is read', () => {
  for (const [name, call] of Object.entries(CALLS))
    it(`${name} rejects with the reason, reads no further, and the store can be used again`, async () => {
      const { state, store } = watched(await temporaryStore());
      await using spillway = new Spillway({ store, patterns: patterns as never });
      const { record } = await spillway.record(CALL, { kind: 'text', text: TEXT });
      const before = await store.frozen(record.id, 'screen');
      await expect(whole(call(spillway, record, state.control.signal))).rejects.toBe(STOP);
      expect([state.read, state.open]).toEqual([PIECES, 0]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(state.read).toBe(PIECES);
      expect(await store.frozen(record.id, 'screen')).toEqual(before);
      await whole(call(spillway, record, new AbortController().signal));
      const again = await spillway.process({ ...CALL, callId: 'c2' }, { kind: 'text', text: TEXT });
      expect(again.projection.metadata.original_size).toBe(TEXT.length);
    });
});

describe('a conversation that is given up', () => {
  it('freezes nothing of a request, and makes the same request afterwards', async () => {
    const { state, store } = watched(await temporaryStore());
    await using spillway = new Spillway({ store });
    const session = new History({ spillway, invariants: 'count' }).session({ scope: 's', session: 's' });
    const call = { type: 'call', callId: 'c1', tool: 'build', input: '{}' } as const;
    await session.say({ role: 'assistant', parts: [call] });
    const { output } = await session.result({ callId: 'c1', tool: 'build' }, { kind: 'text', text: TEXT });
    const { signal } = state.control;
    await expect(session.request({ window: 50_000, signal })).rejects.toBe(STOP);
    expect(state.open).toBe(0);
    expect(await store.frozen(output.id, 'model')).toBeUndefined();
    const { messages } = await session.request({ window: 50_000 });
    expect(JSON.stringify(messages)).toContain(output.id);
  });

  it('reads no further for an export, a transcript, a screen or a report, whatever is left', async () => {
    const { state, store } = watched(await temporaryStore());
    await using spillway = new Spillway({ store });
    const session = new History({ spillway, invariants: 'count' }).session({ scope: 's', session: 's' });
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c1', tool: 'build', input: '{}' }],
    });
    await session.result({ callId: 'c1', tool: 'build' }, { kind: 'text', text: TEXT });
    const calls: readonly ((signal: AbortSignal) => unknown)[] = [
      (signal) => session.export('openai_chat', { signal }),
      (signal) => session.exportLines({ signal }),
      (signal) => session.transcript({ signal }),
      (signal) => session.hydrate([], { signal }),
    ];
    for (const call of calls) {
      Object.assign(state, { control: new AbortController(), read: 0 });
      await expect(whole(call(state.control.signal))).rejects.toBe(STOP);
      expect([state.read, state.open]).toEqual([PIECES, 0]);
    }
    const lines: string[] = [];
    for await (const line of session.exportLines()) lines.push(line);
    expect(lines.at(-1)).toContain('"outputs":1');
  });

  it('leaves no half of an import: the same lines again go on from there', async () => {
    await using from = new Spillway({ store: await temporaryStore() });
    const source = new History({ spillway: from }).session({ scope: 's', session: 's' });
    await source.say({ role: 'assistant', parts: [{ type: 'call', callId: 'c1', tool: 't', input: '{}' }] });
    await source.result({ callId: 'c1', tool: 't' }, { kind: 'text', text: TEXT });
    const lines: string[] = [];
    for await (const line of source.exportLines()) lines.push(line);
    const store = await temporaryStore();
    await using to = new Spillway({ store });
    const target = new History({ spillway: to }).session({ scope: 's', session: 's' });
    const control = new AbortController();
    function* until(count: number) {
      for (const [i, line] of lines.entries()) {
        if (i === count) control.abort(STOP);
        yield line;
      }
    }
    await expect(target.importLines(until(10), { signal: control.signal })).rejects.toMatchObject({
      cause: STOP,
    });
    expect((await store.list({ scope: 's', show: 'all' })).items).toEqual([]);
    expect(await target.importLines(lines)).toMatchObject({ outputs: 1, messages: 2 });
  });

  it('adds no summary when it gives up while its model words one', async () => {
    const store = await temporaryStore();
    await using spillway = new Spillway({ store });
    const session = new History({ spillway }).session({ scope: 's', session: 's' });
    for (const text of ['one', 'two', 'three'])
      await session.say({ role: 'user', parts: [{ type: 'text', text }] });
    const control = new AbortController();
    const model = ({ signal }: { readonly signal?: AbortSignal }) => {
      expect(signal).toBe(control.signal);
      control.abort(STOP);
      return new Promise<string>(() => {});
    };
    const compacting = session.compact({ keepTokens: 0, model, signal: control.signal });
    await expect(compacting).rejects.toBe(STOP);
    expect((await store.summaries({ scope: 's', session: 's' })).items).toEqual([]);
    expect((await session.compact({ keepTokens: 0 })).summarised).toBe(2);
  });
});

describe('a capture that is fed by hand and given up', () => {
  it('takes nothing more, and keeps what had arrived when it is disposed of', async () => {
    const store = await temporaryStore();
    await using spillway = new Spillway({ store });
    const control = new AbortController();
    {
      await using capture = await spillway.open(CALL, { signal: control.signal });
      const part = capture.part({ name: 'stdout' });
      await part.write('what had arrived\n');
      control.abort(STOP);
      await expect(part.write('too late\n')).rejects.toBe(STOP);
    }
    const [record] = (await store.list({ scope: 's', show: 'all' })).items;
    expect(record).toMatchObject({ complete: false, outcome: { status: 'cancelled' } });
    const page = await spillway.retrieve({ artifact_id: record?.id }, 's');
    expect(page.body).toBe('what had arrived\n');
  });
});
