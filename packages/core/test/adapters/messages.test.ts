// A loop that somebody wrote by hand, with plain lists of messages: OpenAI's chat completions, and
// Anthropic's messages where a result has pictures or is an error.
import { join } from 'node:path';
import { expect } from 'vitest';
import type * as Messages from '../../src/adapters/messages.ts';
import type { Agent, ToolCall } from '../../src/index.ts';
import type { PackedApp } from '../agents/packed.ts';
import { openaiRefuses } from '../history/provider-rules.ts';
import { prove } from './prove.ts';
import { type Given, ReadingModel, type Turn } from './scenarios.ts';

type Message = { role: string; content: unknown; tool_call_id?: string; tool_calls?: object[] };

const load = (app: PackedApp) => app.load<typeof Messages>('@spillway/core/messages');

prove({
  name: 'Plain messages',
  framework: null,
  subpath: '@spillway/core/messages',
  guide: 'messages',
  scenarios: {
    async longResult({ app, agent, text }) {
      const { projectMessages } = await load(app);
      const messages = [user('Build.'), asks('call_1'), result('call_1', text)];
      const sent = await projectMessages(agent, messages);
      const grown = [...messages, { role: 'assistant', content: 'Built.' }, user('And?')];
      const again = await projectMessages(agent, grown);
      return { shown: contentOf(sent[2]), again: contentOf(again[2]) };
    },
    async thrownError({ app, agent, error }) {
      const { projectMessages } = await load(app);
      const call = { callId: 'toolu_1', tool: 'build', input: {} };
      const failure = await failureOf(agent, call, () => Promise.reject(new Error(error)));
      const block = { type: 'tool_result', tool_use_id: 'toolu_1', content: failure.message, is_error: true };
      const sent = await projectMessages(agent, [{ role: 'user', content: [block] }], { shape: 'anthropic' });
      const [shown] = (sent[0]?.content ?? []) as (typeof block)[];
      return { shown: contentOf(shown), isError: shown?.is_error === true };
    },
    async parallelCalls({ app, agent, other, window }) {
      const { projectMessages } = await load(app);
      const ids = ['call_0', 'call_1', 'call_2'];
      const results = ids.map((id, i) => result(id, other(i)));
      const sent = await projectMessages(agent, [user('Build.'), asks(...ids), ...results], { window });
      return { shown: sent.filter(({ role }) => role === 'tool').map(contentOf) };
    },
    async image({ app, agent, text, image }) {
      const { projectMessages } = await load(app);
      const source = { type: 'base64', media_type: 'image/png', data: image };
      const content = [
        { type: 'text', text },
        { type: 'image', source },
      ];
      const block = { type: 'tool_result', tool_use_id: 'toolu_1', content };
      const sent = await projectMessages(agent, [{ role: 'user', content: [block] }], { shape: 'anthropic' });
      const [shown] = (sent[0]?.content ?? []) as (typeof block)[];
      const blocks = (shown?.content ?? []) as { text?: string; source?: { data: string } }[];
      return {
        shown: blocks.map((each) => each.text ?? '').join(''),
        images: blocks.flatMap((each) => each.source?.data ?? []),
      };
    },
    async streamingTool({ app, agent, text }) {
      const { projectMessages } = await load(app);
      const grows = async function* () {
        for (const share of [0.25, 0.5, 1]) yield text.slice(0, text.length * share);
      };
      const call = { callId: 'call_1', tool: 'build', input: {} };
      const values: string[] = [];
      for await (const value of agent.answerEach(call, grows())) values.push(value);
      const messages = [user('Build.'), asks('call_1'), result('call_1', values.at(-1) ?? '')];
      const sent = await projectMessages(agent, messages);
      return { shown: contentOf(sent[2]), early: values.length - 1 };
    },
    async abort({ agent }) {
      const giveUp = new AbortController();
      const call = { callId: 'call_1', tool: 'build', input: {} };
      const { signal } = giveUp;
      const hangs = () => new Promise<string>(() => giveUp.abort());
      const { name } = await failureOf(agent, call, hangs, signal);
      return { rejected: name === 'AbortError' };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, 'messages.db') };
      const { prompt: first } = await app.run<{ prompt: string[] }>('messages.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('messages.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const { projectMessages } = await load(given.app);
      const messages: Message[] = [{ role: 'system', content: 'You are careful.' }];
      const prompts: string[][] = [];
      const send = async () => {
        const sent = await projectMessages(given.agent, messages, { window: given.window });
        expect(openaiRefuses(sent)).toEqual([]);
        prompts.push(sent.map((message) => JSON.stringify(message)));
      };
      for (const turn of given.plan) {
        messages.push(user(turn.user));
        await send();
        messages.push(...callsOf(turn));
        await send();
        messages.push({ role: 'assistant', content: turn.answer });
      }
      return { prompts };
    },
    async retrieval(given) {
      const { projectMessages } = await load(given.app);
      const messages = [user('Read it all.'), asks('call_0'), result('call_0', given.text)];
      const model = new ReadingModel();
      for (let page = 1; ; page++) {
        const sent = await projectMessages(given.agent, messages);
        const args = model.next(contentOf(sent.at(-1)));
        if (args === null) return model;
        messages.push(pageCall(`call_${page}`, args), await pageOf(given, `call_${page}`, args));
      }
    },
  },
});

function user(content: string): Message {
  return { role: 'user', content };
}

function asks(...ids: readonly string[]): Message {
  const call = { name: 'build', arguments: '{}' };
  return {
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: call })),
  };
}

function result(id: string, content: string): Message {
  return { role: 'tool', tool_call_id: id, content };
}

function callsOf({ thought, calls }: Turn): Message[] {
  const made = calls.map(({ callId, tool, input }) => {
    return { id: callId, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } };
  });
  const results = calls.map(({ callId, output }) => result(callId, output));
  return [{ role: 'assistant', content: thought, tool_calls: made }, ...results];
}

function pageCall(id: string, args: object): Message {
  const call = { name: 'get_artifact', arguments: JSON.stringify(args) };
  return { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] };
}

async function pageOf({ agent }: Given, id: string, args: object): Promise<Message> {
  return result(id, await agent.fetch(args));
}

function contentOf(message: { readonly content?: unknown } | undefined): string {
  return String(message?.content);
}

async function failureOf(
  agent: Agent,
  call: ToolCall,
  run: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<Error> {
  const options = signal === undefined ? {} : { signal };
  const failed = await agent.answer(call, run, options).catch((error: unknown) => error);
  if (!(failed instanceof Error)) throw new Error('the tool did not fail');
  return failed;
}
