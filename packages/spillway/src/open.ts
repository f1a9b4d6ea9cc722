/**
 * Spillway with its batteries: settings from files and variables, the embedded store of the
 * workspace, RE2 patterns and plain copies. What `@spillway/core` takes as interfaces is chosen
 * here.
 */

import {
  type Agent,
  type AgentOptions,
  type FetchHint,
  type LedgerEvent,
  memoryStore,
  openAgent as openCoreAgent,
  Spillway,
  SpillwayError,
  type SpillwayOptions,
  type Store,
} from '@spillway/core';
import type { ShapeName } from '@spillway/core/history';
import { didYouMean, type Settings } from '@spillway/core/plugin';
import { randomBytes } from '@spillway/core/store';
import { type SqliteStoreOptions, sqliteStore } from '@spillway/core/store/sqlite';
import { applyLayers, type Config, loadConfig, passedOverNotice } from './config/load.ts';
import { type ConfigSources, homeOf } from './config/locations.ts';
import type { Reloading } from './config/reload.ts';
import type { StorageSettings } from './config/storage.ts';
import { defined } from './fields.ts';
import {
  findRoot,
  findWorkspace,
  hasStore,
  otherFolders,
  type StoreFolder,
  storeFile,
  type Workspace,
} from './find-workspace.ts';
import { folderStore, ownerStore, type Shelf } from './folder-store.ts';
import type { Observers } from './observe/observers.ts';
import { jsonPaths } from './paths.ts';
import { re2Patterns } from './patterns.ts';
import { type CopyLimits, DEFAULT_COPY_LIMITS, PlainCopies } from './plain-copies.ts';
import { warnOnce } from './sentences.ts';
import { addressOf } from './shared-store.ts';

/** What to open, and how. */
export interface OpenOptions extends Pick<SpillwayOptions, 'strategies' | 'formats' | 'dialects'> {
  /** A folder of the workspace. Default: the current one. */
  readonly workspace?: string;
  /** Another store than the embedded one; null stores nothing. */
  readonly store?: Store | null;
  /** How the reader fetches more. Default: the model's tool `get_artifact`. */
  readonly hint?: FetchHint;
  /** Whether plain copies are written for readers that have file tools. Default: true. */
  readonly plainCopies?: boolean;
  /** Throws where an output cannot be stored, instead of answering. Default: false. */
  readonly strict?: boolean;
  /**
   * Where outputs are kept if the folder lies in no workspace: in it (default), or in the data
   * folder of the user.
   */
  readonly outside?: 'here' | 'data folder';
  /**
   * Whether the embedded store works in a thread of its own, so that the disk never holds up the
   * caller. Default: false.
   */
  readonly thread?: boolean;
  /** Bytes after which an endless output is cut off. Default: 2 GiB. */
  readonly maxCapture?: number;
  /**
   * Whether files with settings are watched, for hosts that run long: a valid change applies to the
   * next call. `close` ends it. How outputs are stored stays as it was when the store was opened.
   * Default: false.
   */
  readonly watch?: boolean;
  /**
   * Told when a changed configuration is not valid; the last good one stays. Default: a warning of
   * the process.
   */
  readonly onConfigError?: (error: Error) => void;
  /**
   * For hosts that run long: the port of `/metrics` for Prometheus; 0 is any that is free. Default:
   * SPILLWAY_METRICS_PORT, or none.
   */
  readonly metricsPort?: number;
  /** Told of everything that goes into the ledger, as it happens. */
  readonly onEvent?: (event: LedgerEvent) => void;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
  /** @internal What is asked for the workspace covers all that is stored for it: for its owner. */
  readonly asOwner?: true;
  /** @internal Only to look: no store is made where there is none. */
  readonly looking?: true;
  /** The variables to read. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Spillway with its batteries, opened for a workspace. */
export interface Opened {
  /** Records, projects and fetches. */
  readonly spillway: Spillway;
  /** What it stores in; null where nothing is stored. */
  readonly store: Store | null;
  /** The folder, and who may fetch what is stored for it. */
  readonly workspace: Workspace;
  /** Plain copies of cut texts, for agents with file tools. */
  readonly copies: PlainCopies;
  /** What was read from files and variables when it was opened. */
  readonly config: Config;
}

/**
 * Opens Spillway for a workspace. Nothing is written before the first output is; nothing is opened
 * on settings of the user that are not valid; files of the workspace that are not are passed over.
 */
export async function open(options: OpenOptions = {}): Promise<Opened> {
  refuseUnknown(options);
  refuseOldNode(process.versions.node);
  const env = options.env ?? process.env;
  const from = options.workspace ?? process.cwd();
  const sources = sourcesOf(from, env);
  const config = await loadConfig({ ...sources, passOver: true });
  const workspace = findWorkspace(from, env, config.storage, options.outside);
  for (const sentence of [
    ...workspace.notices,
    ...config.notices,
    ...config.passedOver.map(passedOverNotice),
  ])
    warnOnce(sentence);
  const store =
    options.store === undefined ? await storeOfFolder(workspace, config.storage, options) : options.store;
  const copies = new PlainCopies(workspace.artifacts, copyLimits(config.storage), workspace.root);
  const observers = await observing(env, options);
  const { hint, strategies, formats, dialects, strict, clock, maxCapture } = options;
  const { retention, maxAgeDays } = config.storage;
  const spillway = new WatchedSpillway({
    store,
    patterns: re2Patterns,
    paths: jsonPaths(),
    ownPatterns: config.own,
    random: randomBytes,
    ...defined({ hint, strategies, formats, dialects, strict, clock, maxCapture, retention, maxAgeDays }),
    ...(options.plainCopies === false ? {} : { plainCopies: copies }),
    onEvent(event) {
      observers?.note(event);
      options.onEvent?.(event);
    },
  });
  spillway.observers = observers;
  const notValid = applyLayers(spillway.settings, config.layers);
  if (notValid !== null) warnOnce(passedOverNotice(notValid));
  if (options.watch === true) {
    const { reloadOnChange } = await import('./config/reload.ts');
    spillway.reloading = reloadOnChange(sources, config, spillway, options.onConfigError);
  }
  const passedOver = notValid === null ? config.passedOver : [...config.passedOver, notValid];
  return { spillway, store, workspace, copies, config: { ...config, passedOver } };
}

/** Every option, to tell a typing error from an option. */
const OPTIONS: readonly string[] = `workspace store strategies formats dialects hint plainCopies strict
  outside thread maxCapture watch onConfigError metricsPort onEvent clock asOwner looking env`.split(/\s+/);

/** Refuses a name that is neither an option of `open` nor one of `more`. */
function refuseUnknown(options: object, more: readonly string[] = []): void {
  if (typeof options !== 'object')
    throw new SpillwayError('invalid_argument', 'Give the options as an object.');
  const names = [...OPTIONS, ...more];
  for (const name of Object.keys(options))
    if (!names.includes(name))
      throw new SpillwayError('invalid_argument', `\`${name}\` is not an option.${didYouMean(name, names)}`);
}

/** Without the SQLite of Node everything would be shown, and nothing stored. */
function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 13))
    throw new SpillwayError(
      'unsupported',
      `Spillway needs Node 22.13 or newer; this is Node ${version}. Update Node, and run it again.`,
    );
}

/** Who else is told what happens; null if nobody is. Loaded only then. */
async function observing(
  env: Readonly<Record<string, string | undefined>>,
  { watch, metricsPort }: OpenOptions,
): Promise<Observers | null> {
  const stay = watch === true || metricsPort !== undefined ? 'long' : 'short';
  if (stay === 'short' && (env.SPILLWAY_LOG ?? '') === '') return null;
  const { observersOf } = await import('./observe/observers.ts');
  return observersOf(
    metricsPort === undefined ? env : { ...env, SPILLWAY_METRICS_PORT: `${metricsPort}` },
    stay,
  );
}

/** Closing it also ends the watch over its settings. */
class WatchedSpillway extends Spillway {
  reloading: Reloading | null = null;
  observers: Observers | null = null;

  override async close(): Promise<void> {
    await this.reloading?.stop();
    await super.close();
    await this.observers?.close();
  }
}

export function sourcesOf(from: string, env: Readonly<Record<string, string | undefined>>): ConfigSources {
  const { root, believed } = findRoot(from, env);
  return { workspace: root, believed, env, home: homeOf(env) };
}

/** Turned off, nothing is written any more; copies that are there still go with their outputs. */
export function copyLimits({
  plainCopies = true,
  maxCopyBytes = DEFAULT_COPY_LIMITS.maxCopyBytes,
  maxCopiesBytes = DEFAULT_COPY_LIMITS.maxCopiesBytes,
}: StorageSettings): CopyLimits {
  return { maxCopyBytes: plainCopies ? maxCopyBytes : 0, maxCopiesBytes };
}

/** All that was stored for the folder, as one store; null where nothing can be stored. */
export async function storeOfFolder(
  workspace: Workspace,
  storage: StorageSettings,
  // Not picked by name: internal options are not in the published types.
  options: Pick<OpenOptions, 'clock' | 'thread' | 'env'> & {
    readonly asOwner?: true;
    readonly looking?: true;
  } = {},
): Promise<Store | null> {
  const isThere = options.looking !== true || hasStore(workspace);
  const own = isThere ? await storeOf(workspace, storage, options) : memoryStore();
  if (own === null) return null;
  const seen = (store: Store, scope: string) => (options.asOwner === true ? ownerStore(store, scope) : store);
  const stores = new Map<string, Store>([[storeFile(workspace), own]]);
  const shelves = new Map<string, Shelf>();
  const shelfOf = (one: StoreFolder): Shelf => {
    const file = storeFile(one);
    const key = `${file} ${one.scope}`;
    const store = stores.get(file) ?? embeddedStore({ ...one, stores: true }, storage, options) ?? own;
    const shelf = shelves.get(key) ?? { store: seen(store, one.scope), scope: one.scope };
    stores.set(file, store);
    shelves.set(key, shelf);
    return shelf;
  };
  const { scope } = workspace;
  return folderStore({ store: seen(own, scope), scope }, () =>
    otherFolders(workspace, options.env ?? process.env).map(shelfOf),
  );
}

/** The store that the settings name. The one on a server is loaded only where it is used. */
export async function storeOf(
  workspace: Workspace,
  storage: StorageSettings,
  options: Pick<OpenOptions, 'clock' | 'thread'> = {},
): Promise<Store | null> {
  const { clock } = options;
  const { shared } = workspace;
  if (shared === null) return embeddedStore(workspace, storage, options);
  const { postgresStore } = await import('./stores/postgres/index.ts');
  const { maxBytes } = storage;
  return postgresStore({
    connectionString: addressOf(shared),
    limits: defined({ maxBytes }),
    ...defined({ clock }),
  });
}

function embeddedStore(
  workspace: StoreFolder & Pick<Workspace, 'stores'>,
  { durability, maxBytes }: StorageSettings,
  { clock, thread = false }: Pick<OpenOptions, 'clock' | 'thread'>,
): Store | null {
  if (!workspace.stores) return null;
  return sqliteStore({
    thread,
    ...storeLocation(workspace),
    limits: defined({ maxBytes }),
    ...defined({ durability, clock }),
  });
}

/** The file of a workspace's store, and what it must be to be opened. */
export function storeLocation(workspace: StoreFolder): SqliteLocation {
  const { inside, root, registry } = workspace;
  return {
    file: storeFile(workspace),
    ...(inside ? { within: root } : {}),
    ...(registry === null ? {} : { registry }),
  };
}

type SqliteLocation = Pick<SqliteStoreOptions, 'file' | 'within' | 'registry'>;

/** The names of strategies and dialects that settings may use. */
export function knownNames(): Settings['known'] {
  return new Spillway({ store: null }).settings.known;
}

/** What an agent is opened with. */
export interface OpenAgentOptions<S extends ShapeName = 'openai_chat'>
  extends OpenOptions,
    Pick<AgentOptions<S>, 'session' | 'scope' | 'shape' | 'settings' | 'about'> {
  /** The Spillway of another agent, for two that share a store. It stays open; nothing else is opened. */
  readonly spillway?: Spillway;
}

/**
 * Opens an agent's run in a workspace. Everything is kept in the workspace's store; if that cannot
 * be used, in memory. Only the session fetches what it stores, unless a `scope` is named. Plain
 * copies are written only if asked for: the model reads through `get_artifact`.
 */
export async function openAgent<S extends ShapeName = 'openai_chat'>(
  options: OpenAgentOptions<S>,
): Promise<Agent<S>> {
  const { session, scope, shape, settings, about, spillway, ...rest } = options ?? {};
  refuseUnknown(options ?? {}, ['session', 'scope', 'shape', 'settings', 'about', 'spillway']);
  const agent = { session, ...defined({ shape, settings, about }) };
  if (spillway !== undefined)
    return openCoreAgent<S>({ ...agent, ...defined({ scope }), ...rest, spillway } as AgentOptions<S>);
  const opened = await open({ plainCopies: false, ...rest });
  const used =
    opened.store === null ? await open({ plainCopies: false, ...rest, store: memoryStore() }) : opened;
  // Scopes below that of the workspace are its owner's: `spillway artifacts list` shows them.
  const ownScope = (name: string): string => `${used.workspace.scope}:${name}`;
  return openCoreAgent<S>({
    ...agent,
    scope: scope ?? ownScope,
    spillway: used.spillway,
    closes: 'spillway',
  });
}
