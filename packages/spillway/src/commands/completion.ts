/**
 * `spillway completion`: a script for a shell that completes commands, flags, and what is known of
 * their values; made from the tables of the program. `--list` is what these scripts ask.
 */
import { didYouMean, formatBytes } from '@spillway/core/plugin';
import { completionScript, SHELLS, type Shell } from '../completion.ts';
import {
  COMPLETES,
  type CommandDetails,
  type Completes,
  type Given,
  type Program,
  usageError,
} from '../flags.ts';
import { print } from '../output.ts';
import { visibleLine } from '../visible.ts';
import { keepQuiet } from '../warnings.ts';
import { artifactFacts } from './artifacts/facts.ts';
import { withStore } from './artifacts/reading.ts';
import { ageOf } from './durations.ts';

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
    if (kind !== undefined) await print(await (await import('./completion.ts')).storedNames(kind));
    return 0;
  }
  const shell = SHELLS.find((one): one is Shell => one === name);
  if (shell === undefined)
    throw usageError(`There are scripts for ${SHELLS.join(', ')}.${didYouMean(name, SHELLS)}`, 'completion');
  await print(completionScript(shell, await program.specs()));
  return 0;
}

// Handles and sessions of a workspace, for completion: a name and what it is on each line, with a
// tab between them, the newest first. Never an error: where nothing can be read, nothing is given.
// Names that a shell would not take as one plain word are left out.

const MOST_NAMES = 100;
const PLAIN_WORD = /^[\w.@%+,/][\w.@%+=,/:-]*$/;
const MOST_DESCRIPTION = 60;

export async function storedNames(kind: Completes): Promise<string> {
  keepQuiet();
  const lines: string[] = [];
  const add = (name: string, description: string) => {
    if (PLAIN_WORD.test(name))
      lines.push(`${name}\t${visibleLine(description).slice(0, MOST_DESCRIPTION).toWellFormed()}\n`);
  };
  try {
    await withStore(async ({ workspace: { scope } }, store) => {
      const now = Date.now();
      if (kind === 'handles') {
        const { items } = await store.list({ scope, limit: MOST_NAMES });
        if (items.length > 0) add('last', 'the newest');
        for (const record of items) {
          const size = formatBytes(artifactFacts(record).size);
          add(record.id, `${ageOf(record.startedAt, now)}, ${size}, ${record.summary}`);
        }
        return 0;
      }
      const { items } = await store.sessions({ scope, limit: MOST_NAMES });
      for (const { id, seenAt } of items) add(id, `last seen: ${ageOf(seenAt, now)}`);
      return 0;
    });
  } catch {
    // Settings or a store that cannot be read: other commands say so.
  }
  return lines.join('');
}
