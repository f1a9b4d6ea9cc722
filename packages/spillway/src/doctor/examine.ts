/**
 * What is examined, one finding each. A finding says what is there; where it is not as it should
 * be, also what to do. Never anything that was captured.
 */

import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { formatBytes, formatCount, pluralize, Settings } from '@spillway/core/plugin';
import { isOpenToOthers } from '../accounts.ts';
import { shellWords } from '../commands/command-hint.ts';
import { applyLayers, type Config, loadConfig, passedOverNotice } from '../config/load.ts';
import { homeOf } from '../config/locations.ts';
import type { StorageSettings } from '../config/storage.ts';
import {
  findWorkspace,
  hasStore,
  otherFolders,
  shownStore,
  storeFile,
  type Workspace,
} from '../find-workspace.ts';
import { CLIENTS, type ClientFolders } from '../gateway/install/clients.ts';
import { plan } from '../gateway/install/install.ts';
import { MOST_CHARS } from '../hook/claude-code.ts';
import { type InstalledCommand, installedCommands } from '../hook/install/change.ts';
import { type AgentFolders, filesOf, HOOK_TARGETS, type HookTarget } from '../hook/install/targets.ts';
import { copyLimits, knownNames, sourcesOf, storeOfFolder } from '../open.ts';
import { isWritable, nearest as nearestTo } from '../own-folders.ts';
import { isExecutable } from '../own-program.ts';
import { type CopyLimits, copyUsage } from '../plain-copies.ts';
import { freeIn, storeSize } from '../store-size.ts';
import { type Finding, failure, ok, warning } from './findings.ts';
import { readBack } from './read-back.ts';

export interface Examined {
  readonly version: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** How much of what is stored is read back. */
  readonly reach: 'newest' | 'everything';
  /** Told of the bytes that are read back. */
  readonly seen?: (bytes: number) => void;
}

/** Below this, a store is likely to run full soon. */
const LITTLE_ROOM = 100_000_000;

export async function examine({ version, cwd, env, reach, seen }: Examined): Promise<Finding[]> {
  const home = homeOf(env);
  const findings = [
    ok('Program', `spillway ${version} on ${runtime()}, ${process.platform} ${process.arch}`),
    home !== null && existsSync(home)
      ? ok('Home', home)
      : warning(
          'Home',
          home === null ? 'there is none' : `${home} is not there`,
          'Settings of your own are read from your home, or from XDG_CONFIG_HOME: set one of them.',
        ),
  ];
  const config = await examineConfig(cwd, env, findings);
  const workspace = workspaceOf(cwd, env, config, findings);
  if (workspace === null) return findings;
  const { shared, root } = workspace;
  findings.push(ok('Workspace', shared === null ? root : `${root}, on the shared store as ${shared.scope}`));
  for (const sentence of [...workspace.notices, ...(config?.notices ?? [])])
    findings.push(warning('Trust', sentence, '`spillway store status` says which store is used.'));
  findings.push(examineFolder(workspace));
  const others = otherFolders(workspace, env);
  for (const one of others) findings.push(ok('Also read', `${storeFile(one)}, as ${one.scope}`));
  if (shared !== null) {
    const { examineServer } = await import('./examine-server.ts');
    findings.push(...(await examineServer(shared)));
  }
  const isThere = hasStore(workspace) || others.length > 0;
  if (isThere && findings.every(({ name, state }) => name !== 'Server' || state === 'ok')) {
    findings.push(...(await examineStore(workspace, config?.storage ?? {}, { env, reach, seen })));
    findings.push(examineCopies(workspace, copyLimits(config?.storage ?? {})));
  }
  const folders = { home: home ?? homedir(), project: cwd, env };
  findings.push(...examineHooks(folders), ...examineLimits(folders, config));
  findings.push(...examineServers({ ...folders, platform: process.platform, appData: env.APPDATA }));
  findings.push(optional('@lydell/node-pty', 'exec --pty'), optional('pg', 'a shared PostgreSQL store'));
  return findings;
}

function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `Node ${node}` : `Bun ${bun}`;
}

/** The workspace; null where settings name none that can be used. */
function workspaceOf(
  cwd: string,
  env: NodeJS.ProcessEnv,
  config: Config | null,
  findings: Finding[],
): Workspace | null {
  try {
    return findWorkspace(cwd, env, config?.storage);
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    findings.push(failure('Workspace', error.message, 'Correct that, and run `spillway doctor` again.'));
    return null;
  }
}

async function examineConfig(
  cwd: string,
  env: NodeJS.ProcessEnv,
  findings: Finding[],
): Promise<Config | null> {
  try {
    const config = await loadConfig({ ...sourcesOf(cwd, env), passOver: true });
    const together = applyLayers(new Settings(knownNames()), config.layers);
    const passedOver = [...config.passedOver, ...(together === null ? [] : [together])];
    for (const one of passedOver)
      findings.push(failure('Settings', passedOverNotice(one), 'Correct that file, or remove it.'));
    const read = config.files.filter(({ found }) => found).map(({ name }) => name);
    if (passedOver.length === 0)
      findings.push(
        ok('Settings', read.length === 0 ? 'built-in, no file is there' : `read from ${read.join(', ')}`),
      );
    return config;
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    findings.push(
      failure('Settings', error.message, 'Correct that, and check with `spillway config validate`.'),
    );
    return null;
  }
}

/** The folder of the store, or the one it would be made in. */
function examineFolder({ artifacts }: Workspace): Finding {
  const nearest = nearestTo(artifacts);
  const free = freeIn(nearest);
  const room = free === null ? '' : `, ${formatBytes(free)} free`;
  if (!isWritable(nearest))
    return failure(
      'Store folder',
      `${artifacts} cannot be written: outputs are shown but not stored`,
      `Make ${nearest} writable, or set SPILLWAY_STORE to a folder that is.`,
    );
  if (free !== null && free < LITTLE_ROOM)
    return warning(
      'Store folder',
      `${artifacts}${room}`,
      'Make room: `spillway artifacts clean --purge`, or another disk through SPILLWAY_STORE.',
    );
  if (nearest !== artifacts) return ok('Store folder', `${artifacts}, made with the first output${room}`);
  return isOpenToOthers(lstatSync(artifacts))
    ? warning('Store folder', `${artifacts} is open to others${room}`, `Close it: chmod 700 ${artifacts}`)
    : ok('Store folder', `${artifacts}${room}`);
}

async function examineStore(
  workspace: Workspace,
  storage: StorageSettings,
  { env, reach, seen }: Pick<Examined, 'env' | 'reach'> & { readonly seen: Examined['seen'] },
): Promise<Finding[]> {
  const store = await storeOfFolder(workspace, storage, { env, asOwner: true, looking: true });
  if (store === null) return [];
  try {
    const { outputs, bytes, sessions, events } = await store.usage();
    const own = hasStore(workspace) ? `; ${sizeOnDisk(storeFile(workspace))}` : '';
    const size = workspace.shared === null ? own : ', of this workspace';
    const held = `${pluralize(outputs, 'output')} with ${formatBytes(bytes)}, ${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}${size}`;
    return [ok('Store', held), await readBackFinding(store, workspace.scope, reach, seen)];
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [
      failure(
        'Store',
        error.message,
        `Restore ${shownStore(workspace)} from a backup, or move it away to begin anew.`,
      ),
    ];
  } finally {
    await store.close();
  }
}

function examineCopies({ artifacts }: Workspace, { maxCopyBytes, maxCopiesBytes }: CopyLimits): Finding {
  const { copies, bytes } = copyUsage(artifacts);
  const bound = maxCopyBytes === 0 ? 'turned off' : `at most ${formatBytes(maxCopiesBytes)}`;
  return ok('Plain copies', `${pluralize(copies, 'file')} with ${formatBytes(bytes)}, ${bound}`);
}

function sizeOnDisk(file: string): string {
  const { database, largeParts } = storeSize(file);
  const beside = largeParts === 0 ? '' : `, large parts beside it ${formatBytes(largeParts)}`;
  return `the file has ${formatBytes(database)}${beside}`;
}

async function readBackFinding(
  store: Parameters<typeof readBack>[0],
  scope: string,
  reach: Examined['reach'],
  seen: Examined['seen'],
): Promise<Finding> {
  const { read, bytes, damaged } = await readBack(store, scope, reach, seen);
  const what = `${pluralize(read, 'output')} (${formatBytes(bytes)}) read back`;
  if (damaged.length === 0)
    return ok(
      'Content',
      `${what}, all as they were stored${reach === 'newest' ? '; --deep reads everything' : ''}`,
    );
  return failure(
    'Content',
    `${what}, damaged: ${damaged.slice(0, 5).join(', ')}${damaged.length > 5 ? ' …' : ''}`,
    'The disk or somebody changed the file: restore it from a backup; other outputs can be fetched as before.',
  );
}

function optional(name: string, what: string): Finding {
  const here = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  try {
    here.resolve(name);
    return ok(`Package ${name}`, `there, for ${what}`);
  } catch {
    return ok(`Package ${name}`, `not there; ${what} needs it`);
  }
}

// Limits above what an agent passes on: they are lowered to that, and the finding says so.

function examineLimits(folders: AgentFolders, config: Config | null): readonly Finding[] {
  const target = HOOK_TARGETS['claude-code'];
  if (config === null || target === undefined) return [];
  const files = Object.values(filesOf(target, folders)).filter((file) => existsSync(file));
  if (!files.some((file) => isHooked(file, target))) return [];
  const settings = new Settings(knownNames());
  applyLayers(settings, config.layers);
  return Object.entries(MOST_CHARS).flatMap(([tool, most]) => {
    const { policy, origins } = settings.effective(tool);
    if (policy.inlineLimit <= most) return [];
    return warning(
      'Limits in Claude Code',
      `inline_limit of ${tool} (${formatCount(policy.inlineLimit)}, from ${origins.inlineLimit.source}) is above the ${formatCount(most)} chars that Claude Code passes on: ${formatCount(most)} apply`,
      `Set at most that: spillway config set inline_limit ${most} --tool ${tool}`,
    );
  });
}

function isHooked(file: string, target: NonNullable<(typeof HOOK_TARGETS)[string]>): boolean {
  try {
    return installedCommands(file, target).length > 0;
  } catch {
    // examineHooks reports a file that cannot be read.
    return false;
  }
}

/**
 * Which agents have our hook in their settings, and whether what it starts is still there. Nothing
 * is run: `spillway hook try` does that.
 */
function examineHooks(folders: AgentFolders): readonly Finding[] {
  return Object.values(HOOK_TARGETS).flatMap((target) =>
    [...new Set(Object.values(filesOf(target, folders)))]
      .filter((file) => existsSync(file))
      .flatMap((file) => findingsOf(file, target, folders)),
  );
}

function findingsOf(file: string, target: HookTarget, { env }: AgentFolders): readonly Finding[] {
  const name = `Hook in ${target.title}`;
  try {
    return installedCommands(file, target).map((installed) => {
      const { script } = installed;
      const missing = missingOf(installed, env);
      if (missing === null && (script === undefined || existsSync(script))) return ok(name, file);
      const what =
        script !== undefined && !existsSync(script)
          ? `names the script ${script}, which is not there: ${target.title} cannot run commands`
          : `starts ${missing}, which is not there: results pass as they are`;
      const fix = `Put it in again: spillway hook install --agent ${target.format.agent}`;
      return failure(name, `${file} ${what}`, fix);
    });
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return [warning(name, error.message, 'Correct the file: the agent may not read it either.')];
  }
}

/** What a command needs and is not there: its program, a file that it names in full, its plugin. */
function missingOf({ command, missing }: InstalledCommand, env: AgentFolders['env']): string | null {
  const words = shellWords(command);
  // Only a shell can judge a line that is more than words, such as a pipe.
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
  return names.some(isExecutable);
}

// Which MCP servers of clients run behind the gateway, file by file.

function examineServers(folders: ClientFolders): readonly Finding[] {
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
