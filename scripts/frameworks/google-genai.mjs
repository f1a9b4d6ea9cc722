// A former major of Google's SDK, which uses the `fetch` of the process.
import { GoogleGenAI } from '@google/genai';
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/google-genai';

const log = Array.from({ length: 5_000 }, (_, i) => `step ${i} took ${(i * 37) % 1_000} ms\n`).join('');
const agent = await openAgent({ session: 'run', store: memoryStore() });
const bodies = [];
globalThis.fetch = async (_, { body }) => {
  const isLast = bodies.push(String(body)) > 1;
  const part = isLast ? { text: 'Built.' } : { functionCall: { name: 'build', args: {} } };
  return Response.json({ candidates: [{ content: { role: 'model', parts: [part] } }] });
};
const { models } = new GoogleGenAI({ apiKey: 'none' });
const build = { name: 'build', description: 'Builds.', run: () => log };
const { request, answer } = spillway(agent, { window: 100_000, tools: [build] });
const contents = [{ role: 'user', parts: [{ text: 'Build.' }] }];
for (let results; results !== null; ) {
  const response = await models.generateContent(await request({ model: 'gemini', contents }));
  results = await answer(response);
  contents.push(response.candidates[0].content, ...(results === null ? [] : [results]));
}
const last = bodies.at(-1);
console.log(JSON.stringify({ bounded: last.length < 12_000, found: /art_\w+/.test(last) }));
