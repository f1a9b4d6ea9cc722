// What the middleware does beside the scenarios: commands, fields of messages, interrupts, threads,
// and what the state keeps.
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import {
  type AgentMiddleware,
  AIMessage,
  createAgent,
  fakeModel,
  HumanMessage,
  ToolMessage,
  tool,
  toolRetryMiddleware,
} from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type LangChainOptions, spillway } from '../../src/adapters/langchain.ts';
import { type Agent, memoryStore, openAgent } from '../../src/index.ts';
import { linesOf } from '../history/opened.ts';

const LONG = linesOf(60_000);
const BUILD = { name: 'build', description: 'Builds.', schema: z.object({}) };
const thread = (thread_id: string) => ({ configurable: { thread_id } });
const user = (text: string) => ({ messages: [new HumanMessage(text)] });

describe("LangChain's middleware", () => {
  it('copies every field of a message that it bounds, and puts the handle into its artifact', async () => {
    const { agent, result } = await ran(
      (_, { toolCallId }: { toolCallId: string }) =>
        new ToolMessage({
          content: LONG,
          tool_call_id: toolCallId,
          name: 'build',
          id: 'own-id',
          status: 'success',
          metadata: { took: 3 },
          additional_kwargs: { a: 1 },
          response_metadata: { b: 2 },
        }),
    );
    expect(result).toMatchObject({
      id: 'own-id',
      name: 'build',
      status: 'success',
      metadata: { took: 3 },
      additional_kwargs: { a: 1 },
      response_metadata: { b: 2 },
    });
    const { artifact_id } = result.artifact;
    expect(result.text).toContain(artifact_id);
    expect(await whole(agent, artifact_id)).toBe(LONG);
  });

  it("leaves a tool's own artifact, and a message that fits, as they are", async () => {
    const { result } = await ran(() => [LONG, { rows: 7 }], { responseFormat: 'content_and_artifact' });
    expect(result.artifact).toEqual({ rows: 7 });
    expect(result.text.length).toBeLessThan(10_000);
    const small = await ran(() => 'done');
    expect(small.result.text).toBe('done');
    expect(small.result.artifact).toBeUndefined();
  });

  it('bounds messages in a command, and passes the rest of it on', async () => {
    const { agent, result, state } = await ran(
      (_, { toolCallId }: { toolCallId: string }) =>
        new Command({
          update: {
            messages: [new ToolMessage({ content: LONG, tool_call_id: toolCallId, name: 'build' })],
            structuredResponse: { kept: true },
          },
        }),
    );
    expect(result.text.length).toBeLessThan(10_000);
    expect(state.structuredResponse).toEqual({ kept: true });
    expect(await whole(agent, result.artifact.artifact_id)).toBe(LONG);
  });

  it('keeps results whole in the state where they are bounded as they are sent', async () => {
    const { result, model, agent } = await ran(() => LONG, {}, { mode: 'send' });
    expect(result.text).toBe(LONG);
    const sent = model.calls[1]?.messages.find((message) => ToolMessage.isInstance(message));
    expect(sent?.text).toContain('[Artifact: art_');
    expect(sent?.text.length).toBeLessThan(10_000);
    expect((await outputsOf(agent)).length).toBe(1);
  });

  it('keeps the whole run in the session of a window, and no words without one', async () => {
    const { agent } = await ran(() => 'done');
    const { messages } = await agent.session.export('langchain');
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    const without = await openAgent({ session: 'app', store: memoryStore() });
    const model = fakeModel().respond(new AIMessage('Hello.'));
    await createAgent({ model, tools: [], middleware: [spillway(without)] }).invoke(user('Hi.'));
    expect((await without.session.report()).messages).toBe(0);
  });

  it('keeps a result that tells of a failure as one', async () => {
    const { agent } = await ran(
      (_, { toolCallId }: { toolCallId: string }) =>
        new ToolMessage({ content: 'no such part', tool_call_id: toolCallId, status: 'error' }),
    );
    expect((await outputsOf(agent)).map(({ outcome }) => outcome.status)).toEqual(['error']);
  });

  it('records nothing of a call that a person must allow first, until it was allowed', async () => {
    const agent = await openAgent({ session: 'app', store: memoryStore() });
    const model = fakeModel().respond(asks()).respond(new AIMessage('Built.'));
    const tools = [tool(() => `answer: ${interrupt('May I?')}`, BUILD)];
    const middleware = [spillway(agent, { window: 20_000 })];
    const built = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
    const first = await built.invoke(user('Build.'), thread('t'));
    expect('__interrupt__' in first).toBe(true);
    expect(await outputsOf(agent.inSession('t'))).toEqual([]);
    const { messages } = await built.invoke(new Command({ resume: 'yes' }), thread('t'));
    expect(messages.map(({ text }) => text)).toEqual(['Build.', '', 'answer: yes', 'Built.']);
    expect(await outputsOf(agent.inSession('t'))).toHaveLength(1);
  });

  it('goes on after a run that was given up: the request says that its call was cancelled', async () => {
    const giveUp = new AbortController();
    const agent = await openAgent({ session: 'app', store: memoryStore() });
    const model = fakeModel().respond(asks()).respond(new AIMessage('Fine.'));
    const tools = [tool(() => new Promise<string>(() => giveUp.abort()), BUILD)];
    const middleware = [spillway(agent, { window: 20_000 })];
    const built = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
    const config = { ...thread('t'), signal: giveUp.signal };
    await expect(built.invoke(user('Build.'), config)).rejects.toThrow('aborted');
    await built.invoke(user('Leave it.'), thread('t'));
    expect(model.calls[1]?.messages.map(({ type, text }) => [type, text])).toEqual([
      ['human', 'Build.'],
      ['ai', ''],
      ['tool', '[Cancelled. Output incomplete.]\nThis operation was aborted'],
      ['human', 'Leave it.'],
    ]);
  });

  it('gives each thread a session of its own: no handle of one resolves in another', async () => {
    const agent = await openAgent({ session: 'app', store: memoryStore(), settings: { inlineLimit: 2_000 } });
    const model = fakeModel();
    const middleware = [spillway(agent)];
    const built = createAgent({ model, tools: [tool(() => LONG, BUILD)], middleware });
    model.respond(asks()).respond(new AIMessage('Built.'));
    const { messages } = await built.invoke(user('Build.'), thread('ann'));
    const result = messages.find((message) => ToolMessage.isInstance(message));
    expect(result?.text.length).toBeLessThan(2_500);
    const args = { artifact_id: result?.artifact.artifact_id };
    model.respond(asks('get_artifact', args)).respond(new AIMessage('No.'));
    const other = await built.invoke(user('Read it.'), thread('bob'));
    expect(other.messages.at(-2)?.text).toMatch(/^There is no artifact art_\w+ here/);
    model.respond(asks('get_artifact', args)).respond(new AIMessage('Yes.'));
    const own = await built.invoke(user('Read it.'), thread('ann'));
    expect(own.messages.at(-2)?.text).toContain('line 1 of a text');
  });

  it('stands outside of a middleware that tries again: the last failure is what the model reads', async () => {
    const agent = await openAgent({ session: 'app', store: memoryStore() });
    const model = fakeModel().respond(asks()).respond(new AIMessage('No.'));
    let tries = 0;
    const fails = () => {
      tries++;
      throw new Error(`try ${tries}: ${LONG}`);
    };
    const retry = toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, onFailure: 'error' });
    const built = createAgent({
      model,
      tools: [tool(fails, BUILD)],
      middleware: [spillway(agent), retry as AgentMiddleware],
    });
    const { messages } = await built.invoke(user('Build.'));
    const result = messages.find((message) => ToolMessage.isInstance(message));
    expect(tries).toBe(2);
    expect(result).toMatchObject({ status: 'error', text: expect.stringContaining('try 2: ') });
    expect(result?.text.length).toBeLessThan(13_000);
  });

  it('counts the system prompt and the tools: a request fits with them', async () => {
    const agent = await openAgent({ session: 'app', store: memoryStore() });
    const model = fakeModel().respond(asks()).respond(new AIMessage('Built.'));
    const systemPrompt = 'Be careful. '.repeat(2_000);
    const built = createAgent({
      model,
      tools: [tool(() => LONG, BUILD)],
      middleware: [spillway(agent, { window: 10_000 })],
      systemPrompt,
    });
    await built.invoke(user('Build.'));
    const chars = model.calls[1]?.messages.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    expect(chars).toBeGreaterThan(systemPrompt.length);
    expect(chars).toBeLessThan(systemPrompt.length + 8_000);
  });
});

/** One run with one call of a tool. */
async function ran(
  build: (...args: never[]) => unknown,
  fields: object = {},
  options: LangChainOptions = {},
) {
  const agent = await openAgent({ session: 'app', store: memoryStore() });
  const model = fakeModel().respond(asks()).respond(new AIMessage('Built.'));
  const built = createAgent({
    model,
    tools: [tool(build as () => string, { ...BUILD, ...fields })],
    middleware: [spillway(agent, { window: 20_000, ...options })],
  });
  const state = await built.invoke(user('Build.'));
  const result = state.messages.find((message) => ToolMessage.isInstance(message)) as ToolMessage;
  return { agent, model, state: state as typeof state & { structuredResponse?: unknown }, result };
}

function asks(name = 'build', args: object = {}): AIMessage {
  return new AIMessage({ content: '', tool_calls: [{ id: `call_${name}`, name, args }] });
}

async function outputsOf({ spillway: { store }, session }: Agent<never> | Agent) {
  return (await store.list({ ...session.name, show: 'all', limit: 100 })).items;
}

async function whole({ spillway: engine, session }: Agent, artifact_id: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await engine.readRaw({ artifact_id }, session.name.scope)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
