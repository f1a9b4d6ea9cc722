// LangChain's `createAgent` with a checkpointer, and its own fake model: the middleware bounds what
// tools return, in the state and in every request.
import { join } from 'node:path';
import { MemorySaver } from '@langchain/langgraph';
import {
  AIMessage,
  type BaseMessage,
  createAgent,
  fakeModel,
  HumanMessage,
  ToolMessage,
  tool,
} from 'langchain';
import { z } from 'zod';
import type * as Adapter from '../../src/adapters/langchain.ts';
import { prove } from './prove.ts';
import { type Given, ReadingModel } from './scenarios.ts';

const CONFIG = { configurable: { thread_id: 'run-1' } };
const ASKS = { name: 'build', description: 'Builds.', schema: z.object({ part: z.string().optional() }) };

prove({
  name: 'LangChain',
  framework: 'langchain',
  subpath: '@spillway/core/langchain',
  guide: 'langchain',
  scenarios: {
    async longResult(given) {
      const model = fakeModel().respond(calls('build')).respond(says('Built.')).respond(says('Yes.'));
      const agent = await agentOf(given, model, [tool(() => given.text, ASKS)]);
      await agent.invoke(user('Build.'), CONFIG);
      await agent.invoke(user('And?'), CONFIG);
      return { shown: lastResult(model.calls[1]), again: lastResult(model.calls[2]) };
    },
    async thrownError(given) {
      const model = fakeModel().respond(calls('build')).respond(says('It failed.'));
      const fails = () => Promise.reject(new Error(given.error));
      const agent = await agentOf(given, model, [tool(fails, ASKS)]);
      await agent.invoke(user('Build.'), CONFIG);
      const message = resultsOf(model.calls[1]).at(-1);
      return { shown: message?.text ?? '', isError: message?.status === 'error' };
    },
    async parallelCalls(given) {
      const model = fakeModel()
        .respond(calls('build', 'build', 'build'))
        .respond(says('Built.'));
      let number = 0;
      const agent = await agentOf(given, model, [tool(() => given.other(number++), ASKS)], given.window);
      await agent.invoke(user('Build.'), CONFIG);
      return { shown: resultsOf(model.calls[1]).map(({ text }) => text) };
    },
    async image(given) {
      const model = fakeModel().respond(calls('build')).respond(says('A red one.'));
      const url = `data:image/png;base64,${given.image}`;
      const content = [
        { type: 'text', text: given.text },
        { type: 'image_url', image_url: { url } },
      ];
      const agent = await agentOf(given, model, [tool(() => content, ASKS)]);
      await agent.invoke(user('Look.'), CONFIG);
      const blocks = resultsOf(model.calls[1]).at(-1)?.content as typeof content;
      return {
        shown: blocks.map(({ text }) => text ?? '').join(''),
        images: blocks.flatMap(({ image_url }) => image_url?.url.split(',')[1] ?? []),
      };
    },
    async streamingTool(given) {
      const model = fakeModel().respond(calls('build')).respond(says('Built.'));
      const grows = async function* () {
        yield given.text.slice(0, 50_000);
        yield given.text.slice(0, 100_000);
        return given.text;
      };
      const agent = await agentOf(given, model, [tool(grows, ASKS)]);
      let early = 0;
      for await (const [mode, event] of await agent.stream(user('Build.'), {
        ...CONFIG,
        streamMode: ['tools'],
      }))
        if (mode === 'tools' && (event as { event: string }).event === 'on_tool_event') early++;
      return { shown: lastResult(model.calls[1]), early };
    },
    async abort(given) {
      const model = fakeModel().respond(calls('build'));
      const giveUp = new AbortController();
      const hangs = () => new Promise<string>(() => giveUp.abort());
      const agent = await agentOf(given, model, [tool(hangs, ASKS)], given.window);
      const run = agent.invoke(user('Build.'), { ...CONFIG, signal: giveUp.signal });
      const rejected = await run.then(
        () => false,
        () => true,
      );
      return { rejected };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, 'langchain.db'), state: join(app.folder, 'langchain.json') };
      const { prompt: first } = await app.run<{ prompt: string[] }>('langchain.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('langchain.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const model = fakeModel();
      for (const turn of given.plan) {
        const made = turn.calls.map(({ callId, tool: name, input }) => ({ id: callId, name, args: input }));
        model.respond(new AIMessage({ content: turn.thought, tool_calls: made })).respond(says(turn.answer));
      }
      const outputs = new Map(
        given.plan.flatMap((turn) => turn.calls.map((call) => [call.callId, call.output])),
      );
      const schema = z.object({ turn: z.number(), target: z.string() });
      const tools = ['build', 'search', 'query'].map((name) =>
        tool((_, { toolCallId }: { toolCallId: string }) => outputs.get(toolCallId) ?? '', {
          name,
          description: name,
          schema,
        }),
      );
      const agent = await agentOf(given, model, tools, given.window);
      for (const turn of given.plan) await agent.invoke(user(turn.user), CONFIG);
      return { prompts: model.calls.map(({ messages }) => messages.map(promptOf)) };
    },
    async retrieval(given) {
      const reader = new ReadingModel();
      const model = fakeModel().respond(calls('build'));
      const reads = (messages: BaseMessage[]) => {
        const args = reader.next(messages.at(-1)?.text ?? '');
        if (args === null) return says('Read.');
        model.respond(reads);
        return new AIMessage({
          content: '',
          tool_calls: [{ id: `page_${reader.pages}`, name: 'get_artifact', args }],
        });
      };
      model.respond(reads);
      const agent = await agentOf(given, model, [tool(() => given.text, ASKS)]);
      await agent.invoke(user('Read it all.'), { ...CONFIG, recursionLimit: 200 });
      return reader;
    },
  },
});

type Model = ReturnType<typeof fakeModel>;
type AnyTool = ReturnType<typeof tool>;

async function agentOf({ app, agent }: Given, model: Model, tools: readonly unknown[], window?: number) {
  const { spillway } = await app.load<typeof Adapter>('@spillway/core/langchain');
  const middleware = [spillway(agent, window === undefined ? {} : { window })];
  return createAgent({ model, tools: tools as AnyTool[], middleware, checkpointer: new MemorySaver() });
}

function user(text: string) {
  return { messages: [new HumanMessage(text)] };
}

function says(text: string): AIMessage {
  return new AIMessage(text);
}

function calls(...names: readonly string[]): AIMessage {
  return new AIMessage({
    content: '',
    tool_calls: names.map((name, i) => ({ id: `call_${i}`, name, args: {} })),
  });
}

function resultsOf(call: Model['calls'][number] | undefined): ToolMessage[] {
  return (call?.messages ?? []).filter((message) => ToolMessage.isInstance(message));
}

function lastResult(call: Model['calls'][number] | undefined): string {
  return resultsOf(call).at(-1)?.text ?? '';
}

/** What a provider is sent of a message. */
function promptOf(message: BaseMessage): string {
  const { content, name, tool_calls, tool_call_id, status } = message as ToolMessage & AIMessage;
  return JSON.stringify({ type: message.type, content, name, tool_calls, tool_call_id, status });
}
