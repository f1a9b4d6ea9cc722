// Anthropic's SDK: its tool runner, and loops by hand on its messages, against a provider that
// keeps what it was sent.
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as source from '../../src/adapters/anthropic.ts';
import { memoryStore, openAgent } from '../../src/index.ts';
import { anthropicRefuses } from '../history/provider-rules.ts';
import { type Block, type Body, type FakeClaude, say, startClaude, use } from './programs/fake-claude.mjs';
import { prove } from './prove.ts';
import { type Given, ReadingModel, storedTexts } from './scenarios.ts';

type Layer = typeof source;
type Run = Parameters<typeof betaTool>[0]['run'];

const MODEL = { model: 'fake', max_tokens: 100 } as const;
const load = ({ app }: Given) => app.load<Layer>('@spillway/core/anthropic');

prove({
  name: 'Anthropic SDK',
  framework: '@anthropic-ai/sdk',
  subpath: '@spillway/core/anthropic',
  guide: 'anthropic',
  scenarios: {
    async longResult(given) {
      const { spillway } = await load(given);
      const claude = await playing((_, n) => [n < 2 ? use(`toolu_${n}`) : say('Built.')]);
      const outputs = [given.text, 'ok'];
      const { tools } = spillway(given.agent, { tools: [tool(() => outputs.shift() ?? '')] });
      await client(claude).beta.messages.toolRunner({
        ...MODEL,
        thread: false,
        tools,
        messages: asks('Build.'),
      });
      const [, second, third] = claude.bodies;
      return { shown: textOf(resultsIn(second)[0]), again: textOf(resultsIn(third)[0]) };
    },
    async thrownError(given) {
      const { spillway } = await load(given);
      const claude = await playing(once(use('toolu_1')));
      const fails = tool(() => Promise.reject(new Error(given.error)));
      const { tools } = spillway(given.agent, { tools: [fails] });
      await client(claude).beta.messages.toolRunner({
        ...MODEL,
        thread: false,
        tools,
        messages: asks('Build.'),
      });
      const [shown] = resultsIn(claude.bodies[1]);
      return { shown: textOf(shown), isError: shown?.is_error === true };
    },
    async parallelCalls(given) {
      const { spillway } = await load(given);
      const claude = await playing(once(...[0, 1, 2].map((i) => use(`toolu_${i}`, 'build', { i }))));
      const build = tool(async (args) => given.other((args as { i: number }).i));
      const { tools } = spillway(given.agent, { tools: [build], window: given.window });
      await client(claude).beta.messages.toolRunner({
        ...MODEL,
        thread: false,
        tools,
        messages: asks('Build.'),
      });
      return { shown: resultsIn(claude.bodies[1]).map(textOf) };
    },
    async image(given) {
      const { spillway } = await load(given);
      const claude = await playing(once(use('toolu_1')));
      const { tools } = spillway(given.agent, { tools: [tool(() => withImage(given))] });
      await client(claude).beta.messages.toolRunner({
        ...MODEL,
        thread: false,
        tools,
        messages: asks('Look.'),
      });
      return picturesIn(resultsIn(claude.bodies[1])[0]);
    },
    streamingTool: {
      cannot: 'a tool returns one value; no part of it can be shown earlier.',
    },
    async abort(given) {
      const { spillway } = await load(given);
      const claude = await playing(once(use('toolu_1')));
      const giveUp = new AbortController();
      const hangs = tool(() => new Promise(() => giveUp.abort()));
      const bounded = spillway(given.agent, { tools: [hangs], window: given.window });
      const runner = client(claude).beta.messages.toolRunner(
        { ...MODEL, tools: bounded.tools, messages: asks('Build.') },
        { signal: giveUp.signal },
      );
      const failed = await drain(bounded.turns(runner)).catch((error: unknown) => error);
      return { rejected: failed instanceof Anthropic.APIUserAbortError };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, 'anthropic.db') };
      const { prompt: first } = await app.run<{ prompt: string[] }>('anthropic.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('anthropic.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const { spillway } = await load(given);
      const { plan, window } = given;
      const script = plan.flatMap(({ thought, calls, answer }) => [
        [say(thought), ...calls.map(({ callId, tool: name, input }) => use(callId, name, input))],
        [say(answer)],
      ]);
      const claude = await playing((_, n) => script[n] ?? []);
      const outputs = new Map(
        plan.flatMap(({ calls }) => calls.map(({ callId, output }) => [callId, output])),
      );
      const tools = ['build', 'search', 'query'].map((name) =>
        tool((_, context) => outputs.get(context?.toolUse.id ?? '') ?? '', name),
      );
      const bounded = spillway(given.agent, { tools, window, reserve: 0 });
      for (const { user } of plan) {
        const params = { ...MODEL, thread: false as const, tools: bounded.tools, system: 'You are careful.' };
        const runner = client(claude).beta.messages.toolRunner({ ...params, messages: asks(user) });
        await drain(bounded.turns(runner));
      }
      expect(claude.bodies.flatMap(({ messages }) => anthropicRefuses(messages))).toEqual([]);
      expect(claude.bodies.every(({ system }) => system === 'You are careful.')).toBe(true);
      return { prompts: claude.bodies.map(({ messages }) => messages.map((each) => JSON.stringify(each))) };
    },
    async retrieval(given) {
      const { spillway } = await load(given);
      const model = new ReadingModel();
      const claude = await playing((body, n) => {
        if (n === 0) return [use('toolu_0')];
        const args = model.next(textOf(resultsIn(body).at(-1)));
        return [args === null ? say('Read.') : use(`toolu_${n}`, 'get_artifact', args)];
      });
      await byHand(claude, spillway(given.agent, { tools: [tool(() => given.text)], window: 200_000 }));
      expect(claude.bodies[0]?.tools?.map(({ name }) => name)).toEqual(['build', 'get_artifact']);
      return model;
    },
  },
});

describe('a loop by hand', () => {
  it('keeps errors errors, pictures in place and unknown tools told; a second answer repeats the bytes', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const calls = [use('toolu_1', 'fail'), use('toolu_2', 'look'), use('toolu_3', 'nothing')];
    const claude = await playing((_, n) =>
      n === 0 ? calls : n === 1 ? [use('toolu_4', 'fail')] : [say('Done.')],
    );
    const content = [say('no camera '.repeat(5_000)), picture('AAAA')] as never;
    const tools = [
      tool(() => Promise.reject(new Error('no such file')), 'fail'),
      tool(() => Promise.reject(new ToolError(content)), 'look'),
    ];
    await byHand(claude, source.spillway(agent, { tools, window: 50_000 }));
    const [, second, third] = claude.bodies;
    const [failed, looked, unknown] = resultsIn(second);
    expect(failed).toMatchObject({ content: 'no such file', is_error: true });
    expect(looked).toMatchObject({ is_error: true });
    expect(picturesIn(looked).images).toEqual(['AAAA']);
    expect(picturesIn(looked).shown.length).toBeLessThan(14_000);
    expect(unknown).toMatchObject({ content: "Tool 'nothing' not found", is_error: true });
    expect(JSON.stringify(third?.messages.slice(0, 3))).toBe(JSON.stringify(second?.messages));
    const stored = await storedTexts(agent);
    expect(stored.map(({ record }) => record.outcome.status)).toEqual(['error', 'error', 'error', 'error']);
    expect(await agent.session.report()).toMatchObject({ calls: 4, results: 4, missing: 0, orphans: 0 });
  });

  it('that is given up has recorded its calls as cancelled, and goes on', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const claude = await playing((_, n) => [n === 0 ? use('toolu_1') : say('Done.')]);
    const giveUp = new AbortController();
    const hangs = tool(() => new Promise(() => giveUp.abort()));
    const bounded = source.spillway(agent, { tools: [hangs], window: 50_000 });
    await expect(byHand(claude, bounded, giveUp.signal)).rejects.toThrow('aborted');
    expect(await agent.session.report()).toMatchObject({ calls: 1, results: 1, missing: 0 });
    await byHand(claude, bounded);
    expect(claude.bodies.flatMap(({ messages }) => anthropicRefuses(messages))).toEqual([]);
    expect(resultsIn(claude.bodies[1])[0]).toMatchObject({ tool_use_id: 'toolu_1', is_error: true });
  });

  it('without a window bounds results and records no messages', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const claude = await playing(once(use('toolu_1')));
    await byHand(claude, source.spillway(agent, { tools: [tool(() => 'step done\n'.repeat(9_000))] }));
    expect(textOf(resultsIn(claude.bodies[1])[0]).length).toBeLessThan(9_000);
    expect((await agent.session.report()).messages).toBe(0);
  });
});

describe('a tool runner', () => {
  it('on a thread sends only what is new, until the session is compacted', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const claude = await playing((_, n) => [n < 9 ? use(`toolu_${n}`, 'build', { n }) : say('Built.')]);
    const build = tool((args) =>
      Array.from({ length: 9_000 }, (_, i) => `${(args as { n: number }).n} step ${i} done\n`).join(''),
    );
    const bounded = source.spillway(agent, { tools: [build], window: 10_000, reserve: 500 });
    const runner = client(claude).beta.messages.toolRunner({
      ...MODEL,
      tools: bounded.tools,
      messages: asks('Build.'),
    });
    await drain(bounded.turns(runner));
    const threads = claude.bodies.map(({ thread, messages }) => [thread?.type, messages.length]);
    expect(threads[0]).toEqual(['create', 1]);
    expect(threads[1]).toEqual(['continue', 1]);
    expect(threads.slice(2).filter(([type]) => type === 'create').length).toBeGreaterThan(0);
    expect(claude.bodies.every(({ messages }) => JSON.stringify(messages).length < 40_000)).toBe(true);
    expect(await agent.session.report()).toMatchObject({ calls: 9, results: 9, missing: 0, orphans: 0 });
  });

  it('has bounded results of toolsets too, in the form that they have', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const text = 'step done\n'.repeat(9_000);
    const run = async () => [{ type: 'text', text }];
    const toolset = { type: 'browser_20260801', run } as never as source.AnthropicTool;
    const [bounded] = source.spillway(agent, { tools: [toolset] }).tools as unknown as [
      { type: string; run: (context: object, use: object) => Promise<{ text: string }[]> },
    ];
    const [block] = await bounded.run({}, { id: 'toolu_1', name: 'snapshot', input: {} });
    expect(bounded.type).toBe('browser_20260801');
    expect(block?.text.length).toBeLessThan(9_000);
    const [stored] = await storedTexts(agent);
    expect(stored?.record).toMatchObject({ tool: 'snapshot', callId: 'toolu_1' });
  });

  it('that streams and runs tools early has bounded results too', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const claude = await playing(once(say('I build.'), use('toolu_1'), use('toolu_2', 'build', { n: 2 })));
    const bounded = source.spillway(agent, {
      tools: [tool(() => 'step done\n'.repeat(9_000))],
      window: 50_000,
    });
    const runner = client(claude).beta.messages.toolRunner({
      ...MODEL,
      stream: true,
      runToolsEagerly: true,
      thread: false,
      tools: bounded.tools,
      messages: asks('Build.'),
    });
    const texts: string[] = [];
    for await (const stream of bounded.turns(runner)) texts.push(await stream.finalText());
    expect(texts).toEqual(['I build.', 'Done.']);
    expect(resultsIn(claude.bodies[1]).map((block) => textOf(block).length < 9_000)).toEqual([true, true]);
    expect(await agent.session.report()).toMatchObject({ calls: 2, results: 2, missing: 0, orphans: 0 });
  });
});

async function playing(reply: (body: Body, number: number) => readonly Block[]): Promise<FakeClaude> {
  const claude = await startClaude(reply);
  onTestFinished(() => claude.close());
  return claude;
}

/** Calls, then says that it is done. */
function once(...calls: readonly Block[]) {
  return (_: Body, number: number) => (number === 0 ? calls : [say('Done.')]);
}

function client({ url }: FakeClaude): Anthropic {
  return new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
}

function tool(run: (...args: Parameters<Run>) => unknown, name = 'build') {
  const inputSchema = { type: 'object' } as const;
  return betaTool({ name, description: name, inputSchema, run: run as Run });
}

function asks(content: string): MessageParam[] {
  return [{ role: 'user', content }];
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** The loop that people write. */
async function byHand(
  claude: FakeClaude,
  bounded: source.AnthropicLayer,
  signal?: AbortSignal,
): Promise<void> {
  const wait = signal === undefined ? {} : { signal };
  const messages = asks('Build.');
  for (;;) {
    const params = await bounded.request({ ...MODEL, system: 'You are careful.', messages }, wait);
    const reply = await client(claude).messages.create(params);
    messages.push({ role: 'assistant', content: reply.content });
    const results = await bounded.answer(reply, wait);
    if (results === null) return;
    messages.push(results);
  }
}

function resultsIn(body: Body | undefined): readonly Block[] {
  const blocks = (body?.messages ?? []).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content,
  );
  return blocks.filter(({ type }) => type === 'tool_result');
}

function textOf(block: Block | undefined): string {
  const content = block?.content;
  return typeof content === 'string' ? content : picturesIn(block).shown;
}

function picturesIn(block: Block | undefined): { shown: string; images: string[] } {
  const blocks = (Array.isArray(block?.content) ? block.content : []) as {
    text?: string;
    source?: { data: string };
  }[];
  return {
    shown: blocks.map(({ text }) => text ?? '').join(''),
    images: blocks.flatMap((each) => each.source?.data ?? []),
  };
}

function withImage({ text, image }: Given): readonly Block[] {
  return [say(text), picture(image)];
}

function picture(data: string): Block {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}
