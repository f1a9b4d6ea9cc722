/**
 * Takes a command line apart into simple commands, as far as that is needed to tell what it prints.
 * Quotes are honoured. A line that substitutes, redirects into a file, loops or branches is not
 * taken apart: nobody can tell from its words what it prints.
 */
import { remembered } from '../text/memo.ts';

/** `piped`: it reads what the command before it prints. */
export interface SimpleCommand {
  readonly words: readonly string[];
  readonly piped: boolean;
}

const MOST_CHARS = 4_000;
const MOST_REMEMBERED = 64;
const WORDS =
  /\s+|&&|\|\||\||;|\n|"((?:[^"\\`$]|\\.)*)"|'([^']*)'|(?:[^\s;&|"'`$<>()\\]|\\.|\$(?![({]))+|2?>\s?(?:&\d|\/dev\/null)|([\s\S])/gy;
const KEYWORDS = /^(?:for|while|until|if|case|function|do|then|eval|exec)$/;

/** Null if it cannot be told. */
export function simpleCommands(line: string): readonly SimpleCommand[] | null {
  return line.length > MOST_CHARS ? null : taken(line);
}

const taken = remembered(MOST_REMEMBERED, (line): readonly SimpleCommand[] | null => {
  const commands: { words: string[]; piped: boolean }[] = [{ words: [], piped: false }];
  let isOpen = false;
  for (const match of line.matchAll(WORDS)) {
    const [token, double, single, other] = match;
    if (other !== undefined) return null;
    const current = commands.at(-1)?.words ?? [];
    if (/^(?:&&|\|\||\||;|\n)$/.test(token)) commands.push({ words: [], piped: token === '|' });
    else if (!/^\s|^2?>/.test(token)) {
      const word = double ?? single ?? token;
      if (isOpen && current.length > 0) current[current.length - 1] += word;
      else current.push(word);
    }
    isOpen = !/^(?:\s|&&|\|\||\||;)/.test(token);
  }
  const named = commands.filter(({ words }) => words.length > 0);
  return named.some(({ words: [name = ''] }) => KEYWORDS.test(name)) ? null : named;
});
