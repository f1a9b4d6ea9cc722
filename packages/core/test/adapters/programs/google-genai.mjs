// One question to Gemini in a process of its own, on a store that is a file; the SDK calls the
// function. Tells the last request that was sent.
import { GoogleGenAI } from '@google/genai';
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/google-genai';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { call, startGemini } from './fake-gemini.mjs';

const { file } = JSON.parse(process.argv[2]);
await using agent = await openAgent({ session: 'run-1', store: sqliteStore({ file }) });
const turn = (await agent.session.report()).messages;
const gemini = await startGemini((_, number) => [
  number === 0 ? call('build', { turn }) : { text: 'Built.' },
]);
const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: gemini.url } });
const run = () => Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const bounded = spillway(agent, { window: 100_000, tools: [{ name: 'build', description: 'Builds.', run }] });
const params = await bounded.request({ model: 'fake', contents: `Build part ${turn}.` });
await bounded.answer(await ai.models.generateContent(params));
gemini.close();
const prompt = gemini.bodies.at(-1).contents.map((content) => JSON.stringify(content));
process.stdout.write(JSON.stringify({ prompt }));
