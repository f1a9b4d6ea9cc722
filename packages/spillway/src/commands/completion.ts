/**
 * `spillway completion`: completes commands, flags and what is known of their values. The script for
 * a shell hands over the words that were typed (`--words`) and offers what the program answers: a
 * name and what it is on each line, with a tab between them. Names of files are left to the shell.
 */

import { formatBytes } from '@spillway/core/plugin';
import {
  type CommandDetails,
  type CommandSpec,
  type Completes,
  type Given,
  HELP,
  oneOf,
  type Program,
} from '../flags.ts';
import { print } from '../output.ts';
import { keepQuiet } from '../sentences.ts';
import { visibleLine } from '../visible.ts';

const BASH = `# bash completion for spillway: source <(spillway completion bash)
_spillway() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(command "\${COMP_WORDS[0]}" completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _spillway spillway acode
`;

const ZSH = `#compdef spillway acode
# zsh completion for spillway: put it on your fpath as _spillway
_spillway() {
  local -a found
  local line
  for line in "\${(@f)$(command $words[1] completion --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe spillway found; else _files; fi
}
_spillway "$@"
`;

const FISH = `# fish completion for spillway
function __spillway_words
  set -l words (commandline -opc) (commandline -ct)
  set -l found (command $words[1] completion --words -- $words[2..] 2>/dev/null)
  if count $found >/dev/null
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c spillway -f -a '(__spillway_words)'
complete -c acode -f -a '(__spillway_words)'
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export const details: CommandDetails = {
  summary: 'Print a script that completes commands, flags, handles and sessions in a shell.',
  operands: {
    usage: `[${SHELLS.join('|')}]`,
    min: 0,
    max: Number.POSITIVE_INFINITY,
    choices: SHELLS,
  },
  flags: [
    {
      name: 'words',
      doc: 'Print what may stand in place of the last of the words behind --: for the scripts.',
    },
  ],
  examples: [
    'source <(spillway completion bash)',
    'spillway completion zsh > ~/.zsh/completions/_spillway',
    'spillway completion fish > ~/.config/fish/completions/spillway.fish',
  ],
};

export async function run(given: Given, program: Program): Promise<void> {
  if (given.has('words')) {
    const offered = await candidates(given.operands, await program.specs());
    return print(offered.map(([name, doc]) => `${name}\t${doc}\n`).join(''));
  }
  await print(SCRIPTS[oneOf(SHELLS, given.operands[0], 'There are scripts for', 'completion')]);
}

type Candidate = readonly [name: string, doc: string];

/** What may stand in place of the last word, behind the others. */
async function candidates(words: readonly string[], commands: readonly CommandSpec[]): Promise<Candidate[]> {
  const before = words.slice(0, -1);
  const offered =
    before.length === 0 ? firstWords(commands) : await behind(before, words.at(-1) ?? '', commands);
  return offered.filter(([name]) => name.startsWith(words.at(-1) ?? ''));
}

function firstWords(commands: readonly CommandSpec[]): Candidate[] {
  const names = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''));
  const summaryOf = (word: string) => commands.find(({ name }) => name === word)?.summary ?? '';
  return [
    ...[...names].map((word): Candidate => [word, summaryOf(word)]),
    ['--help', HELP.doc],
    ['--version', 'Print the version.'],
  ];
}

async function behind(
  before: readonly string[],
  typed: string,
  commands: readonly CommandSpec[],
): Promise<Candidate[]> {
  const [first = '', second] = before;
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  const below = before.length > 1 ? [] : commands.filter(({ name }) => name.startsWith(`${first} `));
  const seconds = below.map(({ name, summary }): Candidate => [name.slice(first.length + 1), summary]);
  if (command === undefined) return seconds;
  const flags = [...command.flags, HELP];
  const flag = flags.find(({ name, value }) => value !== undefined && before.at(-1) === `--${name}`);
  if (flag?.completes !== undefined) return storedNames(flag.completes);
  if (flag !== undefined) return (flag.choices?.list() ?? []).map(([name, doc]): Candidate => [name, doc]);
  const named = flags.map(({ name, doc }): Candidate => [`--${name}`, doc]);
  if (typed.startsWith('-')) return named;
  const { choices = [], completes } = command.operands;
  const operands = [
    ...seconds,
    ...choices.map((name): Candidate => [name, '']),
    ...(completes === undefined ? [] : await storedNames(completes)),
  ];
  return operands.length > 0 ? operands : named;
}

const MOST_NAMES = 100;
const MOST_DESCRIPTION = 60;
/** What a shell takes as one plain word. */
const PLAIN_WORD = /^[\w.@%+,/][\w.@%+=,/:-]*$/;

/**
 * Handles or sessions of the workspace, the newest first. They are asked for while somebody types:
 * whatever is wrong, nothing is offered and nothing is said.
 */
async function storedNames(kind: Completes): Promise<Candidate[]> {
  keepQuiet();
  const { artifactFacts, withStore } = await import('./artifacts/reading.ts');
  const { ageOf } = await import('./durations.ts');
  const found: Candidate[] = [];
  try {
    await withStore(async ({ workspace: { scope } }, store) => {
      const now = Date.now();
      if (kind === 'handles') {
        const { items } = await store.list({ scope, limit: MOST_NAMES });
        if (items.length > 0) found.push(['last', 'the newest']);
        for (const record of items) {
          const size = formatBytes(artifactFacts(record).size);
          found.push([record.id, `${ageOf(record.startedAt, now)}, ${size}, ${record.summary}`]);
        }
      } else {
        const { items } = await store.sessions({ scope, limit: MOST_NAMES });
        for (const { id, seenAt } of items) found.push([id, `last seen: ${ageOf(seenAt, now)}`]);
      }
    });
  } catch {
    // Settings or a store that cannot be read: other commands say so.
  }
  return found
    .filter(([name]) => PLAIN_WORD.test(name))
    .map(([name, doc]) => [name, visibleLine(doc).slice(0, MOST_DESCRIPTION).toWellFormed()]);
}
