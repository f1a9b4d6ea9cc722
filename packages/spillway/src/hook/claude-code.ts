/**
 * Claude Code, event PostToolUse: the replacement has the shape of the tool's own result, or it is
 * ignored. Shapes that are not known pass untouched. Failed calls have an event of their own, which
 * cannot replace anything.
 */
import { claudeFileResult } from './claude-file.ts';
import { type BoundableResult, type Fields, type HookAgent, isFields, text } from './hook-agent.ts';
import { persistedText } from './persisted-text.ts';
import { blocksResult, textResult } from './result-shapes.ts';

/** Over its limits, of which the lowest is this, Claude Code keeps a result in a file of its own. */
const MOST_CHARS = 20_000;

export const claudeCode: HookAgent = {
  name: 'claude-code',
  title: 'Claude Code',
  read(given) {
    const { hook_event_name: event, tool_name: tool, tool_input: input, tool_response: response } = given;
    if (event !== 'PostToolUse' || typeof tool !== 'string') return null;
    const file = tool === 'Read' ? claudeFileResult(input, response) : null;
    const result = file?.result ?? resultOf(tool, response);
    if (result === null) return null;
    const callId = text(given.tool_use_id);
    return {
      tool,
      session: text(given.session_id) ?? 'claude-code',
      cwd: text(given.cwd) ?? process.cwd(),
      input: file?.input ?? input,
      result,
      ...(callId === undefined ? {} : { callId }),
      ...(file === null ? { mostChars: MOST_CHARS } : {}),
    };
  },
  answer: (shown) => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: shown } }),
};

function resultOf(tool: string, response: unknown): BoundableResult | null {
  if (tool.startsWith('mcp__')) return mcpResult(response);
  if (!isFields(response)) return null;
  if (tool === 'Bash' || tool === 'PowerShell') return commandResult(response);
  if (tool === 'Glob') return pathsResult(response);
  if (tool === 'Grep')
    return typeof response.content === 'string' ? memberResult(response, 'content') : pathsResult(response);
  return tool === 'WebFetch' ? memberResult(response, 'result') : null;
}

function mcpResult(response: unknown): BoundableResult | null {
  if (typeof response === 'string') return textResult(response, (shown) => shown);
  return Array.isArray(response) ? blocksResult(response, (blocks) => blocks) : null;
}

function memberResult(response: Fields, member: string): BoundableResult | null {
  const value = response[member];
  return typeof value === 'string' ? textResult(value, (shown) => ({ ...response, [member]: shown })) : null;
}

/** A list of paths is shown line by line; the counts beside it stay true. */
function pathsResult(response: Fields): BoundableResult | null {
  const { filenames } = response;
  if (!Array.isArray(filenames) || !filenames.every((name) => typeof name === 'string')) return null;
  return textResult(filenames.join('\n'), (shown) => ({ ...response, filenames: shown.split('\n') }));
}

/**
 * A long output comes as its beginning, and as a file with all of it. The replacement must not name
 * the file: Claude Code would show its own preview of that instead.
 */
function commandResult(response: Fields): BoundableResult | null {
  const { stdout, stderr, isImage, backgroundTaskId, structuredContent } = response;
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return null;
  if (isImage === true || backgroundTaskId !== undefined || structuredContent !== undefined) return null;
  const { persistedOutputPath: path, persistedOutputSize: size, ...rest } = response;
  const whole = typeof path === 'string' ? persistedText(path, size) : null;
  return {
    captured: { kind: 'exec', stdout: whole ?? stdout, stderr, cancelled: response.interrupted === true },
    sourceTruncated: typeof path === 'string' && whole === null,
    notice: 'embedded',
    shownAs: (projection) => ({ ...rest, stdout: projection.text, stderr: '' }),
  };
}
