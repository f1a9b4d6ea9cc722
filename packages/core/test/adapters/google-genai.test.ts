// Google's GenAI SDK: functions that the SDK calls by itself, and loops by hand, against a provider
// that keeps what it was sent. Its calls have no ids where nothing else is said.
import { join } from 'node:path';
import {
  type CallableTool,
  type Content,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as source from '../../src/adapters/google-genai.ts';
import { memoryStore, openAgent } from '../../src/index.ts';
import { geminiRefuses } from '../history/provider-rules.ts';
import { type Body, call, type FakeGemini, startGemini } from './programs/fake-gemini.mjs';
import { prove } from './prove.ts';
import { type Given, ReadingModel, storedTexts } from './scenarios.ts';

const load = ({ app }: Given) => app.load<typeof source>('@spillway/core/google-genai');
const BY_HAND = { automaticFunctionCalling: { disable: true } };

prove({
  name: 'Google GenAI',
  framework: '@google/genai',
  subpath: '@spillway/core/google-genai',
  guide: 'google-genai',
  scenarios: {
    async longResult(given) {
      const { spillway } = await load(given);
      const gemini = await playing((_, n) => [n < 2 ? call('build', { n }) : { text: 'Built.' }]);
      const outputs = [given.text, 'ok'];
      const tools = [fn('build', () => outputs.shift())];
      await bySdk(gemini, spillway(given.agent, { tools }), 'Build.');
      const [, second, third] = gemini.bodies;
      return { shown: outputsIn(second)[0] ?? '', again: outputsIn(third)[0] ?? '' };
    },
    async thrownError(given) {
      const { spillway } = await load(given);
      const gemini = await playing(once(call('build')));
      const tools = [fn('build', () => Promise.reject(new Error(given.error)))];
      await bySdk(gemini, spillway(given.agent, { tools }), 'Build.');
      const [response] = responsesIn(gemini.bodies[1]);
      return { shown: String(response?.error), isError: response?.output === undefined };
    },
    async parallelCalls(given) {
      const { spillway } = await load(given);
      const gemini = await playing(once(...[0, 1, 2].map((i) => call('build', { i }))));
      const tools = [fn('build', ({ i }) => given.other(i as number))];
      await bySdk(gemini, spillway(given.agent, { tools, window: given.window }), 'Build.');
      return { shown: outputsIn(gemini.bodies[1]) };
    },
    async image(given) {
      const { spillway } = await load(given);
      const gemini = await playing(once(call('build', {}, 'call_1')));
      const parts = [{ inlineData: { mimeType: 'image/png', data: given.image } }];
      const tools = [fn('build', () => ({ response: { output: given.text }, parts }))];
      await bySdk(gemini, spillway(given.agent, { tools }), 'Look.');
      const [answer] = answersIn(gemini.bodies[1]);
      const images = (answer?.parts ?? []).flatMap(({ inlineData }) => inlineData?.data ?? []);
      return { shown: String(answer?.response?.output), images };
    },
    streamingTool: {
      cannot: 'a function answers once; no part of it can be shown earlier.',
    },
    async abort(given) {
      const { spillway } = await load(given);
      const gemini = await playing(once(call('build')));
      const giveUp = new AbortController();
      const tools = [fn('build', () => new Promise(() => giveUp.abort()))];
      const bounded = spillway(given.agent, { tools, window: given.window });
      const config = { abortSignal: giveUp.signal };
      const failed = await bySdk(gemini, bounded, 'Build.', config).catch((error: unknown) => error);
      return { rejected: failed instanceof Error && failed.name === 'AbortError' };
    },
    async secondProcess({ app }) {
      const job = { file: join(app.folder, 'google-genai.db') };
      const { prompt: first } = await app.run<{ prompt: string[] }>('google-genai.mjs', job);
      const { prompt: second } = await app.run<{ prompt: string[] }>('google-genai.mjs', job);
      return { first, second };
    },
    async fortyTurns(given) {
      const { spillway } = await load(given);
      const { plan, window } = given;
      const script = plan.flatMap(({ thought, calls, answer }) => [
        [{ text: thought }, ...calls.map(({ callId, tool, input }) => call(tool, input, callId))],
        [{ text: answer }],
      ]);
      const gemini = await playing((_, n) => script[n] ?? []);
      const outputs = new Map(
        plan.flatMap(({ calls }) => calls.map(({ callId, output }) => [callId, output])),
      );
      const tools = ['build', 'search', 'query'].map((name) =>
        fn(name, (_, { callId }) => outputs.get(callId) ?? ''),
      );
      const bounded = spillway(given.agent, { tools, window, reserve: 0 });
      const config = { systemInstruction: 'You are careful.' };
      for (const { user } of plan) await bySdk(gemini, bounded, user, config);
      expect(gemini.bodies.flatMap(({ contents }) => geminiRefuses(contents as never))).toEqual([]);
      const systems = new Set(gemini.bodies.map((body) => JSON.stringify(body.systemInstruction?.parts)));
      expect([...systems]).toEqual(['[{"text":"You are careful."}]']);
      return { prompts: gemini.bodies.map(({ contents }) => contents.map((each) => JSON.stringify(each))) };
    },
    async retrieval(given) {
      const { spillway } = await load(given);
      const model = new ReadingModel();
      const gemini = await playing((body, n) => {
        if (n === 0) return [call('build')];
        const args = model.next(outputsIn(body).at(-1) ?? '');
        return [args === null ? { text: 'Read.' } : call('get_artifact', args)];
      });
      const tools = [fn('build', () => given.text)];
      await byHand(gemini, spillway(given.agent, { tools, window: 200_000 }));
      const declared = gemini.bodies[0]?.tools?.flatMap((tool) => tool.functionDeclarations ?? []);
      expect(declared?.map(({ name }) => name)).toEqual(['build', 'get_artifact']);
      return model;
    },
  },
});

describe('a loop by hand', () => {
  it('keeps errors errors and ids where there are some; calls that ask the same are told apart', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const first = [call('rows'), call('fail', {}, 'call_2'), call('rows'), call('nothing')];
    const gemini = await playing((_, n) =>
      n === 0 ? first : n === 1 ? [call('rows')] : [{ text: 'Done.' }],
    );
    let count = 0;
    const tools = [
      fn('rows', () => ({ rows: [count++] })),
      fn('fail', () => Promise.reject(new Error('no such file'))),
    ];
    await byHand(gemini, source.spillway(agent, { tools, window: 50_000 }));
    const [, second, third] = gemini.bodies;
    expect(answersIn(second).map(({ id, name }) => [id, name])).toEqual([
      [undefined, 'rows'],
      ['call_2', 'fail'],
      [undefined, 'rows'],
      [undefined, 'nothing'],
    ]);
    expect(responsesIn(third)).toEqual([
      { output: { rows: [0] } },
      { error: 'no such file' },
      { output: { rows: [1] } },
      { error: 'There is no function nothing.' },
      { output: { rows: [2] } },
    ]);
    expect(JSON.stringify(third?.contents.slice(0, 3))).toBe(JSON.stringify(second?.contents));
    expect(gemini.bodies.flatMap(({ contents }) => geminiRefuses(contents as never))).toEqual([]);
    expect(await agent.session.report()).toMatchObject({ calls: 5, results: 5, missing: 0, orphans: 0 });
  });

  it('may give what is new alone', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const gemini = await playing((_, n) => (n < 3 ? [call('build'), call('build')] : [{ text: 'Done.' }]));
    const bounded = source.spillway(agent, { tools: [fn('build', () => LINES)], window: 50_000 });
    for (let contents: Content | string | null = 'Build.'; contents !== null; ) {
      const params = await bounded.request({ model: 'fake', contents, config: BY_HAND });
      contents = await bounded.answer(await client(gemini).models.generateContent(params));
    }
    expect(gemini.bodies.at(-1)?.contents).toHaveLength(7);
    expect(gemini.bodies.flatMap(({ contents }) => geminiRefuses(contents as never))).toEqual([]);
    expect(await agent.session.report()).toMatchObject({ calls: 6, results: 6, missing: 0, orphans: 0 });
  });

  it('that is given up has recorded its calls as cancelled, and goes on', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const gemini = await playing(once(call('build')));
    const giveUp = new AbortController();
    const tools = [fn('build', () => new Promise(() => giveUp.abort()))];
    const bounded = source.spillway(agent, { tools, window: 50_000 });
    await expect(byHand(gemini, bounded, giveUp.signal)).rejects.toThrow('aborted');
    expect(await agent.session.report()).toMatchObject({ calls: 1, results: 1, missing: 0 });
    await byHand(gemini, bounded);
    expect(gemini.bodies.flatMap(({ contents }) => geminiRefuses(contents as never))).toEqual([]);
    expect(Object.keys(responsesIn(gemini.bodies[1])[0] ?? {})).toEqual(['error']);
  });
});

describe('a callable tool', () => {
  it('of somebody else is bounded, and stands beside functions and tools of the API', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const gemini = await playing((_, n) => [n === 0 ? call('remote', { n }) : { text: 'Done.' }]);
    const remote: CallableTool = {
      tool: async () => ({ functionDeclarations: [{ name: 'remote' }] }),
      callTool: async () => [
        { functionResponse: { name: 'remote', response: { content: [{ type: 'text', text: LINES }] } } },
      ],
    };
    const tools = [remote, fn('build', () => 'ok'), { codeExecution: {} }];
    const bounded = source.spillway(agent, { tools });
    await bySdk(gemini, bounded, 'Go.');
    const [body, second] = gemini.bodies;
    expect(body?.tools?.map((tool) => Object.keys(tool))).toEqual([
      ['codeExecution'],
      ['functionDeclarations'],
    ]);
    expect(JSON.stringify(answersIn(second)[0]).length).toBeLessThan(10_000);
    const [stored] = await storedTexts(agent);
    expect(JSON.parse(stored?.text.replace(/^\{"n":0\}/, '') ?? '')).toEqual({
      content: [{ type: 'text', text: LINES }],
    });
  });
});

describe('a stream', () => {
  it('in which the SDK calls functions is recorded whole, its pieces put together', async () => {
    await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
    const pieces = [{ text: 'I ' }, { text: 'build.' }, call('build', { n: 1 }), call('build', { n: 2 })];
    const gemini = await playing(once(...pieces));
    const bounded = source.spillway(agent, { tools: [fn('build', () => LINES)], window: 50_000 });
    const params = await bounded.request({ model: 'fake', contents: 'Build.' });
    const chunks: GenerateContentResponse[] = [];
    for await (const chunk of await client(gemini).models.generateContentStream(params)) chunks.push(chunk);
    expect(await bounded.answer(chunks)).toBeNull();
    expect(outputsIn(gemini.bodies[1]).map((output) => output.length < 9_000)).toEqual([true, true]);
    const { contents } = await bounded.request({ model: 'fake', contents: 'And?' });
    const texts = (contents as Content[]).map(({ parts }) => parts?.map(({ text }) => text));
    expect(texts[1]?.[0]).toBe('I build.');
    expect(geminiRefuses(contents as never)).toEqual([]);
    expect(await agent.session.report()).toMatchObject({ calls: 2, results: 2, missing: 0, orphans: 0 });
  });
});

const LINES = 'step done\n'.repeat(9_000);

async function playing(reply: (body: Body, number: number) => readonly Part[]): Promise<FakeGemini> {
  const gemini = await startGemini(reply);
  onTestFinished(() => gemini.close());
  return gemini;
}

/** Calls, then says that it is done. */
function once(...parts: readonly Part[]) {
  return (_: Body, number: number) => (number === 0 ? parts : [{ text: 'Done.' }]);
}

function client({ url }: FakeGemini): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
}

function fn(name: string, run: source.GoogleFunction['run']): source.GoogleFunction {
  return { name, description: name, parametersJsonSchema: { type: 'object' }, run };
}

/** The SDK calls functions. */
async function bySdk(gemini: FakeGemini, bounded: source.GoogleLayer, contents: string, config = {}) {
  const params = await bounded.request({ model: 'fake', contents, config });
  await bounded.answer(await client(gemini).models.generateContent(params));
}

/** The loop that people write. */
async function byHand(gemini: FakeGemini, bounded: source.GoogleLayer, signal?: AbortSignal): Promise<void> {
  const wait = signal === undefined ? {} : { signal };
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Build.' }] }];
  for (;;) {
    const params = await bounded.request({ model: 'fake', contents, config: BY_HAND }, wait);
    const response = await client(gemini).models.generateContent(params);
    const results = await bounded.answer(response, wait);
    contents.push(response.candidates?.[0]?.content as Content);
    if (results === null) return;
    contents.push(results);
  }
}

function answersIn(body: Body | undefined) {
  const parts = (body?.contents ?? []).flatMap((content) => content.parts ?? []);
  return parts.flatMap(({ functionResponse }) => functionResponse ?? []);
}

function responsesIn(body: Body | undefined): readonly Record<string, unknown>[] {
  return answersIn(body).map(({ response }) => response ?? {});
}

function outputsIn(body: Body | undefined): string[] {
  return responsesIn(body).map(({ output }) => String(output));
}
