/**
 * One server of a client's configuration, the same behind the gateway, and the same without it. The
 * client gives its variables to the gateway, which gives them on: nothing of them is written here.
 */
import { createHash } from 'node:crypto';
import { GET_ARTIFACT } from '@spillway/core';
import type { Program } from '../../own-program.ts';

/** What a client starts. */
export interface Entry {
  readonly name: string;
  readonly command: readonly string[];
  /** The only tools that the client offers to a model, where the entry says so. */
  readonly tools: readonly string[] | null;
}

/** What becomes of an entry. */
export interface Changed {
  readonly command: readonly string[];
  readonly tools: readonly string[] | null;
}

/** Why an entry stays as it is. */
export type Left =
  | 'already behind the gateway'
  | 'not behind the gateway'
  | 'not a process: put it behind `spillway mcp --url` by hand';

/** `ownTool`: whether its tool gets a name of its own, because the client has several gateways. */
export function wrapEntry(
  { name, command, tools }: Entry,
  program: Program,
  ownTool: boolean,
): Changed | Left {
  if (command.length === 0) return 'not a process: put it behind `spillway mcp --url` by hand';
  if (gatewayIn(command) !== null) return 'already behind the gateway';
  const server = nameFor(name);
  const toolName = ownTool ? toolFor(server) : GET_ARTIFACT.name;
  const flags = ownTool ? ['--tool-name', toolName] : [];
  return {
    command: [...program, 'mcp', '--name', server, ...flags, '--', ...command],
    tools: tools === null ? null : [...tools.filter((tool) => tool !== toolName), toolName],
  };
}

/** The entry as it was before the gateway. */
export function unwrapEntry({ command, tools }: Entry): Changed | Left {
  const flags = gatewayIn(command);
  if (flags === null) return 'not behind the gateway';
  const named = flags.indexOf('--tool-name');
  const toolName = named === -1 ? GET_ARTIFACT.name : flags[named + 1];
  return {
    command: command.slice(command.indexOf('--', command.indexOf('mcp')) + 1),
    tools: tools === null ? null : tools.filter((tool) => tool !== toolName),
  };
}

/** The flags of the gateway that a command starts; null if it starts none in front of a process. */
function gatewayIn(command: readonly string[]): readonly string[] | null {
  const at = command.indexOf('mcp');
  const end = command.indexOf('--', at);
  const isOurs = command
    .slice(0, Math.max(0, at))
    .some((word) => /(?:^|[/\\])(?:spillway|acode)(?:\.js|\.cmd|@.*)?$/.test(word));
  return isOurs && end !== -1 ? command.slice(at, end) : null;
}

/** A name that `--name` takes. Where it cannot hold the written one, a mark keeps two apart. */
function nameFor(name: string): string {
  const plain = name.replace(/[^\w.-]+/g, '-').slice(0, 80);
  if (plain === name) return plain;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return /^[\w.-]*\w[\w.-]*$/.test(plain) ? `${plain}-${mark}` : `server-${mark}`;
}

/** A name that every client takes for a tool: at most 64 letters, digits, `_` and `-`. */
function toolFor(server: string): string {
  return `${GET_ARTIFACT.name}_${server.replace(/[^\w-]/g, '_')}`.slice(0, 64);
}
