// A provider in place of the Gemini API: answers with the parts that it is told to, at once or as a
// stream with a piece for each part, and keeps every request.
import { createServer } from 'node:http';

/** `reply` gets the body of a request and its number, and gives parts. */
export async function startGemini(reply) {
  const bodies = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const parts = reply(body, bodies.push(body) - 1);
    const answer = (some) => ({
      candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: some } }],
    });
    const isStream = request.url.includes('streamGenerateContent');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    if (isStream) response.end(parts.map((part) => `data: ${JSON.stringify(answer([part]))}\n\n`).join(''));
    else response.end(JSON.stringify(answer(parts)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, bodies, close };
}

/** A call; older models give no ids. */
export function call(name, args = {}, id = undefined) {
  return { functionCall: { ...(id === undefined ? {} : { id }), name, args } };
}
