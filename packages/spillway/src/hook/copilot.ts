/**
 * Copilot CLI, event postToolUse: `modifiedResult` takes the place of the result. A result that
 * Copilot kept in a file is read there.
 */
import { type Fields, isFields, jsonIn } from '../fields.ts';
import { type BoundableResult, hookAgent, isShellTool, textResult } from './hook-agent.ts';
import { namedText } from './persisted-text.ts';

/** How Copilot CLI 1.0 says that it kept a result, in the first line and before its preview. */
const SAVED = /^Output too large to read at once \([^)]*\)\. Saved to: (.+)$/;
const PREVIEW = '\n\nPreview (first 500 chars):\n';
const PREVIEW_CHARS = 500;
const FILE_NAME = /^\d+-copilot-tool-output-[\w-]+\.txt$/;
const ENDED = /^\n(<shellId: \S{1,100} completed with exit code (\d{1,10})>)\s*$/;
/** The first line, and what comes between it and the preview. */
const MOST_HEAD = 5_000;

export const copilot = hookAgent(
  { name: 'copilot', answer: (shown) => ({ modifiedResult: shown }) },
  { tool: 'toolName', input: 'toolArgs', result: 'toolResult', session: 'sessionId' },
  (tool, response, { toolArgs: args }) => {
    if (!isFields(response) || response.resultType !== 'success') return null;
    const { textResultForLlm: output } = response;
    if (typeof output !== 'string') return null;
    return {
      // Some versions give the arguments as JSON.
      input: typeof args === 'string' ? (jsonIn(args) ?? args) : args,
      isShell: isShellTool(tool),
      isReading: tool === 'view',
      result: savedResult(output, response) ?? textResult(output, (shown) => withText(response, shown)),
    };
  },
);

/** Copilot shows the beginning and names the file; how the command ended stands at the end. */
function savedResult(output: string, response: Fields): BoundableResult | null {
  const head = output.slice(0, MOST_HEAD);
  const path = SAVED.exec(head.slice(0, head.indexOf('\n')))?.[1];
  if (path === undefined) return null;
  const from = head.indexOf(PREVIEW) + PREVIEW.length;
  const shown = output.slice(from, from + PREVIEW_CHARS);
  const whole =
    from < PREVIEW.length || shown.length < PREVIEW_CHARS
      ? null
      : namedText({ path, name: FILE_NAME, shown, shownAt: 'start' });
  if (whole === null)
    return { ...textResult(output, (text) => withText(response, text)), sourceTruncated: true };
  const [, ending = '', code] = ENDED.exec(output.slice(from + PREVIEW_CHARS)) ?? [];
  return {
    captured: { kind: 'exec', stdout: whole, ...(code === undefined ? {} : { exitCode: Number(code) }) },
    notice: 'embedded',
    hostChars: output.length,
    addedChars: ending.length + 1,
    shownAs: (projection) => withText(response, [projection.text, ending].join('\n').trimEnd()),
  };
}

function withText(response: Fields, shown: string): Fields {
  return { ...response, textResultForLlm: shown };
}
