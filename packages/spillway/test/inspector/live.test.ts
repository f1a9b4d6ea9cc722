/** The inspector while others write: live events, long sessions, hostile names and content. */
import { History } from '@spillway/core/history';
import { expect, it } from 'vitest';
import type { Answer, LiveEvent, OutputAnswer } from '../../src/inspector/api.ts';
import { open } from '../../src/open.ts';
import { freshWorkspace } from '../program.ts';
import { startInspector, type Visit, visit } from './visiting.ts';

/** Calls of the long session; 5,000 of them are gone through in a browser. */
const CALLS = 300;

/** Reads the stream until so many outputs were captured; the events in their order. */
async function captured(person: Visit, count: number, after = ''): Promise<LiveEvent[]> {
  const gone = new AbortController();
  const response = await person.send(`/api/live?after=${after}`, { signal: gone.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events: LiveEvent[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const [, data] = /^event: events\ndata: (.*)$/m.exec(message) ?? [];
      if (data !== undefined) events.push(...(JSON.parse(data) as { readonly items: LiveEvent[] }).items);
    }
    if (events.filter(({ type }) => type === 'captured').length >= count) break;
  }
  gone.abort();
  return events;
}

it('a page that was away is told what it missed', async () => {
  const workspace = await freshWorkspace();
  await workspace.run(['exec', '--', 'echo', 'first']);
  const person = await visit(await startInspector(workspace));
  const { cursor } = await person.get<Answer<'GET /api/workspace'>>('/api/workspace');
  await workspace.run(['exec', '--', 'seq', '1', '4000']);
  const events = await captured(person, 1, cursor);
  expect(events.map(({ type }) => type)).toEqual(['captured', 'projected']);
}, 60_000);

it('a long session is paged and searched, and its window is told by what fills it', async () => {
  const workspace = await freshWorkspace();
  const {
    spillway,
    store,
    workspace: place,
  } = await open({ workspace: workspace.root, env: { HOME: workspace.root } });
  if (store === null) throw new Error('no store');
  const long = new History({ spillway, store }).session({ scope: place.scope, session: 'long' });
  await long.say({ role: 'user', parts: [{ type: 'text', text: 'Look at everything.' }] });
  const calls = Array.from({ length: CALLS }, (_, i) => ({
    type: 'call' as const,
    callId: `call-${i}`,
    tool: 'read_file',
    input: JSON.stringify({ path: `src/${i}.ts` }),
  }));
  await long.say({ role: 'assistant', parts: calls });
  for (const { callId, tool } of calls)
    await long.result({ callId, tool }, { kind: 'text', text: `of ${callId}` });
  await long.request({ window: 1_000_000 });
  await spillway.close();
  const { stdout } = await workspace.run(['sessions', 'show', 'long']);
  expect(stdout).toMatch(
    /^Context window: \d+ % full, [\d,]+ of 1,000,000 tokens \(tool results [\d,]+, messages [\d,]+\)\.$/m,
  );
  const person = await visit(await startInspector(workspace));
  const session = await person.get<Answer<'GET /api/sessions/:id'>>('/api/sessions/long');
  expect(session).toMatchObject({ entries: CALLS + 1, has_messages: true, totals: { calls: CALLS } });
  const { window } = session;
  expect(window).toMatchObject({ size: 1_000_000, warn_at: 0.75 });
  expect(window?.used).toBe(
    (window?.messages ?? 0) + (window?.results ?? 0) + (window?.system ?? 0) + (window?.reserved ?? 0),
  );
  expect((await person.get<Answer<'GET /api/workspace'>>('/api/workspace')).window).toMatchObject({
    session: 'long',
  });
  const { entries, total } = await person.get<Answer<'GET /api/sessions/:id/thread'>>(
    '/api/sessions/long/thread?from=-2',
  );
  expect(total).toBe(CALLS + 1);
  expect(entries).toMatchObject([{ call_id: 'call-298' }, { call_id: 'call-299', state: 'kept' }]);
  const near = await person.get<Answer<'GET /api/sessions/:id/thread'>>(
    '/api/sessions/long/thread?call=call-150&limit=10',
  );
  expect(near.entries.some((entry) => entry.kind === 'call' && entry.call_id === 'call-150')).toBe(true);
  const found = await person.get<Answer<'GET /api/sessions/:id/thread'>>(
    '/api/sessions/long/thread?q=SRC%2F123.ts',
  );
  expect(found).toMatchObject({ from: 0, total: 1, entries: [{ call_id: 'call-123', index: 124 }] });
  const message = await person.get<Answer<'GET /api/sessions/:id/thread'>>(
    '/api/sessions/long/thread?q=at+everything',
  );
  expect(message).toMatchObject({ total: 1, entries: [{ kind: 'message', role: 'user' }] });
  const measured = await person.get<Answer<'GET /api/sessions/:id/window'>>(
    '/api/sessions/long/window?size=200000',
  );
  expect(measured).toMatchObject({ size: 200_000, used: window?.used });
}, 240_000);

it('names and content that would like to be a page stay text', async () => {
  const workspace = await freshWorkspace();
  const hostile = '</script><img src=x onerror=alert(1)>';
  await workspace.run([
    'exec',
    '--session',
    hostile,
    '--',
    'printf',
    `${hostile}\\n\\033]0;owned\\007\\000\\u202e\\n`,
  ]);
  const person = await visit(await startInspector(workspace));
  const { items } = await person.get<Answer<'GET /api/outputs'>>('/api/outputs');
  const [row] = items;
  expect(row?.session).toBe(hostile);
  const response = await person.send(`/api/outputs/${row?.id}/lines?part=1`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { ranges } = (await response.json()) as { ranges: { texts: string[] }[] };
  expect(ranges[0]?.texts[0]).toBe(hostile);
  const session = await person.get<Answer<'GET /api/sessions/:id'>>(
    `/api/sessions/${encodeURIComponent(hostile)}`,
  );
  expect(session.id).toBe(hostile);
  const { output } = await person.get<OutputAnswer>(`/api/outputs/${row?.id}`);
  expect(output.session).toBe(hostile);
}, 60_000);
