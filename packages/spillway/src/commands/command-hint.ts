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

/** The words of a line as a shell reads them; null if it is more than words. */
export function shellWords(line: string): string[] | null {
  const words: string[] = [];
  const one = /\s*((?:'[^']*'|"(?:[^"\\$`]|\\.)*"|\\.|[^\s'"\\;&|<>()$`])+)\s*/sy;
  while (one.lastIndex < line.length) {
    const word = one.exec(line)?.[1];
    if (word === undefined) return null;
    words.push(
      word.replace(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
        (_, a, b, c) => a ?? b?.replace(/\\(.)/gs, '$1') ?? c,
      ),
    );
  }
  return words;
}

/** A word as a shell reads it. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
