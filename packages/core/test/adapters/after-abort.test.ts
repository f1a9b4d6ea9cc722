// A run is given up while one tool has ended and another hangs. The framework forgets the message that
// made the calls; the next request tells the model what it did all the same.
import { GoogleGenAI } from '@google/genai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { generateText, isStepCount, tool as sdkTool } from 'ai';
import { AIMessage, tool as chainTool, createAgent, fakeModel, HumanMessage } from 'langchain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import * as ai from '../../src/adapters/ai-sdk.ts';
import * as google from '../../src/adapters/google-genai.ts';
import * as langchain from '../../src/adapters/langchain.ts';
import * as mastra from '../../src/adapters/mastra.ts';
import { type Agent, memoryStore, openAgent } from '../../src/index.ts';
import { call, ScriptedModel, text } from './ai-sdk-run.ts';
import { call as geminiCall, startGemini } from './programs/fake-gemini.mjs';
import { call as mastraCall, mockModel, say } from './programs/mock-mastra.mjs';

const HEADING = '[Result of the call call_pay of pay, which you made in a run that was given up: pay: 5]';
const WINDOW = 20_000;

interface Tools {
  readonly pay: () => Promise<string>;
  readonly hang: () => Promise<string>;
}

/** `aborted` makes two calls and is given up; `resumed` gives the next prompt as JSON. */
type Play = (agent: Agent, tools: Tools, signal: AbortSignal) => Promise<string>;

const frameworks: Readonly<Record<string, Play>> = {
  async 'the AI SDK'(agent, { pay, hang }, abortSignal) {
    const model = new ScriptedModel((_, n) =>
      n === 0 ? [call('call_pay', 'pay', { amount: '5' }), call('call_hang', 'hang')] : [text('Fine.')],
    );
    const inputSchema = z.looseObject({});
    const tools = {
      pay: sdkTool({ inputSchema, execute: pay }),
      hang: sdkTool({ inputSchema, execute: hang }),
    };
    const governed = ai.spillway(agent, { tools, window: WINDOW });
    const stopWhen = isStepCount(5);
    const messages = [{ role: 'user' as const, content: 'Pay 5 EUR.' }];
    await generateText({ model, messages, stopWhen, abortSignal, ...governed }).catch(() => undefined);
    await generateText({
      model,
      messages: [...messages, { role: 'user', content: 'And?' }],
      stopWhen,
      ...governed,
    });
    return JSON.stringify(model.prompts[1]);
  },
  async 'LangChain without a saver'(agent, { pay, hang }, signal) {
    const calls = [
      { id: 'call_pay', name: 'pay', args: { amount: '5' } },
      { id: 'call_hang', name: 'hang', args: {} },
    ];
    const model = fakeModel()
      .respond(new AIMessage({ content: '', tool_calls: calls }))
      .respond(new AIMessage('Fine.'));
    const schema = z.looseObject({});
    const tools = [chainTool(pay, { name: 'pay', schema }), chainTool(hang, { name: 'hang', schema })];
    const built = createAgent({ model, tools, middleware: [langchain.spillway(agent, { window: WINDOW })] });
    const messages = [new HumanMessage('Pay 5 EUR.')];
    await built.invoke({ messages }, { signal }).catch(() => undefined);
    await built.invoke({ messages: [...messages, new HumanMessage('And?')] });
    return JSON.stringify(model.calls[1]?.messages.map((message) => message.toDict()));
  },
  async 'Google’s SDK'(agent, { pay, hang }, abortSignal) {
    const gemini = await startGemini((_, n) =>
      n === 0
        ? [geminiCall('pay', { amount: '5' }, 'call_pay'), geminiCall('hang', {}, 'call_hang')]
        : [{ text: 'Fine.' }],
    );
    onTestFinished(() => gemini.close());
    const parametersJsonSchema = { type: 'object' };
    const tools = [
      { name: 'pay', parametersJsonSchema, run: pay },
      { name: 'hang', parametersJsonSchema, run: hang },
    ];
    const layer = google.spillway(agent, { tools, window: WINDOW });
    const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: gemini.url } });
    const contents = [{ role: 'user', parts: [{ text: 'Pay 5 EUR.' }] }];
    const first = await layer.request({ model: 'fake', contents, config: { abortSignal } });
    await models.generateContent(first).catch(() => undefined);
    const next = [...contents, { role: 'user', parts: [{ text: 'And?' }] }];
    await models.generateContent(await layer.request({ model: 'fake', contents: next }));
    return JSON.stringify(gemini.bodies.at(-1));
  },
  async Mastra(agent, { pay, hang }, abortSignal) {
    const mock = mockModel((_, n) =>
      n === 0
        ? [mastraCall('call_pay', 'pay', { amount: '5' }), mastraCall('call_hang', 'hang')]
        : [say('Fine.')],
    );
    const inputSchema = z.looseObject({});
    const tools = {
      pay: createTool({ id: 'pay', description: 'Pays.', inputSchema, execute: pay }),
      hang: createTool({ id: 'hang', description: 'Hangs.', inputSchema, execute: hang }),
    };
    const layer = mastra.spillway(agent, { tools, window: WINDOW });
    const built = new MastraAgent({
      id: 'a',
      name: 'a',
      instructions: 'Be kind.',
      model: mock.model,
      ...layer,
    });
    await built.generate('Pay 5 EUR.', { abortSignal }).catch(() => undefined);
    await built.generate([
      { role: 'user', content: 'Pay 5 EUR.' },
      { role: 'user', content: 'And?' },
    ]);
    return JSON.stringify(mock.prompts.at(-1));
  },
};

describe.each(Object.entries(frameworks))('after a run of %s that was given up', (_, play) => {
  it('the model reads what it paid, once, and what did not end', async () => {
    const agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const giveUp = new AbortController();
    let paid = 0;
    const pay = async () => `Paid, receipt ${++paid}077.`;
    const hang = () => new Promise<string>(() => setTimeout(() => giveUp.abort(), 50));
    const prompt = await play(agent, { pay, hang }, giveUp.signal);
    expect(prompt.split('receipt 1077').length - 1).toBe(1);
    expect(prompt).toContain('And?');
    expect(prompt).toMatch(/Cancelled|aborted|interrupted/);
    if (!prompt.includes('"call_pay"')) expect(prompt).toContain(HEADING);
    const { orphans, missing } = await agent.session.report();
    expect({ orphans, missing, paid }).toEqual({ orphans: 0, missing: 0, paid: 1 });
  });
});

it('a message that comes back with the calls takes the place of what was told', async () => {
  const agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const user = { role: 'user', content: 'Pay.' };
  await agent.take([user], { given: 'whole' });
  await agent.answer({ callId: 'call_pay', tool: 'pay', input: { amount: '5' } }, () => 'Paid.');
  await agent.take([user, { role: 'user', content: 'And?' }], { given: 'whole' });
  const first = await agent.request({ window: WINDOW });
  expect(first.body.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Pay.'],
    ['user', [HEADING, 'Paid.'].map((words) => ({ type: 'text', text: words }))],
    ['user', 'And?'],
  ]);
  const function_ = { name: 'pay', arguments: '{"amount":"5"}' };
  const calls = [{ id: 'call_pay', type: 'function', function: function_ }];
  const whole = [
    user,
    { role: 'user', content: 'And?' },
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'tool', tool_call_id: 'call_pay', content: 'Paid.' },
    { role: 'user', content: 'So?' },
  ];
  await agent.take(whole, { given: 'whole' });
  const { body } = await agent.request({ window: WINDOW });
  expect(body.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool', 'user']);
});

it('a tool that gives early values and then throws keeps all of its error', async () => {
  const agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const error = `ERROR: stopped\n${'why it stopped, in many words\n'.repeat(2_000)}`;
  const values = async function* () {
    yield 'half done';
    throw new Error(error);
  };
  const given = agent.answerEach({ callId: 'call_1', tool: 'build', input: {} }, values());
  await expect(all(given)).rejects.toThrow('ERROR: stopped');
  const stored = await agent.spillway.store.find({ ...agent.session.name, callId: 'call_1' });
  const id = stored !== undefined && 'parts' in stored ? stored.id : '';
  expect(await agent.fetch({ search: '"in many words"' })).toContain(id);
  const page = await agent.fetch({ artifact_id: id, part: '2', lines: '1990-2001' });
  expect(page.split('why it stopped').length - 1).toBe(12);
});

async function all(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}
