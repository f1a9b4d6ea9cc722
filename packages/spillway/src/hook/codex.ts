/**
 * Codex, event PostToolUse. It has no field for another result yet: a hook that blocks the result
 * gives the text that takes its place. What a command printed was cut by Codex before the hook sees
 * it; the transcript keeps 64 KB of it, which are all or more of both ends. How the command ended
 * stands in the transcript alone: a result is replaced only if it is there, since the exit code would
 * be lost with the text around it.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isFields, jsonIn } from '../fields.ts';
import {
  type BoundableResult,
  CLAUDE_NAMES,
  hookAgent,
  isTextBlock,
  text,
  textResult,
} from './hook-agent.ts';

export const codex = hookAgent(
  { name: 'codex', answer: (shown) => ({ decision: 'block', reason: shown }) },
  { ...CLAUDE_NAMES, event: 'PostToolUse' },
  (tool, response, given) => {
    const callId = text(given.tool_use_id);
    const isShell = tool === 'Bash';
    const ended = isShell ? endedCommand(text(given.transcript_path), callId) : undefined;
    const result = resultOf(response, ended);
    const storeOnly = isOfScript(callId) || (isShell && ended === undefined);
    return result && { isShell, result, ...(storeOnly ? { storeOnly } : {}) };
  },
);

/** In code mode a script of the model called the tool, and reads the result: it stays as it is. */
function isOfScript(callId: string | undefined): boolean {
  return /^exec-[\da-f]{8}-[\da-f-]{27}$/.test(callId ?? '');
}

function resultOf(response: unknown, ended: EndedCommand | undefined): BoundableResult | null {
  if (typeof response === 'string') {
    const { notice, shownAs } = textResult(response, (shown) => shown);
    if (ended === undefined)
      return {
        captured: { kind: 'text', text: response },
        notice,
        shownAs,
        sourceTruncated: isCut(response),
      };
    const { exitCode, output } = ended;
    const isKept = isCut(response) && output.startsWith(startOf(response));
    return {
      captured: { kind: 'exec', stdout: isKept ? output : response, stderr: '', exitCode },
      notice,
      shownAs,
      sourceTruncated: isCut(isKept ? output : response),
      ...(isKept ? { hostChars: response.length } : {}),
    };
  }
  const content = isFields(response) ? response.content : undefined;
  if (!Array.isArray(content) || content.length === 0 || !content.every(isTextBlock)) return null;
  return textResult(content.map((block) => block.text).join('\n'), (shown) => shown);
}

/** As a result that Codex cut begins. */
const CUT = /^Warning: truncated output \(original token count: \d+\)\n(?:Total output lines: \d+\n)?\n?/;
/** What Codex leaves out of its transcript. */
const CUT_IN_TRANSCRIPT = '... command output truncated for persistence ...';

function isCut(output: string): boolean {
  return CUT.test(output) || output.includes(CUT_IN_TRANSCRIPT);
}

/** The first lines that a cut result shows. */
function startOf(response: string): string {
  return response.replace(CUT, '').slice(0, 1_000);
}

/** The last lines of a transcript, of which one may hold 64 KB of an output, escaped. */
const LAST_BYTES = 1_000_000;

interface EndedCommand {
  readonly exitCode: number;
  readonly output: string;
}

/** How a command ended, with what the transcript keeps of its output; undefined if it is not there. */
function endedCommand(transcript: string | undefined, callId: string | undefined): EndedCommand | undefined {
  if (transcript === undefined || callId === undefined) return undefined;
  const named = JSON.stringify(callId);
  const lines = lastLines(transcript).filter((line) => line.includes(named) && line.includes('"exit_code"'));
  for (const line of lines.reverse()) {
    // The first line may be cut, the last one unfinished.
    const read = jsonIn(line);
    const payload = isFields(read) ? read.payload : undefined;
    const item = isFields(payload) && isFields(payload.item) ? payload.item : {};
    if (item.type === 'CommandExecution' && item.id === callId && Number.isInteger(item.exit_code))
      return { exitCode: item.exit_code as number, output: text(item.aggregated_output) ?? '' };
  }
  return undefined;
}

function lastLines(file: string): string[] {
  try {
    const opened = openSync(file, 'r');
    try {
      const { size } = fstatSync(opened);
      const bytes = Buffer.alloc(Math.min(size, LAST_BYTES));
      const read = readSync(opened, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8', 0, read).split('\n');
    } finally {
      closeSync(opened);
    }
  } catch {
    // No transcript, or one of another account.
    return [];
  }
}
