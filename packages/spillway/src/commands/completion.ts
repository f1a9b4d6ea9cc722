/** `spillway completion`: a script for a shell that completes commands, flags and what is known of their values. Made from the tables of the program. */
import { didYouMean } from '@spillway/core';
import { completionScript, SHELLS, type Shell } from '../completion.ts';
import { type CommandDetails, type Given, type Program, usageError } from '../flags.ts';
import { print } from '../output.ts';

export const details: CommandDetails = {
  operands: { usage: SHELLS.join('|'), min: 1, max: 1, choices: SHELLS },
  flags: [],
  examples: [
    'source <(spillway completion bash)',
    'spillway completion zsh > ~/.zsh/completions/_spillway',
    'spillway completion fish > ~/.config/fish/completions/spillway.fish',
  ],
};

export async function run(given: Given, program: Program): Promise<number> {
  const [name] = given.operands;
  const shell = SHELLS.find((one): one is Shell => one === name);
  if (shell === undefined)
    throw usageError(`There are scripts for ${SHELLS.join(', ')}.${didYouMean(name, SHELLS)}`, 'completion');
  await print(completionScript(shell, await program.specs()));
  return 0;
}
