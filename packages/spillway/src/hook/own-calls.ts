/**
 * Calls whose result is ours already: a page of a stored output, or what a command of this program
 * printed. It is never cut again.
 */
import { GET_ARTIFACT } from '@spillway/core';
import { isFields } from './hook-agent.ts';

const OWN_TOOL = new RegExp(`(?:^|[^A-Za-z0-9])${GET_ARTIFACT.name}(?:_|$)`);
const WORD = /"[^"]*"|'[^']*'|[^\s"']+/g;
const OWN_PROGRAM = /^(?:spillway|acode)(?:@.*|\.js|\.cmd)?$/;
const OWN_COMMAND = /^(?:artifacts|truncate|exec|sessions)$/;
/** What may stand before the program: what starts it, its flags, and variables. */
const STARTER = /^(?:(?:npx|bunx|node|bun)(?:\.exe|\.cmd)?|time|env|command|exec|-.*|\w+=.*)$/;

export function isOwnCall(tool: string, input: unknown): boolean {
  if (OWN_TOOL.test(tool)) return true;
  const line = isFields(input) ? (input.command ?? input.cmd) : undefined;
  const text = Array.isArray(line) ? line.join(' ') : typeof line === 'string' ? line : '';
  return /spillway|acode/.test(text) && text.split(/[;&|(\n]+/).some(isOwnCommand);
}

function isOwnCommand(command: string): boolean {
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/^["']|["']$/g, ''));
  const names = words.map((word) => word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1));
  const at = names.findIndex((name) => OWN_PROGRAM.test(name));
  return (
    at !== -1 &&
    OWN_COMMAND.test(words[at + 1] ?? '') &&
    names.slice(0, at).every((name) => STARTER.test(name))
  );
}
