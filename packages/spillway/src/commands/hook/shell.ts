/**
 * `spillway hook shell`: the script that `hook install` writes for Claude Code runs it when a
 * command has failed, with the file that the command wrote as standard output. It says nothing:
 * whatever it printed would be taken for the command's output.
 */

import {
  constants,
  fstatSync,
  ftruncateSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import type { CommandDetails, Given } from '../../flags.ts';
import { boundCall } from '../../hook/bound-call.ts';
import { claudeCode } from '../../hook/claude-code.ts';
import { backgroundMark, takeMark } from '../../hook/marks.ts';
import { shellCommands } from '../command-hint.ts';

export const details: CommandDetails = {
  summary: 'Store what a command of Claude Code printed that failed, and leave what the model should read.',
  operands: { usage: 'CODE COMMAND', min: 2, max: 2 },
  flags: [],
  examples: ['spillway hook shell 1 "npm test" >> output.txt'],
};

export async function run(given: Given): Promise<void> {
  const [code = '', line = ''] = given.operands;
  try {
    await boundFailed(Number(code), line, process.env.CLAUDE_CODE_SESSION_ID ?? 'claude-code');
  } catch {
    // What the command printed stays as it is.
  }
}

// What a command of Claude Code printed before it failed. It stands in the file that is our
// standard output, from which Claude Code reads it when the command has ended: a long one is stored
// and replaced there. If anything is in doubt, the file stays as it is.

/** Larger outputs stay as they are. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Of a failed command Claude Code shows 10,000 chars, its exit code included. */
const MOST_CHARS = 9_900;
const OWN_CUT_CHARS = 10_040;

export async function boundFailed(exitCode: number, line: string, session: string): Promise<void> {
  const file = outputFile();
  if (file === null || isInBackground(file)) return;
  const { size } = fstatSync(1);
  if (size === 0 || size > MOST_BYTES) return;
  const bounded = await boundCall(
    {
      tool: 'Bash',
      session,
      cwd: process.cwd(),
      input: { command: commandIn(line) },
      isShell: true,
      mostChars: MOST_CHARS,
      result: {
        captured: { kind: 'exec', stdout: readFileSync(file).subarray(0, size), stderr: '', exitCode },
        notice: 'embedded',
        hostChars: Math.min(size, OWN_CUT_CHARS),
        shownAs: ({ text }) => text,
      },
    },
    { agent: claudeCode, toolName: undefined, allowUnbounded: false },
  );
  const shown = bounded !== null && 'result' in bounded ? Buffer.from(String(bounded.result)) : null;
  if (shown === null || shown.length >= size) return;
  // A process that the command left behind may still write: nothing of that is lost.
  if (fstatSync(1).size !== size || isInBackground(file)) return;
  ftruncateSync(1, 0);
  writeSync(1, shown);
}

/**
 * The file that standard output goes to; null if it cannot be told, or is not appended to: whoever
 * writes on would leave a hole in it.
 */
function outputFile(): string | null {
  if (process.platform !== 'linux' || !fstatSync(1).isFile()) return null;
  const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8')) ?? [];
  if ((Number.parseInt(flags, 8) & constants.O_APPEND) === 0) return null;
  const file = readlinkSync('/proc/self/fd/1');
  const { ino, dev } = fstatSync(1);
  const named = statSync(file, { throwIfNoEntry: false });
  return named?.ino === ino && named.dev === dev ? file : null;
}

/** The command itself, out of what Claude Code puts around it: `… && eval '…' < /dev/null && pwd …`. */
function commandIn(line: string): string {
  const [at, end] = [line.lastIndexOf(EVAL), line.lastIndexOf(' && pwd -P >| ')];
  const words =
    at === -1 || end < at ? null : shellCommands(line.slice(at + EVAL.length, end).replace(NO_INPUT, ''));
  return words?.[0]?.[0] ?? line;
}

const EVAL = ' && eval ';
const NO_INPUT = ' < /dev/null';

function isInBackground(file: string): boolean {
  return takeMark(backgroundMark(basename(file, '.output')));
}
