// What a window that fills gives up first, and how its host is told.
import { memoryStore, openAgent } from '@spillway/core';
import type { CompactionReport } from '@spillway/core/history';
import { describe, expect, it } from 'vitest';
import { linesOf, openHistory } from './opened.ts';

const WINDOW = 9_000;

/** Reads three files, the first of them again and again. */
async function reading(): Promise<ReturnType<typeof openHistory>> {
  const opened = openHistory();
  const { session } = opened;
  await session.say({ role: 'user', parts: [{ type: 'text', text: 'Fix the parser.' }] });
  for (const [i, path] of ['a.ts', 'b.ts', 'a.ts', 'c.ts', 'a.ts'].entries()) {
    const input = JSON.stringify({ path });
    const call = { type: 'call', callId: `call-${i}`, tool: 'read_file', input } as const;
    await session.say({ role: 'assistant', parts: [call] });
    const text = linesOf(7_000, `${path} in version ${i}:`);
    await session.result({ callId: call.callId, tool: 'read_file', input: { path } }, { kind: 'text', text });
    if (i < 4) await session.request({ window: 100_000 });
  }
  return opened;
}

describe('reads that a later one repeats', () => {
  it('go first when a window fills, with a line in their place', async () => {
    const { session } = await reading();
    const reports: CompactionReport[] = [];
    const made = await session.request({
      window: WINDOW,
      onCompaction: (report) => void reports.push(report),
    });
    const results = made.messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'result'));
    const shown = results.map(({ blocks }) => (blocks[0]?.type === 'text' ? blocks[0].text : ''));
    const [first, , second] = results.map(({ output }) => output);
    const gone = (id: unknown) =>
      `[Left out to make room: the call call-4 read the same later. This result is kept as ${id}.]`;
    expect([shown[0], shown[2]]).toEqual([gone(first), gone(second)]);
    for (const text of [shown[1], shown[3], shown[4]]) expect(text?.length).toBeGreaterThan(1_000);
    expect(reports).toEqual(made.compacted);
    expect(reports).toEqual([
      {
        kind: 'superseded',
        version: 1,
        by: 'extractive',
        summarised: 0,
        messages: null,
        results: [
          { tool: 'read_file', callId: 'call-0', output: first, status: 'ok' },
          { tool: 'read_file', callId: 'call-2', output: second, status: 'ok' },
        ],
      },
    ]);
    // The same again, byte for byte, and all of it back once it is undone.
    const again = await session.request({ window: WINDOW });
    expect(JSON.stringify(again.messages)).toBe(JSON.stringify(made.messages));
    await session.undoCompaction();
    expect(JSON.stringify((await session.request({ window: 100_000 })).messages)).not.toContain('Left out');
  });

  it('stay while there is room, and so do commands that were run again', async () => {
    const { session } = await reading();
    expect((await session.request({ window: 100_000 })).compacted).toEqual([]);
  });
});

describe('a host', () => {
  it('is told of every summary, with the messages and results that it stands for', async () => {
    const agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const reports: CompactionReport[] = [];
    for (let i = 0; i < 30; i++) {
      await agent.say(`Do step ${i}: ${'please '.repeat(300)}`);
      await agent.request({ window: 3_000, onCompaction: (report) => void reports.push(report) });
    }
    expect(reports.length).toBeGreaterThan(1);
    const spans = reports.flatMap(({ messages }) => (messages === null ? [] : [messages]));
    // One goes on where the other ended.
    expect(spans.map(([first]) => first)).toEqual([1, ...spans.slice(0, -1).map(([, last]) => last + 1)]);
    const { items } = await agent.spillway.store.events({ scope: 'run-1', type: 'compacted' });
    expect(items).toHaveLength(reports.length);
  });

  it('is told why its model did not word a summary', async () => {
    const agent = await openAgent({ session: 'run-1', store: memoryStore() });
    for (let i = 0; i < 8; i++) await agent.say(`Do step ${i}: ${'please '.repeat(300)}`);
    const failure = new Error('no network');
    const { compacted } = await agent.request({ window: 3_000, model: () => Promise.reject(failure) });
    expect(compacted[0]).toMatchObject({ kind: 'summary', by: 'extractive', failure });
  });
});

it('a summary names a result that is stored, although no message has said it yet', async () => {
  const agent = await openAgent({ session: 'run-1', store: memoryStore() });
  await agent.say('Pay.');
  const call = { type: 'call', callId: 'call_pay', tool: 'pay', input: '{"amount":"5"}' } as const;
  await agent.say({ role: 'assistant', parts: [call] });
  await agent.answer({ callId: 'call_pay', tool: 'pay', input: { amount: '5' } }, () => 'Paid, receipt 77.');
  const { body } = await agent.request({ window: 100_000 });
  expect(JSON.stringify(body)).toContain('receipt 77');
  for (let i = 0; i < 8; i++) await agent.say(`Go on with ${i}: ${'please '.repeat(300)}`);
  const { summary } = await agent.session.compact({ keepTokens: 100 });
  expect(summary?.text).toMatch(/- pay call_pay art_\w+ ok: 5/);
  expect(summary?.text).not.toContain('no result yet');
});

describe('agents with one scope', () => {
  it('fetch and find what the others stored; without it their handles are unknown', async () => {
    const lead = await openAgent({ session: 'lead', scope: 'task-42', store: memoryStore() });
    const { spillway } = lead;
    const helper = await openAgent({ session: 'helper', scope: 'task-42', spillway });
    const stranger = await openAgent({ session: 'stranger', spillway });
    await lead.say('The password of the door is swordfish.');
    const shown = await lead.tool(() => linesOf(20_000, 'door'), { name: 'look' })();
    const [artifact_id = ''] = /art_\w+/.exec(shown) ?? [];
    const page = await helper.fetch({ artifact_id, lines: '1-2' });
    expect(page).toContain('door 1 of a text');
    expect(await helper.fetch({ search: 'door 300' })).toContain(artifact_id);
    expect(await stranger.fetch({ artifact_id })).toBe(
      `There is no artifact ${artifact_id} here. Do not retry.`,
    );
    expect(await stranger.fetch({ search: 'door' })).toMatch(/^\[Nothing found in 0 outputs/);
    // What was said stays with its session.
    expect(await helper.fetch({ search: 'swordfish' })).toMatch(
      /^\[Nothing found in 1 output and 0 messages/,
    );
  });
});
