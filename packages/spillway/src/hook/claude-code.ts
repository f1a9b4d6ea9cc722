/**
 * Claude Code, event PostToolUse: the replacement has the shape of the tool's own result, or it is
 * ignored. Shapes that are not known pass untouched. Failed calls have an event of their own, which
 * cannot replace anything.
 */

import type { Projection } from '@spillway/core';
import { type Fields, isFields } from '../fields.ts';
import {
  type BoundableResult,
  blocksResult,
  CLAUDE_NAMES,
  charsOf,
  hookAgent,
  isShellTool,
  text,
  textResult,
} from './hook-agent.ts';
import { backgroundMark, leaveMark } from './marks.ts';
import { persistedText } from './persisted-text.ts';

/** Over its limit for a tool Claude Code keeps a result in a file of its own, and shows its start. */
export const MOST_CHARS: Readonly<Record<string, number>> = {
  Bash: 30_000,
  PowerShell: 30_000,
  Grep: 20_000,
  Glob: 100_000,
  WebFetch: 100_000,
};
/** What Claude Code shows of a result in a file: its start, and where it is. */
const PREVIEW_CHARS = 2_240;
/** Results of MCP tools have 25,000 tokens at most. */
const MOST_CHARS_OF_MCP = 50_000;

export const claudeCode = hookAgent(
  {
    name: 'claude-code',
    note({ tool_response: response }) {
      const taskId = isFields(response) ? text(response.backgroundTaskId) : undefined;
      if (taskId !== undefined) leaveMark(backgroundMark(taskId));
    },
    answer: (shown) => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: shown } }),
  },
  { ...CLAUDE_NAMES, event: 'PostToolUse' },
  (tool, response, { tool_input: input }) => {
    const file = tool === 'Read' ? claudeFileResult(input, response) : null;
    if (file !== null) return { ...file, isReading: true };
    const result = resultOf(tool, response);
    const mostChars = MOST_CHARS[tool] ?? MOST_CHARS_OF_MCP;
    return result && { result: withOwnCut(result, mostChars), isShell: isShellTool(tool), mostChars };
  },
);

function withOwnCut(result: BoundableResult, mostChars: number): BoundableResult {
  return charsOf(result) > mostChars ? { ...result, hostChars: PREVIEW_CHARS } : result;
}

function resultOf(tool: string, response: unknown): BoundableResult | null {
  if (tool.startsWith('mcp__')) return mcpResult(response);
  if (!isFields(response)) return null;
  if (isShellTool(tool)) return commandResult(response);
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
    ...(typeof path === 'string' ? { hostChars: PREVIEW_CHARS } : {}),
    notice: 'embedded',
    shownAs: (projection) => ({ ...rest, stdout: projection.text, stderr: '' }),
  };
}

// What Claude Code's Read returns. Claude Code numbers the lines itself, one after the other from
// `startLine`, so nothing may be left out between two lines: a long file is shown from its start
// like a page, and what Spillway says of it comes behind the text. The way on is Read itself.

interface FileResult {
  readonly result: BoundableResult;
  /** The range of lines that was asked for, spelled out. */
  readonly input: unknown;
}

export function claudeFileResult(input: unknown, response: unknown): FileResult | null {
  if (!isFields(response) || response.type !== 'text' || !isFields(response.file)) return null;
  const { file } = response;
  const { content, startLine, numLines } = file;
  if (typeof content !== 'string' || typeof startLine !== 'number' || typeof numLines !== 'number')
    return null;
  return {
    input: { ...(isFields(input) ? input : {}), offset: startLine, limit: numLines },
    result: {
      captured: { kind: 'text', text: content },
      notice: 'embedded',
      shownAs: (projection) => ({ ...response, file: { ...file, content: noticeLast(content, projection) } }),
    },
  };
}

function noticeLast(content: string, { text, metadata: { omitted } }: Projection): string {
  const kept = content.slice(0, (omitted[0]?.first_char ?? 1) - 1);
  const at = text.indexOf(kept);
  if (at === -1) return text;
  const marker = text.slice(at + kept.length).trim();
  return `${kept.replace(/\n$/, '')}\n${[marker, text.slice(0, at).trim()].filter((line) => line !== '').join('\n')}`;
}
