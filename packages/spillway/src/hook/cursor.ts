/**
 * Cursor, event postToolUse. Results of MCP tools can be replaced, and no others: the answer to any
 * other tool is read for more context only.
 */
import { isFields, jsonIn } from '../fields.ts';
import { blocksResult, CLAUDE_NAMES, hookAgent, text } from './hook-agent.ts';

export const cursor = hookAgent(
  { name: 'cursor', answer: (shown) => ({ updated_mcp_tool_output: shown }) },
  { ...CLAUDE_NAMES, result: 'tool_output' },
  (tool, output, given) => {
    const response = typeof output === 'string' ? jsonIn(output) : output;
    if (!/^MCP:/i.test(tool) || !isFields(response) || response.isError === true) return null;
    const { content } = response;
    const result = Array.isArray(content) ? blocksResult(content, (blocks) => ({ content: blocks })) : null;
    const { tool_input: input, workspace_roots: roots, conversation_id: conversation } = given;
    const root = Array.isArray(roots) ? text(roots[0]) : undefined;
    return (
      result && {
        tool: tool.replace(/^MCP:/i, ''),
        input: typeof input === 'string' ? (jsonIn(input) ?? input) : input,
        result,
        ...(text(conversation) === undefined ? {} : { session: conversation as string }),
        ...(text(given.cwd) === undefined && root !== undefined ? { cwd: root } : {}),
      }
    );
  },
);
