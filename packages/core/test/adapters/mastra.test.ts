// Mastra: agents on its own mock of a model, which keeps the prompts that it was given.
import { join } from 'node:path';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as source from '../../src/adapters/mastra.ts';
import { type Agent, memoryStore, openAgent } from '../../src/index.ts';
import { aiPromptRefuses } from '../history/provider-rules.ts';
import { call, mockModel, type Part, type Prompt, say } from './programs/mock-mastra.mjs';
import { prove } from './prove.ts';
import { type Given, ReadingModel, storedTexts } from './scenarios.ts';

type Layer = typeof source;
type Execute = NonNullable<Parameters<typeof createTool>[0]['execute']>;
type Mock = ReturnType<typeof mockModel>;

const load = ({ app }: Given) => app.load<Layer>('@spillway/core/mastra');

prove({
  name: 'Mastra',
  framework: '@mastra/core',
  subpath: '@spillway/core/mastra',
  guide: 'mastra',
  scenarios: {
    async longResult(given) {
      const mock = mockModel((_, n) => [n < 2 ? call(`call_${n}`) : say('Built.')]);
      const outputs = [given.text, 'ok'];
      await running(await load(given), given.agent, mock, {
        build: tool(async () => outputs.shift()),
      }).generate('Build.');
      const [, second, third] = mock.prompts;
      return { shown: String(valuesIn(second)[0]), again: String(valuesIn(third)[0]) };
    },
    async thrownError(given) {
      const mock = mockModel(once(call('call_1')));
      const build = tool(() => Promise.reject(new Error(given.error)));
      await running(await load(given), given.agent, mock, { build }).generate('Build.');
      const [output] = outputsIn(mock.prompts[1]);
      return { shown: String(output?.value), isError: output?.type === 'error-text' };
    },
    async parallelCalls(given) {
      const mock = mockModel(once(...[0, 1, 2].map((i) => call(`call_${i}`, 'build', { i }))));
      const build = tool(async (input) => given.other((input as { i: number }).i));
      const { window } = given;
      await running(await load(given), given.agent, mock, { build }, { window }).generate('Build.');
      return { shown: valuesIn(mock.prompts[1]).map(String) };
    },
    async image(given) {
      const mock = mockModel(once(call('call_1')));
      const build = createTool({
        id: 'build',
        description: 'Looks.',
        inputSchema: z.looseObject({}),
        execute: async () => ({ png: given.image }),
        toModelOutput: () => ({
          type: 'content',
          value: [
            { type: 'text', text: given.text },
            { type: 'media', data: given.image, mediaType: 'image/png' },
          ],
        }),
      });
      await running(await load(given), given.agent, mock, { build }).generate('Look.');
      const blocks = outputsIn(mock.prompts[1])[0]?.value as { type: string; text?: string; data?: string }[];
      expect(JSON.stringify(mock.prompts[1]).length).toBeLessThan(15_000);
      return {
        shown: blocks.map(({ text }) => text ?? '').join(''),
        images: blocks.flatMap(({ type, data }) => (type === 'media' && data !== undefined ? [data] : [])),
      };
    },
    async streamingTool(given) {
      const mock = mockModel(once(call('call_1')));
      let ended = false;
      const build = tool(async (_, context) => {
        for (const share of [0.25, 0.5])
          await context?.writer?.write({ text: given.text.slice(0, 9 * share) });
        await new Promise((resolve) => setTimeout(resolve, 50));
        ended = true;
        return given.text;
      });
      const { fullStream } = await running(await load(given), given.agent, mock, { build }).stream('Build.');
      let early = 0;
      for await (const { type } of fullStream) if (type === 'tool-output' && !ended) early++;
      return { shown: String(valuesIn(mock.prompts[1])[0]), early };
    },
    async abort(given) {
      const mock = mockModel(once(call('call_1')));
      const giveUp = new AbortController();
      const build = tool(() => new Promise(() => giveUp.abort()));
      const agent = running(await load(given), given.agent, mock, { build }, { window: given.window });
      const { finishReason } = await agent.generate('Build.', { abortSignal: giveUp.signal });
      // Mastra ends such a run instead of rejecting: the model is not asked again.
      return { rejected: finishReason === 'tool-calls' && mock.prompts.length === 1 };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, 'mastra.db') };
      const { prompt: first } = await app.run<{ prompt: string[] }>('mastra.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('mastra.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const { plan, window } = given;
      const script = plan.flatMap(({ thought, calls, answer }) => [
        [say(thought), ...calls.map(({ callId, tool: name, input }) => call(callId, name, input))],
        [say(answer)],
      ]);
      const mock = mockModel((_, n) => script[n] ?? []);
      const outputs = new Map(
        plan.flatMap(({ calls }) => calls.map(({ callId, output }) => [callId, output])),
      );
      const run: Execute = async (_, context) => outputs.get(context?.agent?.toolCallId ?? '');
      const tools = { build: tool(run), search: tool(run, 'search'), query: tool(run, 'query') };
      const agent = running(await load(given), given.agent, mock, tools, { window, reserve: 0 });
      for (const { user } of plan) await agent.generate(user);
      expect(mock.prompts.flatMap((prompt) => aiPromptRefuses(prompt as never))).toEqual([]);
      expect(mock.prompts.every(([system]) => system?.content === 'You are careful.')).toBe(true);
      return { prompts: mock.prompts.map((prompt) => prompt.map((message) => JSON.stringify(message))) };
    },
    async retrieval(given) {
      const model = new ReadingModel();
      const mock = mockModel((prompt, n) => {
        if (n === 0) return [call('call_0')];
        const args = model.next(String(valuesIn(prompt).at(-1)));
        return [args === null ? say('Read.') : call(`call_${n}`, 'get_artifact', args)];
      });
      const build = tool(async () => given.text);
      const agent = running(await load(given), given.agent, mock, { build }, { window: 200_000 });
      await agent.generate('Read it all.', { maxSteps: 100 });
      return model;
    },
  },
});

describe('a Mastra agent', () => {
  it('keeps its own messages whole: the user of the agent sees what the tool returned', async () => {
    await using memory = await openAgent({ session: 'run-1', store: memoryStore() });
    const mock = mockModel(once(call('call_1')));
    const agent = running(
      source,
      memory,
      mock,
      { build: tool(async () => ({ lines: LINES })) },
      { window: 50_000 },
    );
    const { toolResults, text } = await agent.generate('Build.');
    expect(toolResults.map(({ payload }) => payload.result)).toEqual([{ lines: LINES }]);
    expect(text).toBe('Done.');
    expect(JSON.stringify(mock.prompts[1]).length).toBeLessThan(12_000);
    expect(await memory.session.report()).toMatchObject({ messages: 4, calls: 1, results: 1, missing: 0 });
    expect(await storedTexts(memory)).toHaveLength(1);
  });

  it('with a memory of its own repeats the bytes of the request before, and stores nothing twice', async () => {
    await using memory = await openAgent({ session: 'run-1', store: memoryStore() });
    const mock = mockModel((_, n) =>
      n % 2 === 0 ? [say('I look.'), call(`call_${n}`)] : [say(`Done ${n}.`)],
    );
    const bounded = source.spillway(memory, { tools: { build: tool(async () => LINES) }, window: 50_000 });
    const agent = new MastraAgent({ ...NAMES, model: mock.model, memory: new MockMemory(), ...bounded });
    for (const question of ['One?', 'Two?', 'Three?'])
      await agent.generate(question, { memory: { thread: 'thread', resource: 'user' } });
    const prompts = mock.prompts.map((prompt) => prompt.map((message) => JSON.stringify(message)));
    for (const [i, prompt] of prompts.entries())
      expect(prompt.slice(0, prompts[i - 1]?.length ?? 0)).toEqual(prompts[i - 1] ?? []);
    expect(prompts.at(-1)).toHaveLength(12);
    expect(await memory.session.report()).toMatchObject({ messages: 12, calls: 3, results: 3, missing: 0 });
  });

  it('that waits for a person has no result until it is resumed', async () => {
    await using memory = await openAgent({ session: 'run-1', store: memoryStore() });
    const build = createTool({
      id: 'build',
      description: 'Builds.',
      inputSchema: z.looseObject({}),
      suspendSchema: z.object({}),
      resumeSchema: z.object({ yes: z.boolean() }),
      execute: async (_, context) => {
        if (context?.agent?.resumeData === undefined) return context?.agent?.suspend?.({});
        return 'built';
      },
    });
    const agent = running(source, memory, mockModel(once(call('call_1'))), { build });
    await agent.generate('Build.');
    expect(await storedTexts(memory)).toEqual([]);
  });
});

const NAMES = { id: 'a', name: 'a', instructions: 'You are careful.' };
const LINES = 'step done\n'.repeat(9_000);

/** Calls, then says that it is done. */
function once(...calls: readonly Part[]) {
  return (_: Prompt, number: number) => (number === 0 ? calls : [say('Done.')]);
}

function tool(execute: Execute, id = 'build') {
  return createTool({ id, description: id, inputSchema: z.looseObject({}), execute });
}

function running(
  { spillway }: Layer,
  memory: Agent,
  { model }: Mock,
  tools: Record<string, ReturnType<typeof tool>>,
  options: { window?: number; reserve?: number } = {},
) {
  const bounded = spillway(memory, { ...options, tools });
  return new MastraAgent({ ...NAMES, model, ...bounded });
}

function outputsIn(prompt: Prompt | undefined) {
  const parts = (prompt ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return parts.flatMap((part) =>
    part.type === 'tool-result' ? [part.output as { type: string; value: unknown }] : [],
  );
}

function valuesIn(prompt: Prompt | undefined): readonly unknown[] {
  return outputsIn(prompt).map(({ value }) => value);
}
