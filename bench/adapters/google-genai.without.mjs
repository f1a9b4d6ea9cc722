// An agent on Google's GenAI SDK, which calls the function: one question, one call, one answer.
import { client } from './models/gemini.mjs';

export async function turn(text) {
  const build = { name: 'build', description: 'Builds.' };
  const callable = {
    tool: async () => ({ functionDeclarations: [build] }),
    callTool: async () => [{ functionResponse: { name: 'build', response: { output: text } } }],
  };
  const request = { model: 'gemini', contents: 'Build.', config: { tools: [callable] } };
  const response = await client.models.generateContent(request);
  return response.text;
}
