// A server for the gateway of the campaign. Its one tool says the bytes [0, bytes) of the text
// called `name`, chunk by chunk.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chunks } from '../content.mjs';

const TOOL = { name: 'emit', inputSchema: { type: 'object', properties: { name: {}, bytes: {} } } };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'tools/call') await emit(id, params.arguments);
  else await put(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`);
}

function resultOf(method, params) {
  if (method === 'tools/list') return { tools: [TOOL] };
  if (method !== 'initialize') return {};
  const serverInfo = { name: 'campaign', version: '1' };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}

async function emit(id, { name, bytes }) {
  await put(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
  for (const chunk of chunks(name, bytes)) await put(chunk.toString().replaceAll('\n', '\\n'));
  await put('"}]}}\n');
}

async function put(text) {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
