/**
 * Gemini CLI, event AfterTool. It has no field for another result: the documented way is to deny
 * the result, and the reason takes its place. To the model that is an answer with an error, so the
 * text opens by saying that it is none.
 */
import { type BoundableResult, type HookAgent, isFields, text } from './hook-agent.ts';
import { textResult } from './result-shapes.ts';

const NO_ERROR = '[This is no error: the tool ran, and its long result is shown in part.]';
const OPENING = '<untrusted_context>\n';
const CLOSING = '\n</untrusted_context>';

export const gemini: HookAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  read(given) {
    const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response: response } = given;
    if (event !== 'AfterTool' || typeof tool !== 'string' || !isFields(response)) return null;
    // Of what failed, the reason alone would be left; Gemini CLI bounds that itself.
    if (response.error !== undefined && response.error !== null) return null;
    const result = contentResult(response.llmContent);
    if (result === null) return null;
    return {
      tool,
      session: text(given.session_id) ?? 'gemini',
      cwd: text(given.cwd) ?? process.cwd(),
      input,
      result: { ...result, addedChars: NO_ERROR.length + 1 + OPENING.length + CLOSING.length },
    };
  },
  answer: (shown) => ({ decision: 'deny', reason: `${NO_ERROR}\n${shown}` }),
};

/** A reason is one text: what holds anything else passes. */
function contentResult(content: unknown): BoundableResult | null {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isFields(part) && Object.keys(part).length === 1 ? part.text : part));
  return texts.length > 0 && texts.every((each) => typeof each === 'string') ? marked(texts.join('')) : null;
}

/** The marks around what a stranger may have written stay around it. */
function marked(content: string): BoundableResult {
  if (!content.startsWith(OPENING) || !content.endsWith(CLOSING))
    return textResult(content, (shown) => shown);
  const inside = content.slice(OPENING.length, -CLOSING.length);
  return textResult(inside, (shown) => `${OPENING}${shown}${CLOSING}`);
}
