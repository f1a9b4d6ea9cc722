// Claude, as far as a turn needs it: calls a tool, then answers. It is the `fetch` of the client.
import Anthropic from '@anthropic-ai/sdk';

const call = { type: 'tool_use', id: 'toolu_1', name: 'build', input: {} };

/** A client whose model takes no time. */
export const client = new Anthropic({ apiKey: 'none', fetch: answer });

async function answer(_, { body }) {
  const isCalled = JSON.parse(body).messages.length > 1;
  return Response.json({
    id: `msg_${isCalled}`,
    type: 'message',
    role: 'assistant',
    model: 'claude',
    stop_reason: isCalled ? 'end_turn' : 'tool_use',
    content: [isCalled ? { type: 'text', text: 'Built.' } : call],
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}
