// An agent on Google's GenAI SDK, which calls functions by itself. The model is played by `fetch`;
// with a real one it is `new GoogleGenAI({ apiKey })`.
import assert from 'node:assert/strict';
import { GoogleGenAI } from '@google/genai';
import { spillway } from '@spillway/core/google-genai';
import { openAgent } from 'spillway';

const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { fetch: model } });
const build = {
  name: 'build',
  description: 'Builds the project.',
  run: () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''),
};

const agent = await openAgent({ session: `chat-${Date.now()}` });
const { request, answer } = spillway(agent, { window: 1_000_000, tools: [build] });
const response = await ai.models.generateContent(
  await request({
    model: 'gemini',
    contents: 'Build it. What is step 4321?',
    config: { systemInstruction: 'You look after a build.' },
  }),
);
await answer(response);
console.log(response.text);
assert.equal(response.text, 'step 4321 done');
await agent.close();

/** Builds, fetches the line that it was not shown, then answers. */
async function model(_, { body }) {
  const { functionResponse } = JSON.parse(body).contents.at(-1).parts[0];
  return Response.json({ candidates: [{ content: { role: 'model', parts: [reply(functionResponse)] } }] });
}

function reply(result) {
  if (result === undefined) return { functionCall: { name: 'build', args: {} } };
  const { name, response } = result;
  console.log(`${name}: ${response.output.length} chars`);
  if (name === 'get_artifact') return { text: response.output.split('\n')[1] };
  const [artifact_id] = /art_\d+_\w+/.exec(response.output);
  return { functionCall: { name: 'get_artifact', args: { artifact_id, lines: '4321-4321' } } };
}
