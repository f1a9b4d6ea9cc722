/**
 * Cursor, event postToolUse. Results of MCP tools can be replaced, and no others: the answer to any
 * other tool is read for more context only.
 */
import { type HookAgent, isFields, text } from './hook-agent.ts';
import { blocksResult } from './result-shapes.ts';

export const cursor: HookAgent = {
  name: 'cursor',
  title: 'Cursor',
  read(given) {
    const { tool_name: tool, tool_input: input, tool_output: output } = given;
    if (typeof tool !== 'string' || !/^MCP:/i.test(tool)) return null;
    const response = typeof output === 'string' ? json(output) : output;
    if (!isFields(response) || response.isError === true || !Array.isArray(response.content)) return null;
    const result = blocksResult(response.content, (content) => ({ content }));
    if (result === null) return null;
    const roots = given.workspace_roots;
    const callId = text(given.tool_use_id);
    return {
      tool: tool.replace(/^MCP:/i, ''),
      session: text(given.conversation_id) ?? text(given.session_id) ?? 'cursor',
      cwd: text(given.cwd) ?? text(Array.isArray(roots) ? roots[0] : undefined) ?? process.cwd(),
      input: typeof input === 'string' ? (json(input) ?? input) : input,
      result,
      ...(callId === undefined ? {} : { callId }),
    };
  },
  answer: (shown) => ({ updated_mcp_tool_output: shown }),
};

function json(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    // A text of its own, or one that was cut: not what is documented.
    return undefined;
  }
}
