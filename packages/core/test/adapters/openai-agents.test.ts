// OpenAI Agents with its own scripted model: the filter bounds what is sent, and the library's
// session keeps everything whole.
import { join } from 'node:path';
import { Agent, type AgentInputItem, MemorySession, run, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { expect } from 'vitest';
import { z } from 'zod';
import type * as Adapter from '../../src/adapters/openai-agents.ts';
import { prove } from './prove.ts';
import { type Given, ReadingModel } from './scenarios.ts';

setTracingDisabled(true);

const BUILD = { name: 'build', description: 'Builds.', parameters: z.object({}) };

prove({
  name: 'OpenAI Agents',
  framework: '@openai/agents',
  subpath: '@spillway/core/openai-agents',
  guide: 'openai-agents',
  scenarios: {
    async longResult(given) {
      const model = script(['build'], 'Built.', 'Yes.');
      const { ask, session } = await started(given, model, () => given.text);
      await ask('Build.');
      await ask('And?');
      expect(JSON.stringify(await session.getItems())).toContain(JSON.stringify(given.text));
      return { shown: lastResult(model, 1), again: lastResult(model, 2) };
    },
    async thrownError(given) {
      const model = script(['build'], 'It failed.');
      const { ask } = await started(given, model, () => Promise.reject(new Error(given.error)));
      await ask('Build.');
      const shown = lastResult(model, 1);
      // Items have no word for a failed call: the text says it.
      return { shown, isError: /^\[Failed\. /m.test(shown) };
    },
    async parallelCalls(given) {
      const model = script(['build', 'build', 'build'], 'Built.');
      let number = 0;
      const { ask } = await started(given, model, () => given.other(number++), given.window);
      await ask('Build.');
      return { shown: resultsOf(model, 1).map(textOf) };
    },
    async image(given) {
      const model = script(['build'], 'A red one.');
      const image = { data: given.image, mediaType: 'image/png' };
      const { ask } = await started(given, model, () => [
        { type: 'text', text: given.text },
        { type: 'image', image },
      ]);
      await ask('Look.');
      const parts = resultsOf(model, 1).at(-1)?.output as { text?: string; image?: string }[];
      return {
        shown: parts.map(({ text }) => text ?? '').join(''),
        images: parts.flatMap((part) => part.image?.split(',')[1] ?? []),
      };
    },
    streamingTool: { cannot: 'a tool answers once; no part of it can be shown earlier.' },
    async abort(given) {
      const model = script(['build']);
      const giveUp = new AbortController();
      const hangs = () => new Promise<string>(() => giveUp.abort());
      const { ask } = await started(given, model, hangs, given.window);
      const rejected = await ask('Build.', { signal: giveUp.signal }).then(
        () => false,
        () => true,
      );
      return { rejected };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, 'agents.db'), items: join(app.folder, 'agents.json') };
      const { prompt: first } = await app.run<{ prompt: string[] }>('openai-agents.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('openai-agents.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const model = new ScriptedModel();
      for (const turn of given.plan) {
        const calls = turn.calls.map(({ callId, tool, input }) =>
          functionCall(tool, { ...input }, { callId }),
        );
        model.enqueue([assistantMessage(turn.thought), ...calls], [assistantMessage(turn.answer)]);
      }
      const outputs = new Map(
        given.plan.flatMap(({ calls }) => calls.map((call) => [call.callId, call.output])),
      );
      const { tool, getArtifact, callModelInputFilter } = await adapted(given, given.window);
      const parameters = z.object({ turn: z.number(), target: z.string() });
      const tools = ['build', 'search', 'query'].map((name) =>
        tool({
          name,
          description: name,
          parameters,
          execute: (_, __, details) => outputs.get(details?.toolCall?.callId ?? '') ?? '',
        }),
      );
      const agent = new Agent({ name: 'Builder', model, tools: [...tools, getArtifact] });
      const session = new MemorySession();
      for (const turn of given.plan) await run(agent, turn.user, { session, callModelInputFilter });
      await expectCanonical(given, session);
      return { prompts: model.calls.map((_, i) => itemsOf(model, i).map((item) => JSON.stringify(item))) };
    },
    async retrieval(given) {
      const reader = new ReadingModel();
      const model = script(['build']);
      const reads = modelResponder(() => {
        const args = reader.next(lastResult(model, model.calls.length - 1));
        if (args === null) return [assistantMessage('Read.')];
        model.enqueue(reads);
        return [functionCall('get_artifact', args, { callId: `page_${reader.pages}` })];
      });
      model.enqueue(reads);
      const { ask } = await started(given, model, () => given.text);
      await ask('Read it all.', { maxTurns: 200 });
      return reader;
    },
  },
});

/** The library's session has every word and every result, and nothing of ours. */
async function expectCanonical({ plan }: Given, session: MemorySession): Promise<void> {
  const items = await session.getItems();
  expect(items.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content] : []))).toEqual(
    plan.map(({ user }) => user),
  );
  const results = items.filter((item) => item.type === 'function_call_result').map(textOf);
  expect(results).toEqual(plan.flatMap(({ calls }) => calls.map(({ output }) => output)));
}

async function adapted({ app, agent }: Given, window?: number): Promise<Adapter.OpenAiAgents> {
  const { spillway } = await app.load<typeof Adapter>('@spillway/core/openai-agents');
  return spillway(agent, window === undefined ? {} : { window });
}

/** An agent with one tool, and the way to ask it. */
async function started(given: Given, model: ScriptedModel, execute: () => unknown, window?: number) {
  const { tool, getArtifact, callModelInputFilter } = await adapted(given, window);
  const agent = new Agent({ name: 'Builder', model, tools: [tool({ ...BUILD, execute }), getArtifact] });
  const session = new MemorySession();
  const ask = (text: string, options: { signal?: AbortSignal; maxTurns?: number } = {}) =>
    run(agent, text, { session, callModelInputFilter, ...options });
  return { ask, session };
}

/** Calls of tools, or words. */
function script(...steps: readonly (string | readonly string[])[]): ScriptedModel {
  return new ScriptedModel(
    steps.map((step) =>
      typeof step === 'string'
        ? [assistantMessage(step)]
        : step.map((name, i) => functionCall(name, {}, { callId: `call_${i}` })),
    ),
  );
}

type ResultItem = Extract<AgentInputItem, { type: 'function_call_result' }>;

function itemsOf(model: ScriptedModel, call: number): readonly AgentInputItem[] {
  const { input } = model.calls[call]?.request ?? { input: [] };
  return typeof input === 'string' ? [] : input;
}

function resultsOf(model: ScriptedModel, call: number): ResultItem[] {
  return itemsOf(model, call).filter((item) => item.type === 'function_call_result');
}

function lastResult(model: ScriptedModel, call: number): string {
  const last = resultsOf(model, call).at(-1);
  return last === undefined ? '' : textOf(last);
}

function textOf({ output }: ResultItem): string {
  if (typeof output === 'string') return output;
  return 'text' in output ? output.text : '';
}
