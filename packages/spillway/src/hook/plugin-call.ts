/**
 * What the plugins of opencode and pi hand over (plugins/): the agent's own result, and the file in
 * which the agent kept all of it, if it cut it. They take back the fields of the result that change.
 */
import { type Fields, isFields } from '../fields.ts';
import {
  type BoundableResult,
  blocksResult,
  charsOf,
  type HookAgent,
  hookAgent,
  isShellTool,
  textResult,
} from './hook-agent.ts';
import { namedText, persistedText } from './persisted-text.ts';

const NAMES = { tool: 'tool', input: 'input', result: 'result', session: 'session', callId: 'callId' };

function pluginAgent(name: string, endingOf: (given: Fields, response: Fields) => Ending): HookAgent {
  return hookAgent({ name, answer: (shown) => shown as Fields }, NAMES, (tool, response, given) => {
    const result = isFields(response) ? resultOf(response) : null;
    return (
      result && {
        isShell: isShellTool(tool),
        isReading: tool === 'read',
        result: wholeResult(result, endingOf(given, response as Fields)),
      }
    );
  });
}

export const opencode = pluginAgent('opencode', opencodeEnding);
export const pi = pluginAgent('pi', piEnding);

function resultOf({ output, content }: Fields): BoundableResult | null {
  if (Array.isArray(content)) return blocksResult(content, (blocks) => ({ content: blocks }));
  return typeof output === 'string' ? outputResult(output) : null;
}

/** The lines of a file that opencode read, without what stands around them. */
const FILE = /^(<path>[^\n]*<\/path>\n<type>file<\/type>\n<content>\n)([\s\S]*)(\n<\/content>[\s\S]*)$/;

function outputResult(output: string): BoundableResult {
  const [, before = '', lines = output, after = ''] = FILE.exec(output) ?? [];
  return {
    ...textResult(lines, (shown) => ({ output: `${before}${shown}${after}` })),
    addedChars: before.length + after.length,
  };
}

/** How the call ended; and all of its text, where the agent cut that and kept it in a file. */
function wholeResult(result: BoundableResult, { whole, exitCode, isError }: Ending): BoundableResult {
  const ended: BoundableResult = {
    ...result,
    ...(typeof exitCode === 'number'
      ? { outcome: { status: exitCode === 0 ? 'ok' : 'error', exitCode } }
      : isError === true
        ? { outcome: { status: 'error' } }
        : {}),
  };
  if (whole === undefined) return ended;
  if (whole === null) return { ...ended, sourceTruncated: true };
  // What came is what the agent would have shown.
  const shownChars = charsOf(result);
  return {
    ...ended,
    captured: { kind: 'text', text: whole },
    hostChars: shownChars,
    shownAs: (projection) => result.shownAs(projection, () => 0),
  };
}

interface Ending {
  /** All of the text; null if the agent cut it and its file is not there; undefined if it was not cut. */
  readonly whole?: AsyncIterable<Uint8Array> | null | undefined;
  readonly exitCode?: unknown;
  readonly isError?: unknown;
}

/** opencode fills `metadata` itself for its own tools; that of an MCP server is whatever came. */
function opencodeEnding({ file, exitCode }: Fields, { content }: Fields): Ending {
  if (Array.isArray(content)) return {};
  return { exitCode, whole: typeof file === 'string' ? persistedText(file, undefined) : undefined };
}

/** Behind the last lines of a command that failed, pi 0.87 puts the file and how it ended. */
const STATUS = /^Command (?:exited with code (\d{1,10})|.{1,100})$/;
const NOTE = /^\[Showing .{1,200} Full output: (.{1,4000})\]$/;
const FILE_NAME = /^pi-(?:bash|powershell)-[\da-f]{16}\.log$/;
const MOST_NOTE = 5_000;

/** Of its shell tools pi fills `details` itself; other tools say there, and in texts, what they like. */
function piEnding({ tool, file, isError }: Fields, { content }: Fields): Ending {
  const [block, ...more] = Array.isArray(content) ? content : [];
  if (!isShellTool(tool) || !isFields(block) || more.length > 0) return { isError };
  if (typeof file === 'string') return { isError, whole: persistedText(file, undefined) };
  return isError === true && typeof block.text === 'string' ? failedEnding(block.text) : { isError };
}

function failedEnding(output: string): Ending {
  const [last = '', blank, note = ''] = output.slice(-MOST_NOTE).split('\n').reverse();
  const [status, exitCode] = STATUS.exec(last) ?? [];
  const ended = { isError: true, ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }) };
  const path = status !== undefined && blank === '' ? NOTE.exec(note)?.[1] : undefined;
  if (path === undefined) return ended;
  const shown = output.slice(0, -`\n\n${note}\n\n${status}`.length);
  return { ...ended, whole: namedText({ path, name: FILE_NAME, shown, shownAt: 'end' }) };
}
