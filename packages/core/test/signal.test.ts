// Calls that wait take a signal: they reject with its reason, keep what had arrived, and leave
// nothing half written.
import { memoryStore, openAgent, Spillway } from '@spillway/core';
import { expect, test } from 'vitest';

const CALL = { tool: 'follow', session: 's', scope: 's' };

/** A stream that gives a line, then waits for ever. */
async function* endless(control: AbortController): AsyncGenerator<string> {
  yield 'first line\n';
  control.abort('the user pressed stop');
  await new Promise(() => {});
}

test('a capture that is given up is kept as cancelled, with what had arrived', async () => {
  await using spillway = new Spillway({ store: memoryStore() });
  for (const kind of ['text', 'exec', 'blocks'] as const) {
    const control = new AbortController();
    const stream = endless(control);
    const blocks = (async function* () {
      for await (const text of stream) yield { type: 'text' as const, text };
    })();
    const result =
      kind === 'text'
        ? { kind, text: stream }
        : kind === 'exec'
          ? { kind, stdout: stream, stderr: '' }
          : { kind, blocks };
    const { record, failure } = await spillway.record(CALL, result, { signal: control.signal });
    expect(failure).toMatchObject({ name: 'AbortError', cause: 'the user pressed stop' });
    expect([record.outcome.status, record.complete]).toEqual(['cancelled', false]);
    const page = await spillway.retrieve({ artifact_id: record.id }, 's');
    expect(page.text).toContain('first line');
  }
});

test('a signal that is aborted before stores nothing, freezes nothing and fetches nothing', async () => {
  const store = memoryStore();
  await using spillway = new Spillway({ store });
  const signal = AbortSignal.abort();
  const aborted = { name: 'AbortError' };
  await expect(spillway.process(CALL, { kind: 'text', text: 'x' }, { signal })).rejects.toMatchObject(
    aborted,
  );
  expect((await store.list({ scope: 's', show: 'all' })).items).toEqual([]);
  await using agent = await openAgent({ session: 's', store });
  await expect(agent.say('hello', { signal })).rejects.toMatchObject(aborted);
  await expect(agent.take({ role: 'user', content: 'hello' }, { signal })).rejects.toMatchObject(aborted);
  await expect(agent.request({ window: 1_000, signal })).rejects.toMatchObject(aborted);
  await expect(agent.fetch({ artifact_id: 'art_1' }, { signal })).rejects.toMatchObject(aborted);
  expect((await agent.session.report()).messages).toBe(0);
});
