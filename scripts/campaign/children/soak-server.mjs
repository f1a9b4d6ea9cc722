// A server for the soak: `emit` says so many chars, `wait` never answers, `crash` ends it.
import { createInterface } from 'node:readline';

const TOOLS = ['emit', 'wait', 'crash'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const serverInfo = { name: 'soak', version: '1' };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || params?.name === 'wait') continue;
  if (params?.name === 'crash') process.exit(3);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) }));
}

function resultOf(method, params) {
  if (method === 'tools/list') return { tools: TOOLS };
  if (method === 'tools/call') return { content: [{ type: 'text', text: textOf(params.arguments) }] };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}

function textOf({ call, chars }) {
  return `call ${call}\n`.repeat(Math.ceil(chars / 6)).slice(0, chars);
}
