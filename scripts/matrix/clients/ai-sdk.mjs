// The AI SDK: its tools as an application gives them to a model.
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';

export const name = 'AI SDK';
export const packages = ['@ai-sdk/mcp', 'ai'];

export async function connect({ stdio, http }) {
  const transport = stdio
    ? new StdioTransport({ ...stdio, stderr: 'ignore' })
    : { type: 'http', url: http.url, headers: http.headers };
  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  return {
    list: async () =>
      Object.entries(tools).map(([tool, { description, inputSchema }]) => ({
        name: tool,
        description,
        inputSchema: inputSchema.jsonSchema,
      })),
    call: (tool, args) => tools[tool].execute(args, { toolCallId: '1', messages: [] }),
    close: () => client.close(),
  };
}
