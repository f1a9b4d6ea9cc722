// Gemini, as far as a turn needs it: calls a function, then answers. It is the `fetch` of the client.
import { GoogleGenAI } from '@google/genai';

/** A client whose model takes no time. */
export const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { fetch: answer } });

async function answer(_, { body }) {
  const isCalled = JSON.parse(body).contents.length > 1;
  const part = isCalled ? { text: 'Built.' } : { functionCall: { name: 'build', args: {} } };
  return Response.json({ candidates: [{ content: { role: 'model', parts: [part] } }] });
}
