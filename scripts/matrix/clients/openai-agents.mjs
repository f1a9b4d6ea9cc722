// OpenAI Agents: its MCP servers, tools as an agent calls them.
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';

export const name = 'OpenAI Agents';
export const packages = ['@openai/agents'];

export async function connect({ stdio, http }) {
  const server = stdio
    ? new MCPServerStdio({ name: 'tried', ...stdio })
    : new MCPServerStreamableHttp({ name: 'tried', url: http.url, requestInit: { headers: http.headers } });
  await server.connect();
  return {
    list: () => server.listTools(),
    call: (tool, args) => server.callTool(tool, args),
    close: () => server.close(),
  };
}
