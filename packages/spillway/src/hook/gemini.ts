/**
 * Gemini CLI, event AfterTool. It has no field for another result, but a hook may ask for another
 * call, whose result takes the place of the first: it reads a file with the text, in the folder
 * where Gemini CLI keeps results itself. Where that cannot be done, the result is denied and the
 * reason takes its place; to the model that is an answer with an error, so the text opens by saying
 * that it is none.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Fields, isFields } from '../fields.ts';
import { type BoundableResult, CLAUDE_NAMES, charsOf, hookAgent, text, textResult } from './hook-agent.ts';

const NO_ERROR = '[This is no error: the tool ran, and its long result is shown in part.]';
const OPENING = '<untrusted_context>\n';
const CLOSING = '\n</untrusted_context>';

export const gemini = hookAgent(
  {
    name: 'gemini',
    note(given) {
      const file = ownFile(given);
      if (file !== null) rmSync(file, { force: true });
    },
    answer(shown, given) {
      const file = typeof shown === 'string' ? readableFile(shown, given) : null;
      if (file === null) return { decision: 'deny', reason: `${NO_ERROR}\n${shown}` };
      const tailToolCallRequest = { name: READING_TOOL, args: { file_path: file } };
      return { hookSpecificOutput: { hookEventName: 'AfterTool', tailToolCallRequest } };
    },
  },
  { ...CLAUDE_NAMES, event: 'AfterTool' },
  (tool, response, given) => {
    // Of what failed, the reason alone would be left; Gemini CLI bounds that itself.
    if (ownFile(given) !== null || !isFields(response) || (response.error ?? null) !== null) return null;
    const result = contentResult(response.llmContent);
    if (result === null) return null;
    const isShell = tool === 'run_shell_command';
    return {
      isShell,
      isReading: /^read_(?:many_)?files?$/.test(tool),
      result: {
        ...result,
        ...(isShell ? { hostChars: Math.min(charsOf(result), OWN_CUT_CHARS) } : {}),
        addedChars: NO_ERROR.length + 1 + OPENING.length + CLOSING.length,
      },
    };
  },
);

const READING_TOOL = 'read_file';
/** Lines of a file, and chars of a line, that the tool returns as they are. */
const MOST_LINES = 2_000;
const MOST_LINE_CHARS = 2_000;
const OWN_FILE = /^spillway-[\da-f]{16}\.txt$/;

/** Writes a text where the reading tool returns it whole; null if it would not. */
function readableFile(shown: string, given: Fields): string | null {
  const lines = shown.split('\n');
  const fits = lines.length <= MOST_LINES && lines.every((line) => line.length <= MOST_LINE_CHARS);
  const folder = resultsFolder(given);
  if (!fits || shown.includes('\0') || folder === null || isWithoutTools(given)) return null;
  const file = join(folder, `spillway-${randomBytes(8).toString('hex')}.txt`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, shown, { mode: 0o600, flag: 'wx' });
    return file;
  } catch {
    return null;
  }
}

/** The folder of the project in which Gemini CLI keeps long results. */
function resultsFolder(given: Fields): string | null {
  const transcript = text(given.transcript_path);
  const project = transcript === undefined ? '' : dirname(dirname(transcript));
  return existsSync(project) ? join(project, 'tool-outputs') : null;
}

/** The file of an earlier answer, if this call reads it. */
function ownFile(given: Fields): string | null {
  const path = isFields(given.tool_input) ? text(given.tool_input.file_path) : undefined;
  if (given.tool_name !== READING_TOOL || path === undefined || !OWN_FILE.test(basename(path))) return null;
  return dirname(path) === resultsFolder(given) ? path : null;
}

/** Whether settings choose the tools: the reading tool may not be among them. */
function isWithoutTools(given: Fields): boolean {
  return [process.env.HOME || homedir(), text(given.cwd) ?? '.'].some((folder) => {
    try {
      const settings = readFileSync(join(folder, '.gemini', 'settings.json'), 'utf8');
      return /"(?:core|exclude)(?:Tools)?"\s*:/.test(settings);
    } catch {
      return false;
    }
  });
}

/** What Gemini CLI shows of a longer output of a command itself. */
const OWN_CUT_CHARS = 40_289;

/** A reason is one text: what holds anything else passes. */
function contentResult(content: unknown): BoundableResult | null {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isFields(part) && Object.keys(part).length === 1 ? part.text : part));
  return texts.length > 0 && texts.every((each) => typeof each === 'string') ? marked(texts.join('')) : null;
}

/** The marks around what a stranger may have written stay around it; a link stands behind them. */
function marked(content: string): BoundableResult {
  const end = content.lastIndexOf(CLOSING);
  const link = content.slice(end + CLOSING.length).trimStart();
  if (!content.startsWith(OPENING) || end === -1 || !/^(?:Resource Link: .*)?$/.test(link))
    return textResult(content, (shown) => shown);
  const inside = content.slice(OPENING.length, end);
  return textResult(`${inside}${link}`, (shown) => `${OPENING}${shown}${CLOSING}`);
}
