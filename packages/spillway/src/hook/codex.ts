/**
 * Codex, event PostToolUse. It has no field for another result yet: a hook that blocks the result
 * gives the text that takes its place. What a command printed was cut by Codex before the hook sees
 * it, and the rest is not kept.
 */
import { type BoundableResult, type HookAgent, isFields, text } from './hook-agent.ts';
import { textResult } from './result-shapes.ts';

export const codex: HookAgent = {
  name: 'codex',
  title: 'Codex',
  read(given) {
    const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response: response } = given;
    if (event !== 'PostToolUse' || typeof tool !== 'string') return null;
    const result = resultOf(response);
    if (result === null) return null;
    const callId = text(given.tool_use_id);
    return {
      tool,
      session: text(given.session_id) ?? 'codex',
      cwd: text(given.cwd) ?? process.cwd(),
      input,
      result,
      ...(callId === undefined ? {} : { callId }),
    };
  },
  answer: (shown) => ({ decision: 'block', reason: shown }),
};

function resultOf(response: unknown): BoundableResult | null {
  if (typeof response === 'string')
    return { ...textResult(response, (shown) => shown), sourceTruncated: isCut(response) };
  const content = isFields(response) ? response.content : undefined;
  if (!Array.isArray(content) || content.length === 0 || !content.every(isText)) return null;
  return textResult(content.map((block) => block.text).join('\n'), (shown) => shown);
}

function isText(block: unknown): block is { readonly text: string } {
  return isFields(block) && block.type === 'text' && typeof block.text === 'string';
}

function isCut(output: string): boolean {
  return /^Warning: truncated output \(original token count: \d+\)\n/.test(output);
}
