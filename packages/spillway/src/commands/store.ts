/** `spillway store`: which store a workspace uses, and the upkeep of it. */

import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { copyStore, type StoreCopy } from '@spillway/core/history';
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { originOf, trustStore, vacuumStore } from '@spillway/core/store/sqlite';
import { isOwn } from '../accounts.ts';
import { loadConfig } from '../config/load.ts';
import { homeOf } from '../config/locations.ts';
import type { StorageSettings } from '../config/storage.ts';
import { type ReadBack, readBack } from '../doctor/read-back.ts';
import { inSnakeCase } from '../fields.ts';
import {
  findWorkspace,
  hasStore,
  otherFolders,
  shownStore,
  storeFile,
  type Workspace,
} from '../find-workspace.ts';
import { type Command, type Given, JSON_FLAG, usageError } from '../flags.ts';
import { keepMemorySmall } from '../memory.ts';
import { sourcesOf, storeLocation, storeOf } from '../open.ts';
import { answer, tell } from '../output.ts';
import { ownFolders, registryOf } from '../own-folders.ts';
import { withProgress } from '../progress.ts';
import { addressOf, isShared, refuseOtherAddress } from '../shared-store.ts';
import { withStore } from './artifacts/reading.ts';

export const status: Command = {
  details: {
    summary: 'Show which store this workspace uses, and whether one is there that is not trusted.',
    flags: [JSON_FLAG],
    examples: ['spillway store status', 'spillway store status --json'],
  },
  async run(given) {
    const { workspace } = await here();
    const state = stateOf(workspace);
    const { root, foreign, stores, scope, notices } = workspace;
    const store = stores ? shownStore(workspace) : null;
    const also = otherFolders(workspace, process.env).map((one) => ({
      store: storeFile(one),
      scope: one.scope,
    }));
    const lines = [
      `Workspace: ${root}\nStore: ${store ?? 'none'} (${state})`,
      ...also.map((one) => `Also read: ${one.store} (${one.scope})`),
      ...(state === 'shared' ? [`Scope: ${scope}`] : []),
      ...notices,
    ];
    const facts = { workspace: root, state, store, scope, also, foreign, notices };
    await answer(given, facts, `${lines.join('\n')}\n`);
  },
};

async function here(): Promise<{ readonly workspace: Workspace; readonly storage: StorageSettings }> {
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), process.env), passOver: true });
  return { storage, workspace: findWorkspace(process.cwd(), process.env, storage) };
}

/**
 * `named`: the user named its folder. `own`: this user made it. `foreign`: another one is there,
 * and is not used. `shared`: it is on a server.
 */
type State = 'none yet' | 'own' | 'named' | 'foreign' | 'shared';

function stateOf(workspace: Workspace): State {
  const file = storeFile(workspace);
  if (workspace.shared !== null) return 'shared';
  if (workspace.foreign !== null) return 'foreign';
  if (!existsSync(file)) return 'none yet';
  return workspace.registry !== null && originOf(file, workspace.registry) === 'own' ? 'own' : 'named';
}

/** Everything in the store is checked first; if anything is not as Spillway writes it, it stays foreign. */
export const trust: Command = {
  details: {
    summary: 'Check a store that was made elsewhere, and use it from now on.',
    flags: [JSON_FLAG],
    examples: ['spillway store trust', 'spillway store trust --json'],
  },
  async run(given) {
    const { env } = process;
    const { workspace } = await here();
    const { root, foreign: file } = workspace;
    if (file === null) return nothingToTrust(given, workspace.believed ? null : root);
    if (existsSync(file) && !isOwn(file))
      throw usageError(
        `${file} belongs to another account, which could change it at any time: make a copy of your own in its place, then try again.`,
        'store trust',
      );
    const { outputs, bytes } = await trustStore({
      file,
      within: root,
      registry: registryOf(ownFolders(env, homeOf(env))),
    });
    await answer(
      given,
      { store: file, trusted: true, outputs, bytes },
      `Checked ${pluralize(outputs, 'output')} with ${formatBytes(bytes)}. ${file} is used from now on.\n`,
    );
    tell(`What was stored meanwhile stays in ${storeFile(workspace)}.`);
  },
};

async function nothingToTrust(given: Given, stranger: string | null): Promise<void> {
  if (stranger !== null)
    throw usageError(
      `The workspace ${stranger} belongs to another account. If you trust that account, set SPILLWAY_SAFE_WORKSPACES=${stranger}`,
      'store trust',
    );
  await answer(given, { store: null, trusted: false }, 'There is no store here that is not trusted.\n');
}

/** Also tells if the store's log is gone. Changes nothing. */
export const verify: Command = {
  details: {
    summary: 'Read everything that is stored of this workspace, and compare it with its checksums.',
    flags: [JSON_FLAG],
    examples: ['spillway store verify', 'spillway store verify --json'],
  },
  async run(given) {
    return withStore(async ({ workspace }, store) => {
      const missing = missingLog(workspace);
      if (missing !== null)
        tell(
          `spillway: ${missing} was removed while the store was in use: outputs that were stored last may be missing.`,
        );
      let seen = 0;
      const found = await withProgress(
        { line: () => `Reading: ${formatBytes(seen)}`, quiet: given.has('json') },
        (progress) =>
          readBack(store, workspace.scope, 'everything', (bytes) => {
            seen += bytes;
            progress.step();
          }),
      );
      await answer(given, found, readBackInWords(found));
      return found.damaged.length === 0 && missing === null ? 0 : 1;
    });
  },
};

/**
 * The log of the store, if it is gone although its index is there: SQLite removes the index first.
 * Looked at before the store is opened, which makes both anew.
 */
function missingLog(workspace: Workspace): string | null {
  const file = storeFile(workspace);
  const size = statSync(`${file}-shm`, { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 && !existsSync(`${file}-wal`) ? `${file}-wal` : null;
}

function readBackInWords({ read, bytes, damaged }: ReadBack): string {
  const what = `Read ${pluralize(read, 'output')} with ${formatBytes(bytes)}`;
  return damaged.length === 0
    ? `${what}: all as they were stored.\n`
    : `${what}. Damaged: ${damaged.join(', ')}\nRestore the store from a backup; all others can be fetched as before.\n`;
}

/** What a killed process left is not referred to. Safe while others use the store. */
export const vacuum: Command = {
  details: {
    summary: 'Remove what nothing in the store refers to any more, and give its room back.',
    flags: [{ name: 'dry-run', doc: 'Only say what would go.' }, JSON_FLAG],
    examples: ['spillway store vacuum --dry-run', 'spillway store vacuum'],
  },
  async run(given) {
    const { workspace } = await here();
    const isPreview = given.has('dry-run');
    let line = 'Looking';
    const removed = await withProgress({ line: () => line, quiet: given.has('json') }, async (progress) =>
      vacuumed(workspace, isPreview, (now) => {
        line = now;
        progress.step();
      }),
    );
    const facts = { store: shownStore(workspace), ...(inSnakeCase(removed) as Removed), dry_run: isPreview };
    await answer(given, facts, removedInWords(removed, workspace, isPreview));
  },
};

interface Removed {
  readonly contents: number;
  readonly bytes: number;
  readonly citations: number;
  /** Bytes that the disk has back; of a server that is its own matter. */
  readonly fileBytes: number;
}

const NOTHING: Removed = { contents: 0, bytes: 0, citations: 0, fileBytes: 0 };

async function vacuumed(
  workspace: Workspace,
  isPreview: boolean,
  onStep: (line: string) => void,
): Promise<Removed> {
  const preview = isPreview ? { preview: true as const } : {};
  if (!hasStore(workspace) || !workspace.stores) return NOTHING;
  if (workspace.shared === null) {
    const step = (free: number) => onStep(`Giving back ${formatBytes(free)}`);
    const done = await vacuumStore({ ...storeLocation(workspace), ...preview, onStep: step });
    return { ...NOTHING, ...done };
  }
  const { vacuumServer } = await import('../stores/postgres/vacuuming.ts');
  const done = await vacuumServer({
    connectionString: addressOf(workspace.shared),
    ...preview,
    onStep: ({ contents, bytes }) =>
      onStep(`Removed ${pluralize(contents, 'content')}, ${formatBytes(bytes)}`),
  });
  return { ...NOTHING, ...done };
}

function removedInWords(
  { contents, bytes, citations, fileBytes }: Removed,
  workspace: Workspace,
  isPreview: boolean,
): string {
  const shown = shownStore(workspace);
  if (contents === 0 && citations === 0 && fileBytes === 0)
    return `Nothing to remove: everything in ${shown} is referred to.\n`;
  const what = [
    `${pluralize(contents, 'content')} (${formatBytes(bytes)}) that nothing refers to`,
    ...(citations === 0 ? [] : [`${pluralize(citations, 'citation')} of outputs that are gone`]),
  ].join(' and ');
  const room = fileBytes === 0 ? '' : ` ${isPreview ? 'About ' : ''}${formatBytes(fileBytes)} of the file`;
  const back = room === '' ? '' : `${room}${isPreview ? ' would be given back.' : ' were given back.'}`;
  return `${isPreview ? 'Would remove' : 'Removed'} ${what} from ${shown}.${back}\n`;
}

/** By hand, for a server whose usual role may not make tables. Safe while others use the store. */
export const migrate: Command = {
  details: {
    summary: 'Make the tables of a store, or bring them up to date.',
    flags: [
      { name: 'to', value: 'STORE', doc: 'Which store, with a role that may (default: the configured one).' },
      {
        name: 'tenants',
        value: 'ROLES',
        doc: 'Keep tenants apart by row-level security: the roles of these, with commas between them. They exist already.',
      },
      JSON_FLAG,
    ],
    examples: [
      'spillway store migrate',
      'spillway store migrate --to postgres://admin@db.example.com/agents',
      'spillway store migrate --to postgres://admin@db.example.com/agents --tenants payments,search',
    ],
  },
  async run(given) {
    const { store, shown, address } = await namedStore(given.value('to'), 'configured', 'store migrate');
    const tenants = rolesOf(given, address);
    try {
      if (address === null) await store.sessions({ limit: 1 });
      else {
        const { migrateServer } = await import('../stores/postgres/migrating.ts');
        await migrateServer({ connectionString: address }, tenants);
      }
    } finally {
      await store.close();
    }
    const apart = tenants.length === 0 ? '' : ` Tenants kept apart: ${tenants.join(', ')}.`;
    await answer(given, { store: shown, tenants }, `${shown} is up to date.${apart}\n`);
  },
};

function rolesOf(given: Given, address: string | null): readonly string[] {
  const named = given.value('tenants');
  if (named === undefined) return [];
  const roles = named.split(',').map((role) => role.trim());
  if (address !== null && !roles.includes('')) return roles;
  throw usageError(
    'Tenants are roles of a PostgreSQL server: name the server with --to, and at least one role.',
    'store migrate',
  );
}

/** Run again, it goes on where it was interrupted. The first store is not changed. */
export const copy: Command = {
  details: {
    summary: 'Copy everything of this workspace into another store, and compare it there.',
    flags: [
      {
        name: 'from',
        value: 'STORE',
        doc: 'The store to read: a folder or postgres://… (default: the one in the workspace).',
      },
      { name: 'to', value: 'STORE', doc: 'The store to fill (default: the one that settings name).' },
      JSON_FLAG,
    ],
    examples: [
      'spillway store copy --to postgres://spillway@db.example.com/agents',
      'spillway store copy --from postgres://spillway@db.example.com/agents --to /backup/spillway',
    ],
  },
  async run(given) {
    keepMemorySmall();
    const from = await namedStore(given.value('from'), 'embedded', 'store copy');
    const to = await namedStore(given.value('to'), 'configured', 'store copy');
    try {
      if (from.shown === to.shown)
        throw usageError('Both are the same store. Name another with --from or --to.', 'store copy');
      let done: StoreCopy | null = null;
      const line = () =>
        done === null ? 'Copying' : `Copied ${pluralize(done.outputs, 'output')}, ${formatBytes(done.bytes)}`;
      const copy = await withProgress({ line, quiet: given.has('json') }, (progress) =>
        copyStore(from.store, to.store, {
          scope: scopeChange(from.scope, to.scope),
          onOutput(progressed) {
            done = progressed;
            progress.step();
          },
        }),
      );
      await answer(
        given,
        { from: from.shown, to: to.shown, ...copy },
        copyInWords(copy, from.shown, to.shown),
      );
      return copy.damaged.length === 0 ? 0 : 1;
    } finally {
      await Promise.all([from.store.close(), to.store.close()]);
    }
  },
};

function copyInWords(copy: StoreCopy, from: string, to: string): string {
  const { outputs, known, bytes, messages, events, damaged } = copy;
  const before = known === 0 ? '' : `, ${known.toLocaleString('en')} of them there before`;
  const copied = `Copied and compared ${pluralize(outputs, 'output')} with ${formatBytes(bytes)}${before}, ${pluralize(messages, 'message')} and ${pluralize(events, 'event')} from ${from} to ${to}.\n`;
  return damaged.length === 0
    ? copied
    : `${copied}Damaged in ${from}, and not copied: ${damaged.join(', ')}\n`;
}

/** The store that settings name, or the embedded one in the folder of the workspace. */
type UsualStore = 'configured' | 'embedded';

async function namedStore(named: string | undefined, usual: UsualStore, command: string) {
  const { storage } = await here();
  const workspace = workspaceOf(named, usual, storage);
  if (usual === 'embedded' && !hasStore(workspace))
    throw new SpillwayError('not_found', `There is no store to read: ${shownStore(workspace)} is not there.`);
  const store = await storeOf(workspace, storage);
  if (store === null) throw usageError(`No outputs can be stored in ${shownStore(workspace)}.`, command);
  // With the password of the server; null for an embedded store. Never shown.
  const address = workspace.shared === null ? null : addressOf(workspace.shared);
  return { store, shown: shownStore(workspace), scope: workspace.scope, address };
}

function workspaceOf(named: string | undefined, usual: UsualStore, storage: StorageSettings): Workspace {
  const { SPILLWAY_STORE: _configured, ...env } = process.env;
  if (named === undefined)
    return usual === 'configured'
      ? findWorkspace(process.cwd(), process.env, storage)
      : findWorkspace(process.cwd(), env);
  refuseOtherAddress(named);
  if (isShared(named)) return findWorkspace(process.cwd(), { ...env, SPILLWAY_STORE: named }, storage);
  const own = findWorkspace(process.cwd(), env);
  const folder = resolve(named);
  if (folder === own.root || folder === own.artifacts) return own;
  const below = join(folder, '.acode', 'artifacts');
  const artifacts = existsSync(join(below, 'store.db')) ? below : folder;
  return findWorkspace(process.cwd(), { ...env, SPILLWAY_STORE: artifacts }, storage);
}

/** What scopes of one store are called in another; null for those of other workspaces. */
function scopeChange(from: string, to: string): (scope: string) => string | null {
  return (scope) =>
    scope === from || scope.startsWith(`${from}:`) ? `${to}${scope.slice(from.length)}` : null;
}
