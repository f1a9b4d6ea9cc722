// A provider in place of Anthropic's API: answers with the content that it is told to, as one
// message or as a stream, and keeps every request.
import { createServer } from 'node:http';

/** `reply` gets the body of a request and its number, and gives content blocks. */
export async function startClaude(reply) {
  const bodies = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const content = reply(body, bodies.push(body) - 1);
    const calls = content.some(({ type }) => type === 'tool_use');
    const message = {
      id: `msg_${bodies.length}`,
      type: 'message',
      role: 'assistant',
      model: 'fake',
      stop_reason: calls ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    if (body.stream === true) return stream(response, message, content);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, content }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, bodies, close };
}

function stream(response, message, content) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of content.entries()) {
    const isCall = block.type === 'tool_use';
    send('content_block_start', {
      index,
      content_block: isCall ? { ...block, input: {} } : { ...block, text: '' },
    });
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      : { type: 'text_delta', text: block.text };
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason: message.stop_reason }, usage: { output_tokens: 1 } });
  send('message_stop', {});
  response.end();
}

/** A call. */
export function use(id, name = 'build', input = {}) {
  return { type: 'tool_use', id, name, input };
}

/** What is said. */
export function say(text) {
  return { type: 'text', text };
}
