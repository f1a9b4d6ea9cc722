// Gemini, as far as a turn needs it: calls a function, then answers. It stands in for `fetch`, which
// every version of the SDK uses; not every one can be given another.
import { GoogleGenAI } from '@google/genai';

const HOST = 'https://gemini.invalid';
const { fetch } = globalThis;

globalThis.fetch = (url, options) => (String(url).startsWith(HOST) ? answer(options) : fetch(url, options));

/** A client whose model takes no time. */
export const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: HOST } });

async function answer({ body }) {
  const isCalled = JSON.parse(body).contents.length > 1;
  const part = isCalled ? { text: 'Built.' } : { functionCall: { name: 'build', args: {} } };
  return Response.json({ candidates: [{ content: { role: 'model', parts: [part] } }] });
}
