// The official SDK, v1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const name = 'MCP SDK v1';
export const packages = ['@modelcontextprotocol/sdk'];

export async function connect({ stdio, http }) {
  const client = new Client({ name: 'matrix', version: '1' });
  const transport = stdio
    ? new StdioClientTransport({ ...stdio, stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers: http.headers } });
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: (tool, args) => client.callTool({ name: tool, arguments: args }),
    async close() {
      if (http) await transport.terminateSession();
      await client.close();
    },
  };
}
