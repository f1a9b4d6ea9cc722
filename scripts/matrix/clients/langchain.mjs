// LangChain: its adapter for MCP, tools as an agent calls them.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export const name = 'LangChain';
export const packages = ['@langchain/mcp-adapters', '@langchain/core'];

export async function connect({ stdio, http }) {
  const server = stdio
    ? { transport: 'stdio', ...stdio, stderr: 'ignore' }
    : { transport: 'http', ...http, automaticSSEFallback: false };
  const client = new MultiServerMCPClient({ mcpServers: { tried: server } });
  const tools = await client.getTools();
  return {
    list: async () =>
      tools.map(({ name: tool, description, schema }) => ({ name: tool, description, inputSchema: schema })),
    async call(tool, args) {
      const found = tools.find((one) => one.name === tool);
      const { content, artifact } = await found.invoke({ type: 'tool_call', id: '1', name: tool, args });
      return { content, artifact };
    },
    close: () => client.close(),
  };
}
