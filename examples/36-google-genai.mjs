// An agent on Google's GenAI SDK, which calls functions by itself. The model is played by a server
// in this process; with a real one it is `new GoogleGenAI({ apiKey })`.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { GoogleGenAI } from '@google/genai';
import { openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/google-genai';

const server = createServer(model).listen(0, '127.0.0.1');
const baseUrl = await new Promise((resolve) => {
  server.once('listening', () => resolve(`http://127.0.0.1:${server.address().port}`));
});
const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } });
const build = {
  name: 'build',
  description: 'Builds the project.',
  run: () => Array.from({ length: 9_000 }, (_, i) => `step ${i + 1} done\n`).join(''),
};

await using agent = await openAgent({ session: 'chat-1' });
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
server.close();

/** Builds, fetches the line that it was not shown, then answers. */
async function model(request, response) {
  const body = Buffer.concat(await request.toArray()).toString();
  const { functionResponse: result } = JSON.parse(body).contents.at(-1).parts[0];
  const content = { role: 'model', parts: [reply(result)] };
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ candidates: [{ content }] }));
}

function reply(result) {
  if (result === undefined) return { functionCall: { name: 'build', args: {} } };
  const { name, response } = result;
  console.log(`${name}: ${response.output.length} chars`);
  if (name === 'get_artifact') return { text: response.output.split('\n')[1] };
  const [artifact_id] = /art_\d+_\w+/.exec(response.output);
  return { functionCall: { name: 'get_artifact', args: { artifact_id, lines: '4321-4321' } } };
}
