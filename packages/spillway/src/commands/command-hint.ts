/**
 * How this program spells the commands that fetch more of an output, for notices and pages:
 * `spillway artifacts show art_… --lines 13-186`. What npx started is not there under its name.
 */
import type { CommandHint } from '@spillway/core/plugin';
import { ownProgram } from '../own-program.ts';

export function commandHint(env: NodeJS.ProcessEnv = process.env): CommandHint {
  return commandHintOf(env.npm_command === 'exec' ? ownProgram('here') : ['spillway']);
}

/** `program`: the words that start it where it is not on the path. */
export function commandHintOf(program: readonly string[]): CommandHint {
  const spillway = program.map(shellWord).join(' ');
  return {
    kind: 'command',
    show(id, args) {
      const flags = Object.entries(args).map(
        ([name, value]) => `--${flagOf(name)} ${shellWord(String(value))}`,
      );
      return [`${spillway} artifacts show ${id}`, ...flags].join(' ');
    },
    export: (id) => `${spillway} artifacts export ${id}`,
  };
}

/** Flags have the names of the tool's arguments, but for `--grep`. */
function flagOf(argument: string): string {
  return argument === 'pattern' ? 'grep' : argument.replace('_', '-');
}

/** The words of a line as a shell reads them; null if it is more than the words of one command. */
export function shellWords(line: string): string[] | null {
  const [words = [], ...more] = shellCommands(line) ?? [null];
  return more.length === 0 ? words : null;
}

/** A word, or what ends a command and starts the next one, with the blanks around it. */
const TOKEN = /[ \t]*(?:(\n|;|&&|\|\|)|((?:'[^']*'|"(?:[^"\\$`]|\\.)*"|\\.|[^\s'"\\;&|<>()$`])+))[ \t]*/sy;

/**
 * The words of each command of a line, as a shell reads them; null if the line does more than run
 * one command after the other: pipes, redirects, expansions.
 */
export function shellCommands(line: string): string[][] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < line.length; at = TOKEN.lastIndex) {
    const [, end, word] = TOKEN.exec(line) ?? [];
    if (end === undefined && word === undefined) return null;
    if (words.length === 0 && word !== undefined) commands.push(words);
    if (word !== undefined) words.push(unquoted(word));
    else words = [];
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"?|\\(.)/gs,
    (_, a, b, c) => a ?? b?.replace(/\\(.)/gs, '$1') ?? c,
  );
}

/** A word as a shell reads it. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
