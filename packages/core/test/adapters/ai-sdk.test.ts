// The AI SDK with its own mock model: the same scenarios for `generateText`, `streamText` and
// `ToolLoopAgent`.
import { join } from 'node:path';
import { jsonSchema, type ModelMessage, tool } from 'ai';
import { expect } from 'vitest';
import type * as AiSdk from '../../src/adapters/ai-sdk.ts';
import { aiPromptRefuses } from '../history/provider-rules.ts';
import {
  call,
  generating,
  type Loop,
  looping,
  type Prompt,
  resultsIn,
  ScriptedModel,
  streaming,
  text,
} from './ai-sdk-run.ts';
import { prove } from './prove.ts';
import { type AdapterProof, argumentsIn, type Given, ReadingModel } from './scenarios.ts';

const anything = jsonSchema<Record<string, unknown>>({ type: 'object' });
const load = ({ app }: Given) => app.load<typeof AiSdk>('@spillway/core/ai-sdk');
const user = (content: string): ModelMessage => ({ role: 'user', content });
/** Calls `build` once, then answers. */
const buildOnce = () =>
  new ScriptedModel((_, step) => (step === 0 ? [call('call_1', 'build')] : [text('Built.')]));

/** Pages that it reads of a result, and the call that a result names. */
const MOST_PAGES = 3;
const hintIn = (prompt: Prompt) => argumentsIn(resultsIn(prompt).at(-1)?.text ?? '');

prove({
  name: 'Vercel AI SDK',
  framework: 'ai',
  subpath: '@spillway/core/ai-sdk',
  guide: 'ai-sdk',
  scenarios: scenariosOf(generating),
  variants: { streamText: scenariosOf(streaming), ToolLoopAgent: scenariosOf(looping) },
});

function scenariosOf(loop: Loop): AdapterProof['scenarios'] {
  return {
    async longResult(given) {
      const { spillway } = await load(given);
      const build = tool({ inputSchema: anything, execute: async () => given.text });
      const governed = spillway(given.agent, { tools: { build }, window: 100_000 });
      const model = buildOnce();
      const messages = [user('Build.')];
      const { responseMessages } = await loop({ model, messages, governed });
      // The next turn: the host hands over what it kept.
      const grown = [...messages, ...responseMessages, user('And?')];
      const again = new ScriptedModel(() => [text('Fine.')]);
      await loop({ model: again, messages: grown, governed });
      return {
        shown: resultsIn(model.prompts[1])[0]?.text ?? '',
        again: resultsIn(again.prompts[0])[0]?.text ?? '',
      };
    },
    async thrownError(given) {
      const { spillway } = await load(given);
      const build = tool({
        inputSchema: anything,
        execute: async (): Promise<string> => {
          throw new Error(given.error);
        },
      });
      const model = buildOnce();
      await loop({
        model,
        messages: [user('Build.')],
        governed: spillway(given.agent, { tools: { build } }),
      });
      const [result] = resultsIn(model.prompts[1]);
      return { shown: result?.text ?? '', isError: result?.isError === true };
    },
    async parallelCalls(given) {
      const { spillway } = await load(given);
      const build = tool({ inputSchema: anything, execute: async ({ part }) => given.other(Number(part)) });
      const calls = [0, 1, 2].map((part) => call(`call_${part}`, 'build', { part }));
      const model = new ScriptedModel((_, step) => (step === 0 ? calls : [text('Built.')]));
      const governed = spillway(given.agent, { tools: { build }, window: given.window });
      await loop({ model, messages: [user('Build.')], governed });
      return { shown: resultsIn(model.prompts[1]).map((result) => result.text) };
    },
    async image(given) {
      const { spillway } = await load(given);
      const build = tool({
        inputSchema: anything,
        execute: async () => given.text,
        toModelOutput: ({ output }) => ({
          type: 'content' as const,
          value: [
            { type: 'text' as const, text: output },
            {
              type: 'file' as const,
              mediaType: 'image/png',
              data: { type: 'data' as const, data: given.image },
            },
          ],
        }),
      });
      const model = buildOnce();
      const governed = spillway(given.agent, { tools: { build }, window: 100_000 });
      await loop({ model, messages: [user('Build.')], governed });
      const [result] = resultsIn(model.prompts[1]);
      return { shown: result?.text ?? '', images: result?.images ?? [] };
    },
    async streamingTool(given) {
      const { spillway } = await load(given);
      let early = 0;
      const build = tool({
        inputSchema: anything,
        async *execute() {
          for (const share of [0.25, 0.5, 1]) {
            yield given.text.slice(0, given.text.length * share);
            early++;
          }
        },
      });
      const model = buildOnce();
      const governed = spillway(given.agent, { tools: { build }, window: 100_000 });
      let passed = 0;
      const onPreliminary = () => {
        passed++;
      };
      await loop({ model, messages: [user('Build.')], governed, onPreliminary });
      // Only a stream tells of values before the last one; the others read them, one by one.
      return {
        shown: resultsIn(model.prompts[1])[0]?.text ?? '',
        early: loop === streaming ? passed : early,
      };
    },
    async abort(given) {
      const { spillway } = await load(given);
      const giveUp = new AbortController();
      const build = tool({
        inputSchema: anything,
        execute: () => new Promise<string>(() => setTimeout(() => giveUp.abort(), 10)),
      });
      const governed = spillway(given.agent, { tools: { build }, window: 100_000 });
      const { signal: abortSignal } = giveUp;
      const run = loop({ model: buildOnce(), messages: [user('Build.')], governed, abortSignal });
      const failed = await run.then(
        () => null,
        (error: unknown) => error,
      );
      return { rejected: failed instanceof Error && failed.name === 'AbortError' };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, `${loop.name}.db`), loop: loop.name };
      const { prompt: first } = await app.run<{ prompt: string[] }>('ai-sdk.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('ai-sdk.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const { spillway } = await load(given);
      const outputs = new Map(
        given.plan.flatMap(({ calls }) => calls.map((each) => [each.callId, each.output])),
      );
      const play = tool({
        inputSchema: anything,
        execute: async (_, { toolCallId }) => outputs.get(toolCallId) ?? '',
      });
      const tools = { build: play, search: play, query: play };
      const governed = spillway(given.agent, { tools, window: given.window });
      const prompts: Prompt[] = [];
      for (const [number, turn] of given.plan.entries()) {
        const calls = turn.calls.map(({ callId, tool: name, input }) => call(callId, name, input));
        const model = new ScriptedModel((prompt, step) => {
          if (step === 0) return [text(turn.thought), ...calls];
          // On some turns it goes on reading by the hints.
          const hint = number % 4 === 1 && step <= MOST_PAGES ? hintIn(prompt) : null;
          return [hint === null ? text(turn.answer) : call(`page_${number}_${step}`, 'get_artifact', hint)];
        });
        // Only what is new: the session knows the rest.
        await loop({ model, messages: [user(turn.user)], governed });
        prompts.push(...model.prompts);
      }
      expect(prompts.flatMap(aiPromptRefuses)).toEqual([]);
      return { prompts: prompts.map((prompt) => prompt.map((message) => JSON.stringify(message))) };
    },
    async retrieval(given) {
      const { spillway } = await load(given);
      const build = tool({ inputSchema: anything, execute: async () => given.text });
      const reader = new ReadingModel();
      const model = new ScriptedModel((prompt, step) => {
        if (step === 0) return [call('call_0', 'build')];
        const args = reader.next(resultsIn(prompt).at(-1)?.text ?? '');
        return args === null ? [text('Read.')] : [call(`call_${step}`, 'get_artifact', args)];
      });
      const governed = spillway(given.agent, { tools: { build }, window: 200_000 });
      await loop({ model, messages: [user('Read it all.')], governed });
      return reader;
    },
  };
}
