/**
 * Which agents have our hook in their settings, and whether what it starts is still there. Nothing
 * is run: `spillway hook try` does that.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { shellWords } from '../commands/command-hint.ts';
import { CLIENTS, type ClientFolders } from '../gateway/install/clients.ts';
import { plan } from '../gateway/install/install.ts';
import { type InstalledCommand, installedCommands } from '../hook/install/installed.ts';
import { type AgentFolders, HOOK_TARGETS, type HookTarget } from '../hook/install/targets.ts';
import { type Finding, failure, ok, warning } from './findings.ts';

export function examineHooks(folders: AgentFolders): readonly Finding[] {
  return Object.values(HOOK_TARGETS).flatMap((target) =>
    [...new Set(Object.values(target.files(folders)))]
      .filter((file) => existsSync(file))
      .flatMap((file) => findingsOf(file, target, folders)),
  );
}

function findingsOf(file: string, target: HookTarget, { env }: AgentFolders): readonly Finding[] {
  const name = `Hook in ${target.title}`;
  try {
    return installedCommands(file, target).map((installed) => {
      if (installed.script !== undefined && !existsSync(installed.script))
        return failure(
          name,
          `${file} names the script ${installed.script}, which is not there: ${target.title} cannot run commands`,
          `Put it in again: spillway hook install --agent ${target.format.agent}`,
        );
      const missing = missingOf(installed, env);
      return missing === null
        ? ok(name, file)
        : failure(
            name,
            `${file} starts ${missing}, which is not there: results pass as they are`,
            `Put it in again: spillway hook install --agent ${target.format.agent}`,
          );
    });
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [warning(name, error.message, 'Correct the file: the agent may not read it either.')];
  }
}

/** What a command needs and is not there: its program, a file that it names in full, its plugin. */
function missingOf({ command, missing }: InstalledCommand, env: AgentFolders['env']): string | null {
  const words = shellWords(command);
  // More than words, such as a pipe, is for a shell to judge.
  if (words === null) return missing ?? null;
  const [program = '', ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  const files = rest.slice(0, rest.indexOf('hook')).filter((word) => isAbsolute(word));
  if (!isRunnable(program, env)) return program;
  return missing ?? files.find((file) => !existsSync(file)) ?? null;
}

function isRunnable(program: string, env: AgentFolders['env']): boolean {
  const found = isAbsolute(program)
    ? [program]
    : (env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  const names = process.platform === 'win32' ? found.flatMap((name) => [name, `${name}.cmd`]) : found;
  return names.some((name) => {
    try {
      accessSync(name, constants.X_OK);
      return true;
    } catch {
      // Not there, or not ours to run: the same to the agent.
      return false;
    }
  });
}

// Which MCP servers of clients run behind the gateway, file by file.

export function examineServers(folders: ClientFolders): readonly Finding[] {
  const seen = new Set<string>();
  return CLIENTS.flatMap((client) =>
    client.files(folders).flatMap((file) => {
      if (seen.has(file) || !existsSync(file)) return [];
      seen.add(file);
      const name = `Servers of ${client.title}`;
      try {
        const found = plan(file, { client, folders, program: null, only: [] });
        const [wrapped, all] = [found?.changes.map((one) => one.name) ?? [], found?.names ?? []];
        const others = all.filter((one) => !wrapped.includes(one));
        if (wrapped.length === 0) return [];
        const beside = others.length === 0 ? '' : `; not behind it: ${others.join(', ')}`;
        return [ok(name, `${file}: behind the gateway: ${wrapped.join(', ')}${beside}`)];
      } catch (error) {
        if (!(error instanceof SpillwayError)) throw error;
        return [warning(name, error.message, 'Correct the file: the client may not read it either.')];
      }
    }),
  );
}
