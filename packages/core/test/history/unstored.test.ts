// A store that cannot be written: the conversation goes on with what is in memory, says what is not
// stored, and stores it once there is room.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, SpillwayError, type Store } from '@spillway/core';
import { textOf, writeAs } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { textOf as storedText } from '../../src/testing/index.ts';
import { linesOf, NAME, type Opened, openHistory, turn } from './opened.ts';
import { anthropicRefuses } from './provider-rules.ts';

type Session = Opened['session'];

const WRITES = ['create', 'freeze', 'note', 'addMessages', 'addSummary'] as const;

/** A store that can be told to fail. `from`: the writer that `create` gave fails instead. */
function failing(store: Store) {
  const state = { fails: false, with: (): unknown => new SpillwayError('store_full', 'no room') };
  const observed = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (state.fails && (WRITES as readonly unknown[]).includes(name)) return Promise.reject(state.with());
        return value.apply(target, args);
      };
    },
  });
  return { store: observed, state };
}

/** Lines that are all different and cannot be compressed; the same each time. */
function noise(chars: number): string {
  const parts: string[] = [];
  for (let i = 0; i < chars / 45; i++) parts.push(createHash('sha256').update(String(i)).digest('base64'));
  return parts.join('\n');
}

async function sent(session: Session): Promise<string[]> {
  const prepared = await session.prepare({ window: 200_000 });
  if (prepared.verdict === 'refused') throw new Error('refused');
  const { messages } = writeAs('anthropic', prepared.messages);
  expect(anthropicRefuses(messages)).toEqual([]);
  for (const part of prepared.messages.flatMap(({ parts }) => parts))
    if (part.type === 'result') expect(textOf(part).length).toBeLessThanOrEqual(8_000);
  return messages.map((message) => JSON.stringify(message));
}

/**
 * Says turns while the store is written, then not, then again, and holds the promises on the way.
 */
async function goesOn(store: Store, fill: () => Promise<void>, empty: () => Promise<void>): Promise<void> {
  const { session, spillway } = openHistory({ store });
  const texts = Array.from({ length: 6 }, (_, i) => linesOf(100_000, `turn${i + 1}`));
  // More than any room that a store has set aside, and nothing that could be compressed.
  texts[2] = `turn3 1 of\n${noise(3_000_000)}`;
  const [first, second] = [await turn(session, 1, texts[0] ?? ''), await turn(session, 2, 'short')];
  expect([first.stored, second.stored, session.unstored.why]).toEqual([true, true, null]);
  const before = await sent(session);

  await fill();
  const third = await turn(session, 3, texts[2] ?? '');
  const fourth = await turn(session, 4, 'another short one');
  expect(third.stored).toBe(false);
  const full = await sent(session);
  expect(full.slice(0, before.length)).toEqual(before);
  const shown = full.find((message) => message.includes('turn3 1 of')) ?? '';
  expect(shown).toMatch(/not stored/i);
  expect(shown).not.toContain(third.output.id);
  expect(full.join('\n')).toContain('another short one');
  expect(session.unstored.outputs).toBeGreaterThan(0);
  expect(session.unstored.why).toMatch(/no room|not available/);
  // A request is the same each time, also when nothing of it can be frozen.
  expect(await sent(session)).toEqual(full);
  await session.compact({ keepTokens: 100_000 });

  await empty();
  const fifth = await turn(session, 5, texts[4] ?? '');
  expect(fifth.stored).toBe(true);
  expect(session.unstored).toEqual({ messages: 0, outputs: 0, summaries: 0, why: null });
  const after = await sent(session);
  expect(after.slice(0, full.length)).toEqual(full);
  await spillway.settled();

  // Another process finds everything, once and in order, with the bytes and handles that were told.
  const again = openHistory({ store });
  expect(await sent(again.session)).toEqual(after);
  for (const [output, text] of [
    [first.output, texts[0]],
    [third.output, texts[2]],
    [fourth.output, 'another short one'],
    [fifth.output, texts[4]],
  ] as const)
    expect(await storedText(store, output.id, 1)).toBe(text);
  const kept = [];
  for await (const message of again.session.messages()) kept.push(message);
  expect(kept.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
  expect(new Set(kept.map(({ id }) => id)).size).toBe(15);
  const asked = kept.flatMap(({ role, parts }) => (role === 'user' ? parts : []));
  expect(asked.map((part) => (part.type === 'text' ? part.text : ''))).toEqual(
    [1, 2, 3, 4, 5].map((number) => `please do step ${number}`),
  );
}

describe('a store that cannot be written', () => {
  it.each([
    ['is full', () => new SpillwayError('store_full', 'no room')],
    ['is not available', () => new SpillwayError('store_unavailable', 'read-only')],
    ['fails in its own words', () => Object.assign(new Error('write failed'), { code: 'ENOSPC' })],
  ])('does not stop a session when it %s', async (_, failure) => {
    const { store, state } = failing(memoryStore());
    state.with = failure;
    await goesOn(
      store,
      async () => {
        state.fails = true;
      },
      async () => {
        state.fails = false;
      },
    );
  });

  it('does not stop a session on a real disk that is full', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'spillway-'));
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder]);
    if (mount.status !== 0) {
      await rm(folder, { recursive: true });
      return context.skip('mounting a small disk is not allowed here');
    }
    const ballast = join(folder, 'ballast');
    const store = sqliteStore({ file: join(folder, 'store.db') });
    try {
      const fill = async () => {
        const { bavail, bsize } = await statfs(folder);
        await writeFile(ballast, Buffer.alloc(bavail * bsize));
      };
      await goesOn(store, fill, () => rm(ballast));
    } finally {
      await store.close();
      spawnSync('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('throws where `strict` asks for it, and stores nothing later', async () => {
    const { store, state } = failing(memoryStore());
    const { session } = openHistory({ store, spillway: { strict: true } });
    state.fails = true;
    await expect(session.say({ role: 'user', parts: [{ type: 'text', text: 'a' }] })).rejects.toMatchObject({
      code: 'store_full',
    });
    await expect(
      session.result({ callId: 'c', tool: 't' }, { kind: 'text', text: 'a' }),
    ).rejects.toMatchObject({ code: 'not_stored' });
    state.fails = false;
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'b' }] });
    expect((await store.messages(NAME)).items).toHaveLength(1);
  });

  it('takes streams, images and imported messages as well', async () => {
    const { store, state } = failing(memoryStore());
    const { session, history } = openHistory({ store });
    state.fails = true;
    await session.say({
      role: 'user',
      parts: [{ type: 'media', mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
    });
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 's', tool: 'run', input: '{}' }],
    });
    async function* streamed() {
      for (let i = 0; i < 100; i++) yield Buffer.from(linesOf(1_000, `chunk${i}`));
    }
    const { output } = await session.result({ callId: 's', tool: 'run' }, { kind: 'text', text: streamed() });
    await session.import(
      'openai_chat',
      [
        {
          role: 'assistant',
          tool_calls: [{ id: 'i', type: 'function', function: { name: 't', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'i', content: 'imported result' },
      ],
      { given: 'more' },
    );
    const request = (await sent(session)).join('\n');
    for (const part of ['iVBORw0KGgo=', 'chunk0 1 of', 'imported result']) expect(request).toContain(part);
    expect(history.counters).toMatchObject({ unstored_results: 2, unstored_messages: 5 });
    expect((await store.messages(NAME)).items).toEqual([]);
    state.fails = false;
    expect((await sent(session)).join('\n')).toBe(request);
    expect((await store.messages(NAME)).items).toHaveLength(5);
    expect(await storedText(store, output.id, 0)).toContain('chunk99 1 of');
  });

  it('is not given again what it has: a result said before, or said twice meanwhile', async () => {
    const { store, state } = failing(memoryStore());
    const { session } = openHistory({ store });
    const first = await turn(session, 1, 'the first result');
    state.fails = true;
    const repeated = { callId: 'call-1', tool: 'read_file', input: { step: 1 } };
    const again = await session.result(repeated, { kind: 'text', text: 'the first result' });
    expect([again.output.id, again.message.id]).toEqual([first.output.id, first.message.id]);
    const second = await turn(session, 2, 'the second result');
    const twice = await session.result(
      { callId: 'call-2', tool: 'read_file', input: { step: 2 } },
      { kind: 'text', text: 'the second result' },
    );
    expect([twice.output.id, twice.message.id]).toEqual([second.output.id, second.message.id]);
    state.fails = false;
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go on' }] });
    expect((await store.list({ ...NAME, show: 'all' })).items).toHaveLength(2);
    expect((await store.messages(NAME)).items).toHaveLength(7);
  });

  it('may be full for outputs alone: messages are stored, and outputs follow when there is room', async () => {
    const store = memoryStore({ limits: { maxBytes: 50_000 } });
    const { session, spillway } = openHistory({ store });
    const [small, large] = [await turn(session, 1, linesOf(1_000)), await turn(session, 2, linesOf(100_000))];
    await turn(session, 3, linesOf(1_000, 'third'));
    expect([small.stored, large.stored]).toEqual([true, false]);
    expect(session.unstored).toMatchObject({ messages: 0, outputs: 1, why: 'no room left in the store' });
    expect((await sent(session)).join('\n')).toMatch(/not stored/i);
    // What the store refuses for its size waits; another process is told.
    const elsewhere = (await sent(openHistory({ store }).session)).join('\n');
    expect(elsewhere).toContain(`call-2 of read_file (${large.output.id}) could not be stored.`);
    await spillway.close();
  });

  it('is given what was compacted meanwhile', async () => {
    const { store, state } = failing(memoryStore());
    const { session } = openHistory({ store });
    for (let i = 1; i <= 5; i++) await turn(session, i, linesOf(3_000, `turn${i}`));
    state.fails = true;
    for (let i = 6; i <= 9; i++) await turn(session, i, linesOf(3_000, `turn${i}`));
    const { summarised } = await session.compact({ keepTokens: 1_500 });
    expect(summarised).toBeGreaterThan(15);
    const full = await sent(session);
    expect(full[0]).toContain('[Summary of the ');
    state.fails = false;
    await turn(session, 10, 'the end');
    expect((await store.summaries(NAME)).items).toHaveLength(1);
    const again = openHistory({ store });
    expect((await sent(again.session)).slice(0, full.length)).toEqual(full);
  });

  it('holds a bounded many bytes: the oldest results keep what was shown of them, and say later that they were not stored', async () => {
    const { store, state } = failing(memoryStore());
    const { session } = openHistory({ store });
    state.fails = true;
    const text = linesOf(9_000_000);
    const outputs = [];
    for (let i = 1; i <= 5; i++) outputs.push((await turn(session, i, `result ${i}\n${text}`)).output);
    const full = await sent(session);
    for (let i = 1; i <= 5; i++) expect(full.join('\n')).toContain(`result ${i}\\n`);
    state.fails = false;
    expect(await sent(session)).toEqual(full);
    const found = await Promise.all(outputs.map(({ id }) => store.find({ scope: NAME.scope, id })));
    expect(found.map((output) => output !== undefined)).toEqual([false, false, true, true, true]);
    const later = (await sent(openHistory({ store }).session)).join('\n');
    expect(later).toContain(
      `[No tool output. The result of the call call-1 of read_file (${outputs[0]?.id}) could not be stored. The call was made; only its output is missing.]`,
    );
  });
});
