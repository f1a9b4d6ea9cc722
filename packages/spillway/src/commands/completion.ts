/**
 * `spillway completion`: a script for a shell that completes commands, flags, and what is known of
 * their values; made from the tables of the program. `--list` is what these scripts ask.
 */
import { completionScript, SHELLS, type Shell } from '../completion.ts';
import { COMPLETES, type CommandDetails, type Given, oneOf, type Program } from '../flags.ts';
import { print } from '../output.ts';

export const details: CommandDetails = {
  operands: { usage: `[${SHELLS.join('|')}]`, min: 0, max: 1, choices: SHELLS },
  flags: [
    {
      name: 'list',
      value: 'WHAT',
      doc: 'Print handles or sessions of this workspace, as the scripts ask for them.',
    },
  ],
  examples: [
    'source <(spillway completion bash)',
    'spillway completion zsh > ~/.zsh/completions/_spillway',
    'spillway completion fish > ~/.config/fish/completions/spillway.fish',
  ],
};

export async function run(given: Given, program: Program): Promise<number> {
  const [name] = given.operands;
  const asked = given.value('list');
  if (asked !== undefined) {
    const kind = COMPLETES.find((one) => one === asked);
    // Asked while somebody types: whatever is wrong, nothing is offered and nothing is said.
    if (kind !== undefined) await print(await (await import('./stored-names.ts')).storedNames(kind));
    return 0;
  }
  const shell = oneOf<Shell>(SHELLS, name, 'There are scripts for', 'completion');
  await print(completionScript(shell, await program.specs()));
  return 0;
}
