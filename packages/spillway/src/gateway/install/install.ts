/**
 * Puts the servers of a client's configuration behind the gateway, or takes them out. The new text
 * is checked before the file is replaced, and the old file is kept beside it.
 */
import { existsSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { JsonFile } from '../../json-file.ts';
import { readNamedFile } from '../../named-file.ts';
import type { Program } from '../../own-program.ts';
import { backupsOf } from '../../replaced-file.ts';
import type { ClientFolders, ClientFormat } from './clients.ts';
import {
  type Changed,
  type ConfigEntries,
  canBeWrapped,
  type Entry,
  jsonEntries,
  type Left,
  rewritten,
  tomlEntries,
  unwrapEntry,
  wrapEntry,
} from './entry.ts';

interface Change {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface Plan {
  readonly file: string;
  readonly changes: readonly Change[];
  readonly left: readonly { readonly name: string; readonly why: Left }[];
  readonly names: readonly string[];
  readonly text: string;
}

export interface Planning {
  readonly client: ClientFormat;
  readonly folders: ClientFolders;
  /** How the gateway is started in a file; null takes servers out from behind it. */
  readonly program: ((file: string) => Program) | null;
  /** The servers that are meant; all if it is empty. */
  readonly only: readonly string[];
}

export function plan(file: string, planning: Planning): Plan | null {
  if (!existsSync(file)) return null;
  const text = readNamedFile(file);
  const { config, changed, left } = changesIn(text, file, planning);
  const changes = [...changed].map(([entry, after]) => ({
    name: entry.name,
    before: shownWords(entry),
    after: shownWords(after),
  }));
  const former = planning.program === null ? formerText(text, file, planning, changes) : undefined;
  const written = changed.size === 0 ? text : (former ?? config.with(changed));
  mustSay(read(written, file, planning), config, changed, file);
  return { file, changes, left, names: config.entries.map(({ name }) => name), text: written };
}

interface Changes {
  readonly config: ConfigEntries;
  readonly changed: ReadonlyMap<Entry, Changed>;
  readonly left: { readonly name: string; readonly why: Left }[];
}

function changesIn(text: string, file: string, planning: Planning): Changes {
  const { client, program, only } = planning;
  const config = read(text, file, planning);
  const ownTool = new Set(config.entries.filter(canBeWrapped).map(({ name }) => name)).size > 1;
  const uncut = client.runsPrograms === true;
  const changed = new Map<Entry, Changed>();
  const left: { name: string; why: Left }[] = [];
  for (const entry of config.entries) {
    if (only.length > 0 && !only.includes(entry.name)) continue;
    const after =
      program === null ? unwrapEntry(entry) : wrapEntry(entry, { program: program(file), ownTool, uncut });
    if (typeof after === 'string') left.push({ name: entry.name, why: after });
    else changed.set(entry, after);
  }
  return { config, changed, left };
}

/** Without headers, which may hold secrets. */
function shownWords({ command, remote }: Pick<Entry, 'command' | 'remote'>): readonly string[] {
  return remote === null ? command : [remote.url];
}

/** The kept file from before, if it differs only by the servers behind the gateway. */
function formerText(
  text: string,
  file: string,
  planning: Planning,
  changes: readonly Change[],
): string | undefined {
  const [first] = changes;
  if (first === undefined) return undefined;
  const program = first.before.slice(0, first.before.indexOf('mcp'));
  const again = { ...planning, program: () => program, only: changes.map(({ name }) => name) };
  return backupsOf(file).find((former) => {
    try {
      const { config, changed } = changesIn(former, file, again);
      return changed.size > 0 && config.with(changed) === text;
    } catch {
      return false;
    }
  });
}

function read(written: string, file: string, { client, folders }: Planning): ConfigEntries {
  try {
    return client.format === 'toml'
      ? tomlEntries(written, client)
      : jsonEntries(written, client, client.inside?.(folders) ?? null);
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    throw new SpillwayError(
      'invalid_argument',
      `Cannot use ${JSON.stringify(file)}: ${error.message}. Nothing was changed.`,
    );
  }
}

/** Checks that the new text says what was meant and nothing else changed. */
function mustSay(
  after: ConfigEntries,
  before: ConfigEntries,
  changed: ReadonlyMap<Entry, Changed>,
  file: string,
): void {
  const wanted = before.entries.map((entry) => ({ ...entry, ...changed.get(entry) }));
  if (JSON.stringify(after.entries) === JSON.stringify(wanted)) return;
  throw new SpillwayError(
    'invalid_argument',
    `${JSON.stringify(file)} is written in a way that cannot be changed safely. Nothing was changed: edit it by hand.`,
  );
}

// Puts servers of a shared project file behind the gateway for this user alone: the wrapped entries
// go where the client keeps a user's servers for one project, which take precedence. The shared
// file stays as it is.

/** `shared`: the file of the project; `own`: that of the user. Null if there is nothing to share. */
export function localPlan(shared: string, own: string, planning: Planning): Plan | null {
  const path = planning.client.inside?.(planning.folders);
  if (path === undefined || !existsSync(shared)) return null;
  const { config, changed, left } = changesIn(readNamedFile(shared), shared, planning);
  let text = existsSync(own) ? readNamedFile(own) : '{}\n';
  const changes: Plan['changes'][number][] = [];
  for (const [entry, after] of changed) {
    const file = new JsonFile(text);
    const at = [...path, entry.name];
    if (file.value(at) !== undefined) {
      left.push({ name: entry.name, why: 'already there for this project' });
      continue;
    }
    text = file.withMember(at, rewritten(config.read(entry), after, planning.client));
    changes.push({ name: entry.name, before: shownWords(entry), after: shownWords(after) });
  }
  return { file: own, changes, left, names: config.entries.map(({ name }) => name), text };
}
