/**
 * Puts the servers of a client's configuration behind the gateway. The file before the change is
 * kept beside it.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readNamedFile } from '../../named-file.ts';
import type { ClientFolders, ClientFormat } from './clients.ts';
import { type Entry, type Left, type Program, wrapEntry } from './entry.ts';
import { jsonEntries } from './json-config.ts';
import { tomlEntries } from './toml-config.ts';

interface Change {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What there is to do in one file. */
export interface Plan {
  readonly file: string;
  readonly changes: readonly Change[];
  readonly left: readonly { readonly name: string; readonly why: Left }[];
  /** The file as it would be. */
  readonly text: string;
}

/** Null if there is no such file. `only` names the servers that are meant; all if it is empty. */
export function plan(
  file: string,
  client: ClientFormat,
  folders: ClientFolders,
  program: Program,
  only: readonly string[],
): Plan | null {
  if (!existsSync(file)) return null;
  const text = readNamedFile(file);
  const config =
    client.format === 'toml'
      ? tomlEntries(text, client)
      : jsonEntries(text, client, client.inside?.(folders) ?? null);
  const changes: Change[] = [];
  const commands = new Map<Entry, readonly string[]>();
  const left: { name: string; why: Left }[] = [];
  for (const entry of config.entries) {
    if (only.length > 0 && !only.includes(entry.name)) continue;
    const wrapped = wrapEntry(entry, program);
    if ('left' in wrapped) left.push({ name: entry.name, why: wrapped.left });
    else {
      changes.push({ name: entry.name, before: entry.command, after: wrapped.command });
      commands.set(entry, wrapped.command);
    }
  }
  return { file, changes, left, text: config.with(commands) };
}

/** Writes the file anew, where it really is; returns where the former one is kept. */
export function carryOut({ file: named, text }: Plan, now: Date): string {
  // Files of settings are often links into a repository: the link stays.
  const file = realpathSync(named);
  const backup = `${file}.backup-${now.toISOString().replace(/\D/g, '').slice(0, 14)}`;
  copyFileSync(file, backup, constants.COPYFILE_EXCL);
  const { mode } = statSync(file);
  const aside = `${file}.${process.pid}.tmp`;
  writeFileSync(aside, text, { mode });
  chmodSync(aside, mode);
  renameSync(aside, file);
  return backup;
}
