// An agent on Google's GenAI SDK, which calls the function: one question, one call, one answer.
import { memoryStore, openAgent } from '@spillway/core';
import { spillway } from '@spillway/core/google-genai';
import { client } from './models/gemini.mjs';

export async function turn(text) {
  const build = { name: 'build', description: 'Builds.', run: () => text };
  await using agent = await openAgent({ session: 'run-1', store: memoryStore() });
  const bounded = spillway(agent, { window: 128_000, tools: [build] });
  const request = { model: 'gemini', contents: 'Build.' };
  const response = await client.models.generateContent(await bounded.request(request));
  await bounded.answer(response);
  return response.text;
}
