/**
 * `spillway hook shell`: the script that `hook install` writes for Claude Code runs it when a
 * command has failed, with the file that the command wrote as standard output. It says nothing:
 * whatever it printed would be taken for the command's output.
 */
import type { CommandDetails, Given } from '../../flags.ts';
import { boundFailed } from '../../hook/shell-output.ts';

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
