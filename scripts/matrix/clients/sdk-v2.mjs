// The official SDK, v2, which takes the newest revision that the server speaks.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const name = 'MCP SDK v2';
export const packages = ['@modelcontextprotocol/client'];

export async function connect({ stdio, http }) {
  const client = new Client({ name: 'matrix', version: '1' }, { versionNegotiation: { mode: 'auto' } });
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
