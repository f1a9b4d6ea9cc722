// Compaction: beside the messages, never in their place; everything it leaves out is named.
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/history/index.ts';
import { parseArtifactId } from '../../src/index.ts';
import { textOf as storedText } from '../../src/testing/index.ts';
import { linesOf, NAME, openHistory, turn } from './opened.ts';

async function firstText(session: Session, window?: number): Promise<string> {
  const prepared = await session.prepare(window === undefined ? {} : { window });
  if (prepared.verdict === 'refused') throw new Error(prepared.reason);
  const part = prepared.messages[0]?.parts[0];
  if (part?.type !== 'text') throw new Error('no text');
  return part.text;
}

async function canonical(session: Session): Promise<string> {
  const all: string[] = [];
  for await (const message of session.messages()) all.push(JSON.stringify(message));
  return all.join('\n');
}

describe('a compaction', () => {
  it('that drops 200 results names tool, call id, handle and first error line of each, and every handle resolves', async () => {
    const { session, spillway, store } = openHistory();
    const made: { tool: string; callId: string; id: string; error: string; text: string }[] = [];
    for (let i = 0; i < 200; i++) {
      const tool = ['execute_command', 'search_files', 'mcp__db__query'][i % 3] ?? '';
      const error = `ERROR: step ${i} failed because of reason ${i * 13}`;
      const text = `starting\n${'progress without trouble\n'.repeat(i % 50)}${error}\nERROR: a later one\nend\n`;
      const callId = `toolu_${i}_x`;
      await session.say({
        role: 'assistant',
        parts: [{ type: 'call', callId, tool, input: JSON.stringify({ command: `step ${i}` }) }],
      });
      const outcome = { status: i % 2 === 0 ? 'error' : 'ok', exitCode: i % 2 } as const;
      const of = { callId, tool, input: { command: `step ${i}` }, outcome };
      const { output } = await session.result(of, { kind: 'text', text });
      made.push({ tool, callId, id: output.id, error, text });
    }
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go on' }] });
    const before = await canonical(session);
    const { summary, summarised } = await session.compact({ keepTokens: 10 });
    expect(summarised).toBe(400);
    expect(await canonical(session)).toBe(before);
    const text = await firstText(session);
    expect(text).toBe(summary?.text);
    const lines = text.split('\n');
    for (const { tool, callId, id, error, text: whole } of made) {
      const line = lines.find((each) => each.startsWith(`- ${tool} ${callId} ${id} `));
      expect(line).toContain(`first error: ${error}`);
      expect(await storedText(store, parseArtifactId(id), 1)).toBe(whole);
    }
    const page = await spillway.retrieve({ artifact_id: made[77]?.id }, NAME.scope);
    expect(page.body).toBe(made[77]?.text);
  });

  it('keeps outputs of its own, which are no tool calls in the ledger', async () => {
    const { session, store } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: linesOf(30_000, 'pasted') }] });
    for (let i = 0; i < 5; i++) await turn(session, i, linesOf(500));
    const before = await store.list({ scope: NAME.scope, limit: 100, show: 'all' });
    await session.compact({ keepTokens: 1 });
    const after = await store.list({ scope: NAME.scope, limit: 100, show: 'all' });
    expect(after.items.length).toBeGreaterThan(before.items.length);
    const { items } = await store.events({ scope: NAME.scope, limit: 1_000 });
    const captured = items.filter(({ type }) => type === 'captured').map(({ tool }) => tool);
    expect(captured).toEqual(Array(5).fill('read_file'));
  });

  it('reads like this', async () => {
    const { session } = openHistory();
    await session.say({ role: 'system', parts: [{ type: 'text', text: 'You are careful.' }] });
    await session.say({
      role: 'user',
      parts: [{ type: 'text', text: 'Fix the login in src/auth/login.ts. You must not touch the tests.' }],
    });
    const call = (callId: string, tool: string, input: object) =>
      session.say({
        role: 'assistant',
        parts: [{ type: 'call', callId, tool, input: JSON.stringify(input) }],
      });
    await call('c1', 'read_file', { path: 'src/auth/login.ts' });
    const one = await session.result(
      { callId: 'c1', tool: 'read_file', input: { path: 'src/auth/login.ts' } },
      { kind: 'text', text: 'export {};\n' },
    );
    await session.say({
      role: 'assistant',
      parts: [
        { type: 'text', text: 'I decided to use the session cookie instead of a token. Then I will see.' },
      ],
    });
    await call('c2', 'execute_command', { command: 'npm test' });
    const two = await session.result(
      { callId: 'c2', tool: 'execute_command', input: { command: 'npm test' } },
      { kind: 'exec', stdout: 'running\n', stderr: 'TypeError: x is not a function\n', exitCode: 1 },
    );
    await call('c3', 'deploy', { to: 'staging' });
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'And the logout.' }] });
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'Well?' }] });
    const { summary } = await session.compact({ keepTokens: 1 });
    const transcript = /word for word: messages 1-9 (art_\w+)\./.exec(summary?.text ?? '')?.[1];
    expect(summary?.text).toBe(
      [
        '[Summary of the 9 messages before this one. They are kept in full; messages and results can be fetched by their handles.]',
        'Task:',
        '- Fix the login in src/auth/login.ts. You must not touch the tests.',
        'Later messages of the user:',
        '- #9: And the logout.',
        'Decisions:',
        '- I decided to use the session cookie instead of a token.',
        'Open errors:',
        `- execute_command c2 ${two.output.id}: TypeError: x is not a function`,
        'Files: src/auth/login.ts',
        `What was said, word for word: messages 1-9 ${transcript}.`,
        'Results left out (tool, call id, handle, status):',
        `- read_file c1 ${one.output.id} ok: src/auth/login.ts`,
        `- execute_command c2 ${two.output.id} error, exit 1: npm test; first error: TypeError: x is not a function`,
        '- deploy c3 (no handle) no result yet: {"to":"staging"}',
      ].join('\n'),
    );
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    expect(prepared.messages.map(({ role, id }) => [role, id.startsWith('summary') ? id : ''])).toEqual([
      ['system', ''],
      ['user', 'summary-1'],
      ['user', ''],
    ]);
  });

  it('stays as it is from request to request, and is the same whether made at once or step by step', async () => {
    const [once, steps] = [openHistory(), openHistory()];
    for (let i = 0; i < 30; i++) {
      for (const { session } of [once, steps]) await turn(session, i, linesOf(2_000, `t${i}`));
      if (i % 7 === 3) await steps.session.compact({ keepTokens: 800 });
    }
    // Of what was said there is a transcript for each step.
    const ids = /art_\d+_\w+|^What was said, word for word: .*$/gm;
    const a = await once.session.compact({ keepTokens: 800 });
    const b = await steps.session.compact({ keepTokens: 800 });
    expect(b.summary?.version).toBeGreaterThan(2);
    expect(b.summary?.covers).toBe(a.summary?.covers);
    expect(b.summary?.text.replace(ids, 'art')).toBe(a.summary?.text.replace(ids, 'art'));
    const sent = JSON.stringify(await steps.session.prepare());
    expect(JSON.stringify(await steps.session.prepare())).toBe(sent);
  });

  it('is undone by another version, back to no summary at all', async () => {
    const { session, store } = openHistory();
    for (let i = 0; i < 10; i++) await turn(session, i, linesOf(3_000, `t${i}`));
    const whole = JSON.stringify(await session.prepare());
    await session.compact({ keepTokens: 4_000 });
    const first = JSON.stringify(await session.prepare());
    for (let i = 10; i < 14; i++) await turn(session, i, linesOf(3_000, `t${i}`));
    await session.prepare();
    await session.compact({ keepTokens: 2_000 });
    await session.undoCompaction();
    expect((JSON.parse(JSON.stringify(await session.prepare())).messages as unknown[]).slice(0, 5)).toEqual(
      JSON.parse(first).messages.slice(0, 5),
    );
    await session.undoCompaction();
    const back = JSON.parse(JSON.stringify(await session.prepare()));
    expect(back.messages.slice(0, 30)).toEqual(JSON.parse(whole).messages);
    await expect(session.undoCompaction()).rejects.toMatchObject({ code: 'invalid_argument' });
    const versions = (await store.summaries(NAME)).items.map(({ version, by }) => [version, by]);
    expect(versions.toReversed()).toEqual([
      [1, 'extractive'],
      [2, 'extractive'],
      [3, 'undo'],
      [4, 'undo'],
    ]);
    await expect(openHistory().session.undoCompaction()).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('parts no call from its result, and a result that comes after its call was summarised is shown', async () => {
    const { session } = openHistory();
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'start' }] });
    await session.say({
      role: 'assistant',
      parts: [{ type: 'call', callId: 'slow', tool: 'build', input: '{}' }],
    });
    for (let i = 0; i < 6; i++) await turn(session, i, linesOf(1_000, `t${i}`));
    const { summary } = await session.compact({ keepTokens: 1_200 });
    expect(summary?.text).toContain('- build slow (no handle) no result yet: {}');
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const calls = prepared.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'call');
    const results = prepared.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'result');
    expect(results.length).toBe(calls.length);
    expect(prepared.missing).toEqual([]);
    await session.result({ callId: 'slow', tool: 'build' }, { kind: 'text', text: 'built at last' });
    const later = await session.prepare();
    if (later.verdict === 'refused') throw new Error('refused');
    expect(later.messages[1]?.parts).toEqual([
      { type: 'text', text: '[Result of the call slow of build, which arrived after the summary above.]' },
      { type: 'text', text: 'built at last' },
    ]);
  });

  it('moves the oldest of very many results to an index that can be fetched, and follows it back to the first', async () => {
    const { session, spillway } = openHistory();
    const ids: string[] = [];
    for (let i = 0; i < 120; i++) {
      ids.push((await turn(session, i, `result ${i}`)).output.id);
      if (i % 40 === 39) await session.compact({ keepTokens: 50, summaryTokens: 1_900 });
    }
    const text = await firstText(session);
    expect(text.length).toBeLessThan(6_000);
    const named = new Set(text.match(/art_\d+_\w+/g));
    let index = /earlier results are listed in (art_\d+_\w+)\./.exec(text)?.[1];
    let pages = 0;
    while (index !== undefined) {
      const { body } = await spillway.retrieve({ artifact_id: index }, NAME.scope);
      for (const id of body.match(/art_\d+_\w+/g) ?? []) named.add(id);
      index = /those before are in (art_\d+_\w+):/.exec(body)?.[1];
      pages++;
    }
    expect(pages).toBeGreaterThan(1);
    const prepared = await session.prepare();
    const live = new Set(JSON.stringify(prepared).match(/art_\d+_\w+/g));
    expect(ids.filter((id) => !named.has(id) && !live.has(id))).toEqual([]);
  });

  it('may be worded by a model of the host; handles are listed by us, and its failure is no obstacle', async () => {
    const { session } = openHistory();
    const { output } = await turn(session, 1, 'first result');
    await turn(session, 2, 'second result');
    let given: unknown;
    const { summary } = await session.compact({
      keepTokens: 20,
      model: async (request) => {
        given = request;
        return 'A story in the words of a model.';
      },
    });
    expect(summary).toMatchObject({ by: 'host' });
    expect(summary?.text).toContain(
      '- #4: please do step 2\nA story in the words of a model.\nWhat was said',
    );
    expect(summary?.text).toContain(output.id);
    expect(given).toMatchObject({ previous: '', messages: [{ ordinal: 1 }, {}, {}, { ordinal: 4 }] });
    await turn(session, 3, 'third');
    const failed = await session.compact({
      keepTokens: 20,
      model: async () => Promise.reject(new Error('no model')),
    });
    expect(failed).toMatchObject({ summary: { by: 'extractive' }, failure: new Error('no model') });
  });

  it('makes room: a session that was refused goes on', async () => {
    const { session } = openHistory();
    for (let i = 0; i < 12; i++) {
      await turn(session, i, linesOf(9_000, `t${i}`));
      await session.prepare();
    }
    expect((await session.prepare({ window: 20_000 })).verdict).toBe('refused');
    await session.compact({ window: 20_000 });
    const after = await session.prepare({ window: 20_000 });
    expect(after.verdict).toBe('fits');
  });

  it('names pictures and calls that nobody answered too, however many, and keeps the first and the latest instructions', async () => {
    const { session, store } = openHistory();
    const instruct = (number: number) =>
      session.say({
        role: 'system',
        parts: [{ type: 'text', text: `Rule ${number}: you must do ${number}.` }],
      });
    for (let i = 0; i < 3; i++) await instruct(i);
    const pictures: string[] = [];
    for (let i = 0; i < 4; i++) {
      const data = Uint8Array.of(i, i, i);
      const { parts } = await session.say({
        role: 'user',
        parts: [{ type: 'media', mediaType: 'image/png', data }],
      });
      for (const part of parts)
        if (part.type === 'media' && 'output' in part.source) pictures.push(part.source.output);
    }
    await session.say({
      role: 'user',
      parts: [{ type: 'media', mediaType: 'image/gif', source: { url: 'https://x.test/a.gif' } }],
    });
    for (let i = 0; i < 230; i++)
      await session.say({
        role: 'assistant',
        parts: [{ type: 'call', callId: `c${i}`, tool: 't', input: '{}' }],
      });
    for (let i = 3; i < 30; i++) await instruct(i);
    await session.say({ role: 'user', parts: [{ type: 'text', text: 'go on' }] });
    await session.compact({ keepTokens: 1 });
    const prepared = await session.prepare();
    if (prepared.verdict === 'refused') throw new Error('refused');
    const [rules, rest] = [prepared.messages.slice(0, -2), prepared.messages.slice(-2)];
    const numbers = rules.map(({ parts }) =>
      parts[0]?.type === 'text' ? /Rule (\d+)/.exec(parts[0].text)?.[1] : '',
    );
    expect(numbers).toEqual(['0', '1', '2', '3', '4', '25', '26', '27', '28', '29']);
    const text = rest[0]?.parts[0]?.type === 'text' ? rest[0].parts[0].text : '';
    for (const id of pictures) expect(text).toMatch(new RegExp(`- attachment \\S+ ${id} image/png\n`));
    expect(text).toMatch(/- attachment \S+ \(no handle\) image\/gif: https:\/\/x\.test\/a\.gif\n/);
    for (let i = 0; i < 230; i++) expect(text).toContain(`- t c${i} (no handle) no result yet: {}`);
    expect((await store.summaries(NAME)).items).toHaveLength(1);
  });
});
