// A small MCP server made with the official SDKs, in every way they offer: `v1-stdio`, `v2-stdio`,
// `v1-http`, `v2-http`. The ones over HTTP print their port. Tool `say` says as many chars as it is
// asked for and tells of its progress.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [mode] = process.argv.slice(2);
const INPUT = { type: 'object', properties: { chars: { type: 'integer' } } };
const text = (chars) => 'word '.repeat(Math.ceil(chars / 5)).slice(0, chars);

async function v1() {
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const types = await import('@modelcontextprotocol/sdk/types.js');
  const server = new Server({ name: 'v1', version: '1' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: [{ name: 'say', inputSchema: INPUT }],
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    await progress(params._meta?.progressToken, (message) => extra.sendNotification(message));
    return { content: [{ type: 'text', text: text(params.arguments.chars) }] };
  });
  return server;
}

async function v2() {
  const { Server } = await import('@modelcontextprotocol/server');
  const server = new Server({ name: 'v2', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'say', inputSchema: INPUT }] }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    await progress(params._meta?.progressToken, (message) => context.mcpReq.notify(message));
    return { content: [{ type: 'text', text: text(params.arguments.chars) }] };
  });
  return server;
}

async function progress(progressToken, notify) {
  if (progressToken === undefined) return;
  for (const done of [1, 2])
    await notify({ method: 'notifications/progress', params: { progressToken, progress: done } });
}

async function v1Http() {
  const { StreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/streamableHttp.js'
  );
  const sessions = new Map();
  return async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (transport === undefined) {
      if (request.headers['mcp-session-id'] !== undefined) return response.writeHead(404).end();
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await (await v1()).connect(transport);
    }
    if (request.url === '/forget') sessions.clear();
    await transport.handleRequest(request, response);
  };
}

async function listen(handler) {
  const server = createServer(handler).listen(0, '127.0.0.1', () => console.log(server.address().port));
}

if (mode === 'v1-stdio') {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await (await v1()).connect(new StdioServerTransport());
} else if (mode === 'v2-stdio') {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(v2);
} else if (mode === 'v1-http') {
  await listen(await v1Http());
} else {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  await listen(toNodeHandler(createMcpHandler(v2)));
}
