// A whole agent on `openAgent`: a scripted model in two providers' shapes, tools that fail, stream
// and are given up, a small window, and hints that are followed to the end.
import { describe, expect, it } from 'vitest';
import { projectMessages } from '../../src/adapters/messages.ts';
import { memoryStore, openAgent, type ToolContext } from '../../src/index.ts';
import { anthropicRefuses, openaiRefuses } from '../history/provider-rules.ts';

const WINDOW = 9_000;
const log = (turn: number): string =>
  Array.from({ length: 900 }, (_, i) => `turn ${turn} line ${i + 1} says ${(i * 7_919) % 1_000}\n`).join('');

type Answer = {
  readonly text: string;
  readonly calls: readonly { id: string; name: string; args: object }[];
};

/** What the scripted model answers in the words of OpenAI. */
function chatResponse({ text, calls }: Answer) {
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: 'assistant' as const, content: text, ...(calls.length > 0 ? { tool_calls } : {}) };
  return { id: 'chatcmpl-1', choices: [{ index: 0, finish_reason: 'stop', message }] };
}

/** The same in the words of Anthropic. */
function anthropicResponse({ text, calls }: Answer) {
  const used = calls.map(({ id, name, args }) => ({ type: 'tool_use' as const, id, name, input: args }));
  const content = [{ type: 'text' as const, text }, ...used];
  return { id: 'msg_1', type: 'message', role: 'assistant' as const, content, usage: { input_tokens: 1 } };
}

const say = (turn: number): Answer => ({ text: `Turn ${turn} is done.`, calls: [] });
const ask = (turn: number): Answer => ({
  text: `Looking at ${turn}.`,
  calls: [
    { id: `call_${turn}_0`, name: 'read_log', args: { turn } },
    { id: `call_${turn}_1`, name: 'fails', args: { turn } },
  ],
});

/** Tools of every agent here. */
const readLog = async ({ turn }: { turn: number }): Promise<string> => log(turn);
const fails = async ({ turn }: { turn: number }): Promise<string> => {
  throw new Error(`step ${turn} failed: ${'x'.repeat(50_000)}`);
};

/** The arguments of the call that reads a cut result from its start. */
const firstPage = (shown: string): object => ({ artifact_id: /art_\d+_\w+/.exec(shown)?.[0] });

/** Those of the next call that a page names; null behind the last page. */
function nextPage(shown: string): object | null {
  const spelled = /get_artifact\(([^)]*)\)/.exec(JSON.parse(shown).content[0].content)?.[1];
  if (spelled === undefined) return null;
  return JSON.parse(`{"${spelled.replaceAll(', ', ', "').replaceAll('="', '":"')}}`);
}

describe('an agent', () => {
  it("in OpenAI's shape answers 12 turns in a small window: requests fit, providers take them, nothing is lost", async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore(), shape: 'openai_chat' });
    agent.tool(readLog, { name: 'read_log' });
    agent.tool(fails);
    await agent.say({ role: 'system', parts: [{ type: 'text', text: 'You look after a build.' }] });
    let [compactions, before] = [0, [] as string[]];
    for (let turn = 1; turn <= 12; turn++) {
      await agent.say(`Please look at turn ${turn}.`);
      for (const answer of [ask(turn), say(turn)]) {
        const request = await agent.request({ window: WINDOW });
        expect(request.numbers.tokens).toBeLessThanOrEqual(WINDOW * 0.95);
        expect(openaiRefuses(request.body.messages)).toEqual([]);
        const sent = request.body.messages.map((message) => JSON.stringify(message));
        if (request.compactions === 0) expect(sent.slice(0, before.length)).toEqual(before);
        compactions += request.compactions;
        before = sent;
        const { calls, text } = await agent.take(chatResponse(answer));
        expect(text).toBe(answer.text);
        const ends = await agent.run(calls);
        expect(ends.map(({ status }) => status)).toEqual(answer.calls.length === 0 ? [] : ['ok', 'error']);
      }
    }
    expect(compactions).toBeGreaterThan(1);
    const report = await agent.session.report();
    expect([report.calls, report.results, report.missing, report.orphans]).toEqual([24, 24, 0, 0]);
    const kept: string[] = [];
    for await (const { parts } of agent.session.transcript())
      for (const part of parts)
        if (part.type === 'result')
          kept.push(part.blocks.map((block) => ('text' in block ? block.text : '')).join(''));
    for (let turn = 1; turn <= 12; turn++) {
      expect(kept).toContain(log(turn));
      expect(kept).toContain(`step ${turn} failed: ${'x'.repeat(50_000)}`);
    }
    expect(agent.about).toEqual({ userMessage: 'Please look at turn 12.', lastMessage: 'Turn 12 is done.' });
  });

  it("in Anthropic's shape follows the hints of a cut result to its last line", async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore(), shape: 'anthropic' });
    agent.tool(readLog, { name: 'read_log' });
    await agent.say({ role: 'system', parts: [{ type: 'text', text: 'Read everything.' }] });
    await agent.say('What does the log say?');
    const sent = async () => {
      const { body } = await agent.request({ window: 60_000 });
      expect(anthropicRefuses(body.messages as object[] as Record<string, unknown>[])).toEqual([]);
      expect(body.system).toEqual([{ type: 'text', text: 'Read everything.' }]);
      return JSON.stringify(body.messages.at(-1));
    };
    await sent();
    const [first] = ask(1).calls;
    let { calls } = await agent.take(anthropicResponse({ text: 'Reading.', calls: first ? [first] : [] }));
    let pages = 0;
    let seen = '';
    for (;;) {
      await agent.run(calls);
      const shown = await sent();
      seen += shown;
      const args = pages === 0 ? firstPage(shown) : nextPage(shown);
      if (args === null) break;
      const call = { id: `call_page_${++pages}`, name: 'get_artifact', args };
      ({ calls } = await agent.take(anthropicResponse({ text: '', calls: [call] })));
    }
    expect(pages).toBeGreaterThan(1);
    expect(seen).toContain('turn 1 line 900 says');
    for (let line = 1; line <= 900; line++) expect(seen).toContain(`turn 1 line ${line} says`);
  });

  it('tells its model what is wrong with a call, and goes on', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    agent.tool(readLog, { name: 'read_log' });
    await agent.say('Go.');
    const call = (name: string, args: string) => ({
      id: `c-${name}`,
      type: 'function',
      function: { name, arguments: args },
    });
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [
        call('read_logs', '{}'),
        call('read_log', '{"turn": '),
        call('get_artifact', '{"artifact_id":"art_1"}'),
      ],
    };
    const { calls } = await agent.take({ choices: [{ message }] });
    expect((await agent.run(calls)).map(({ status }) => status)).toEqual(['error', 'error', 'error']);
    const { body } = await agent.request({ window: WINDOW });
    expect(body.messages.slice(-3).map(({ content }) => content)).toEqual([
      'There is no tool read_logs. The tools are: read_log, get_artifact.',
      'The arguments for read_log are not valid JSON. Nothing was run. Send the arguments as valid JSON.',
      await agent.fetch({ artifact_id: 'art_1' }),
    ]);
    expect(await agent.fetch({ artifact_id: 'art_1' })).toMatch(/art_/);
  });

  it('that is given up records every call as cancelled, with what had arrived, and no call is without a result', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const control = new AbortController();
    agent.tool(
      async function* follows() {
        yield 'first line\n';
        control.abort();
        await new Promise(() => {});
      } as () => AsyncGenerator<string>,
      { name: 'follows' },
    );
    agent.tool(() => new Promise<string>(() => {}), { name: 'hangs' });
    agent.tool(
      (_: object, { signal }: ToolContext) => (signal instanceof AbortSignal ? 'has a signal' : 'none'),
      {
        name: 'quick',
      },
    );
    await agent.say('Go.');
    const names = ['follows', 'hangs', 'quick'];
    const { calls } = await agent.take(
      chatResponse({ text: '', calls: names.map((name) => ({ id: name, name, args: {} })) }),
    );
    await expect(agent.run(calls, { signal: control.signal })).rejects.toMatchObject({ name: 'AbortError' });
    const report = await agent.session.report();
    expect([report.calls, report.results, report.missing]).toEqual([3, 3, 0]);
    const { body } = await agent.request({ window: WINDOW });
    const results = body.messages.slice(-3).map(({ content }) => JSON.stringify(content));
    expect(results[0]).toContain('first line');
    expect(results[2]).toContain('has a signal');
    const statuses: string[] = [];
    for await (const { parts } of agent.session.transcript())
      for (const part of parts) if (part.type === 'result') statuses.push(part.status);
    expect(statuses).toEqual(['cancelled', 'cancelled', 'ok']);
  });

  it('keeps words that are said again: a user who says the same three times said it three times', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    for (let i = 0; i < 3; i++) await agent.take({ role: 'user', content: 'And?' });
    const { body } = await agent.request({ window: WINDOW });
    expect(body.messages).toHaveLength(3);
  });
});

describe('a tool of an agent', () => {
  it('that a framework calls gives a bounded text, throws bounded errors, and is found again by its call id', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const bounded = agent.tool(readLog, { name: 'read_log' }) as (
      input: object,
      context: object,
    ) => Promise<string>;
    const text = await bounded(
      { turn: 1 },
      { toolCallId: 'call_1', abortSignal: new AbortController().signal },
    );
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).toContain('get_artifact');
    const failing = agent.tool({ name: 'fails', description: 'Always fails.', execute: fails });
    expect(failing.description).toBe('Always fails.');
    await expect(failing.execute({ turn: 1 })).rejects.toThrow(/^\[/);
    await expect(failing.execute({ turn: 1 })).rejects.toSatisfy(
      (error: unknown) => error instanceof Error && error.message.length <= 12_000,
    );
    await agent.say('Go.');
    await agent.take(
      chatResponse({ text: '', calls: [{ id: 'call_1', name: 'read_log', args: { turn: 1 } }] }),
    );
    const { body } = await agent.request({ window: 60_000 });
    expect(body.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: text });
  });

  it('is refused without a name, without a function, and as get_artifact', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    expect(() => agent.tool(async () => '')).toThrow(/Which tool\? Name it/);
    expect(() => agent.tool({ name: 'x' } as never)).toThrow(/Which tool\? Give a function/);
    expect(() => agent.tool(readLog, { name: 'get_artifact' })).toThrow(/is there already/);
  });
});

describe('the definition of get_artifact', () => {
  it('is spelled as each provider wants it', async () => {
    const chat = await openAgent({ session: 's', store: memoryStore() });
    expect(chat.definition).toMatchObject({ type: 'function', function: { name: 'get_artifact' } });
    const responses = await openAgent({ session: 's', store: memoryStore(), shape: 'openai_responses' });
    expect(responses.definition).toMatchObject({ type: 'function', name: 'get_artifact', strict: false });
    const anthropic = await openAgent({ session: 's', store: memoryStore(), shape: 'anthropic' });
    expect(anthropic.definition).toMatchObject({ name: 'get_artifact', input_schema: { type: 'object' } });
    const langchain = await openAgent({ session: 's', store: memoryStore(), shape: 'langchain' });
    expect(langchain.definition).toMatchObject({ type: 'function', function: { name: 'get_artifact' } });
    const google = await openAgent({ session: 's', store: memoryStore(), shape: 'google' });
    expect(google.definition).toMatchObject({
      name: 'get_artifact',
      parametersJsonSchema: { type: 'object' },
    });
  });
});

it('an agent is opened with a store by name, and an option that is not known is refused', async () => {
  const open = openAgent as (options: object) => Promise<unknown>;
  await expect(open({ session: 's' })).rejects.toThrow('Which store? Give `store: memoryStore()`');
  await expect(open({ session: 's', store: memoryStore(), shap: 'anthropic' })).rejects.toThrow(
    '`shap` is not an option of openAgent. Did you mean shape?',
  );
  await using agent = await openAgent({ session: 's', store: memoryStore() });
  await expect(agent.request(undefined as never)).rejects.toThrow('Which window? Give `window` in tokens.');
  expect(() => agent.tool(readLog, { polcy: {} } as never)).toThrow(
    '`polcy` is not known. Did you mean policy?',
  );
  await expect(agent.take([], { shap: 'google' } as never)).rejects.toThrow('`shap` is not known.');
  // Adapters share their options.
  await expect(projectMessages(agent, [], { windw: 8_000 } as never)).rejects.toThrow(
    '`windw` is not an option here: there are window, reserve,',
  );
});

it('a result of chat completions is one text, also with a notice beside cut JSON or an image', async () => {
  await using agent = await openAgent({ session: 's', store: memoryStore() });
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}` }));
  agent.tool(() => rows, { name: 'rows' });
  const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
  const blocks = { kind: 'blocks', blocks: [{ type: 'text', text: 'A picture:' }, picture] } as const;
  agent.tool(() => null, { name: 'picture', result: () => blocks });
  const called = (id: string, name: string) => ({
    id,
    type: 'function',
    function: { name, arguments: '{}' },
  });
  const tool_calls = [called('c1', 'rows'), called('c2', 'picture')];
  const { calls } = await agent.take({ role: 'assistant', content: null, tool_calls });
  await agent.run(calls);
  const { body } = await agent.request({ window: 50_000 });
  const [cut, image] = body.messages.filter(({ role }) => role === 'tool');
  expect(cut?.content).toContain('"... ');
  expect(image?.content).toBe('A picture:\n[Left out: image/png, which cannot be sent here.]');
});
