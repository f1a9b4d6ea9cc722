/**
 * Where the outputs of a folder lie, for the program, hooks and stdio gateways of one user. A folder is
 * known by its real path. New outputs go to one place:
 *
 * 1. the store that the user named: SPILLWAY_STORE, or `spillway.store` in the user's own file. One on
 *    a server takes the place of all others; then only plain copies lie here;
 * 2. else `.acode/artifacts` of the workspace, which is the nearest folder upwards with `.acode` or
 *    `.git`. Where there is none, the program and hooks make the folder itself one. A gateway, which
 *    clients start anywhere, uses the user's data folder instead;
 * 3. where that store cannot be written, or is foreign, a folder below the user's data folder, and
 *    this is said. A repository can bring a database, or something else under one of its names, and
 *    another account can leave one: it is not opened before `spillway store trust` has checked it.
 *
 * Handles are looked up in all places of the second and third kind, by the scopes that the folder
 * and the root of its workspace have there. So a handle is still found after `git init` or
 * `config set`, and another folder does not find it. A store that the user named stands alone.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileName, fileWord, Sha256 } from '@spillway/core/store';
import { originOf, storeObstacle } from '@spillway/core/store/sqlite';
import { isBelievedOwner, isNamedSafe, isOwn } from './accounts.ts';
import { homeOf } from './config/locations.ts';
import { isWritable, nearest, ownFolders, registryOf, writableFolder } from './own-folders.ts';
import {
  isShared,
  refuseOtherAddress,
  type SharedSettings,
  type SharedStore,
  sharedStore,
} from './shared-store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An embedded store, and who may fetch what from it. */
export interface StoreFolder {
  /** The root of the workspace that it serves. */
  readonly root: string;
  /** The folder of the embedded store and of plain copies. */
  readonly artifacts: string;
  /** Whether that is a folder of the workspace itself, where a repository may have put anything. */
  readonly inside: boolean;
  /**
   * Who may fetch what this workspace stored. A store inside the workspace moves with it; one
   * elsewhere may serve several.
   */
  readonly scope: string;
  /**
   * The folders with the marks of the stores that this user made; null where the place itself is
   * the user's word.
   */
  readonly registry: readonly string[] | null;
}

/** A workspace, and where its outputs are kept. */
export interface Workspace extends StoreFolder {
  /** The folder that was looked from, by its real path. */
  readonly folder: string;
  /** The store on a server, if the user named one: then no embedded one is used. */
  readonly shared: SharedStore | null;
  /** Whether the user named the store. */
  readonly named: boolean;
  /** Whether the settings in it may be believed: false where another account owns it. */
  readonly believed: boolean;
  /** The store that is not used: somebody else may have made it, or what lies in its place. */
  readonly foreign: string | null;
  /** False where no folder of the user takes outputs: then nothing is stored. */
  readonly stores: boolean;
  /** What the user should know of all this, a sentence or two each. */
  readonly notices: readonly string[];
}

/** Where a face stores that was started outside of any workspace. */
type Outside = 'here' | 'data folder';

/** The workspace of a folder, by the user's file; SPILLWAY_STORE is stronger. */
export function findWorkspace(
  from: string,
  env: Environment,
  settings: SharedSettings = {},
  outside: Outside = 'here',
): Workspace {
  const store = env.SPILLWAY_STORE || settings.store;
  refuseOtherAddress(store);
  if (!isShared(store)) return embeddedWorkspace(from, env, store, outside);
  // Plain copies stay in a folder of this machine; what is stored does not.
  const local = embeddedWorkspace(from, env, undefined, outside);
  const shared = sharedStore(local.root, env, settings);
  const notices = local.foreign === null ? local.notices : [];
  return { ...local, inside: false, shared, scope: shared.scope, foreign: null, stores: true, notices };
}

/** Whether there is something to look at: looking never makes a store where there is none. */
export function hasStore(workspace: Workspace): boolean {
  return workspace.shared !== null || existsSync(storeFile(workspace));
}

/** Where what is stored lies, for people. */
export function shownStore(workspace: Workspace): string {
  return workspace.shared?.shown ?? storeFile(workspace);
}

function embeddedWorkspace(
  from: string,
  env: Environment,
  given: string | undefined,
  outside: Outside,
): Workspace {
  const { folder, root, marked, believed, stranger } = findRoot(from, env);
  const folders = ownFolders(env, homeOf(env));
  const store = given ?? (marked || outside === 'here' ? undefined : writableFolder(folders));
  const named = given !== undefined;
  const about = { folder, root, named, believed, foreign: null, stores: true, shared: null };
  const passedOver =
    believed && stranger !== null
      ? [
          `${stranger} is marked as a workspace by another account, and is passed over.${howToBelieve(stranger)}`,
        ]
      : [];
  // A folder in full is the user's word. A relative one is a folder of whatever workspace this is.
  if (store !== undefined && isAbsolute(store)) {
    const scope = scopeOf(root);
    return { ...about, artifacts: store, inside: false, scope, registry: null, notices: passedOver };
  }
  const artifacts = store === undefined ? join(root, '.acode', 'artifacts') : resolve(root, store);
  const why = whyNotInside({ root, believed, artifacts, registry: registryOf(folders) }, env);
  if (why === null) {
    const scope = store === undefined ? 'workspace' : scopeOf(root);
    const registry = registryOf(folders);
    return { ...about, artifacts, inside: true, scope, registry, notices: passedOver };
  }
  const data = writableFolder(folders);
  const instead = data === undefined ? null : join(data, 'workspaces', folderNameOf(root));
  return {
    ...about,
    artifacts: instead ?? artifacts,
    inside: false,
    scope: scopeOf(root),
    registry: null,
    foreign: why.foreign,
    stores: instead !== null,
    notices: [...passedOver, `${why.sentence} ${keptIn(instead)}${why.fix}`],
  };
}

/** Where else outputs of the folder were stored. Nothing is made; only what is there is named. */
export function otherFolders(workspace: Workspace, env: Environment): readonly StoreFolder[] {
  const { shared, folder, root, artifacts, scope, named } = workspace;
  if (shared !== null) return [];
  const scopes = [...new Set([folder, root])].filter(existsSync);
  const own: StoreFolder = workspace;
  const folders = named
    ? scopes.map((one) => ({ ...own, scope: scopeOf(one) }))
    : [
        ...insideFolder(workspace, env),
        ...ownFolders(env, homeOf(env)).flatMap((data) =>
          scopes.flatMap((one) => [
            aside(root, data, one),
            aside(root, join(data, 'workspaces', folderNameOf(one)), one),
          ]),
        ),
      ];
  return folders.filter(
    (one) => !(one.artifacts === artifacts && one.scope === scope) && existsSync(storeFile(one)),
  );
}

function aside(root: string, artifacts: string, folder: string): StoreFolder {
  return { root, artifacts, inside: false, scope: scopeOf(folder), registry: null };
}

/** The store below the root of a workspace, if it may be used. */
function insideFolder({ root, believed }: Workspace, env: Environment): readonly StoreFolder[] {
  const registry = registryOf(ownFolders(env, homeOf(env)));
  const artifacts = join(root, '.acode', 'artifacts');
  const refused = whyNotInside({ root, believed, artifacts, registry }, env) !== null;
  return refused ? [] : [{ root, artifacts, inside: true, scope: 'workspace', registry }];
}

/** The database of the embedded store. */
export function storeFile({ artifacts }: Pick<Workspace, 'artifacts'>): string {
  return join(artifacts, 'store.db');
}

interface NotInside {
  readonly sentence: string;
  readonly fix: string;
  readonly foreign: string | null;
}

interface StoreLocation {
  readonly root: string;
  readonly believed: boolean;
  readonly artifacts: string;
  readonly registry: readonly string[];
}

function whyNotInside(
  { root, believed, artifacts, registry }: StoreLocation,
  env: Environment,
): NotInside | null {
  if (!believed)
    return {
      sentence: `The workspace ${root} belongs to another account: its settings and its store are not used.`,
      fix: howToBelieve(root),
      foreign: null,
    };
  if (!isNamedSafe(root, env) && !isOwn(nearest(artifacts)))
    return { sentence: `The workspace ${root} belongs to another account.`, fix: '', foreign: null };
  const file = storeFile({ artifacts });
  // A link or a folder in its place would else keep anything from being stored.
  const obstacle = storeObstacle({ file, within: root, registry });
  if (obstacle !== null) return { sentence: obstacle, fix: '', foreign: file };
  const origin = originOf(file, registry);
  if (origin === 'absent' && !isWritable(artifacts))
    return { sentence: `${artifacts} cannot be written.`, fix: '', foreign: null };
  if (origin !== 'foreign') return null;
  return {
    sentence: `The store ${file} was made elsewhere, by somebody else or by an earlier version: it is not used.`,
    fix: ' If you trust it: spillway store trust',
    foreign: file,
  };
}

function keptIn(folder: string | null): string {
  return folder === null
    ? 'No folder of yours takes outputs, so nothing is stored: set SPILLWAY_STORE to one.'
    : `Outputs are kept in ${folder}.`;
}

function howToBelieve(folder: string): string {
  return ` If you trust it, set SPILLWAY_SAFE_WORKSPACES=${folder}`;
}

function scopeOf(root: string): string {
  return `workspace:${realpathSync(root)}`;
}

/** One folder for each workspace, told apart by its whole path and found by its name. */
function folderNameOf(root: string): string {
  const hash = new Sha256().update(realpathSync(root)).digest();
  return fileName`${fileWord(basename(root), 30)}-${fileWord(hash, 16)}`;
}

// Where the workspace is: the nearest folder upwards that has `.acode` or `.git`, else the current
// one. A mark that another account of this machine owns does not count, as with git's
// `safe.directory`: whoever can write to a folder above ours (`/tmp`) could else take our outputs
// and give us settings.

/** A folder that was found, and whether what lies in it may be believed. */
export interface FoundRoot {
  /** Where it was looked from, by its real path. */
  readonly folder: string;
  readonly root: string;
  /** Whether there is a workspace at all; programs without one are started anywhere. */
  readonly marked: boolean;
  /**
   * False where another account owns the workspace: nothing in it is read, nothing is written to
   * it.
   */
  readonly believed: boolean;
  /** The folder whose mark belongs to another account, if there was one. */
  readonly stranger: string | null;
}

export function findRoot(from: string, env: Environment): FoundRoot {
  const folder = realFolder(from);
  const { root, stranger } = markedAbove(folder, env);
  // In a folder of somebody else, what is found there is theirs; in a folder of ours, their mark
  // above it is passed over.
  if (stranger !== null && !isOwn(folder))
    return { folder, root: stranger, marked: root !== null, believed: false, stranger };
  return { folder, root: root ?? folder, marked: root !== null, believed: true, stranger };
}

/** One folder is one folder, whatever links lead to it. */
function realFolder(from: string): string {
  const path = resolve(from);
  return existsSync(path) ? realpathSync(path) : path;
}

function markedAbove(from: string, env: Environment): { root: string | null; stranger: string | null } {
  let stranger: string | null = null;
  for (let folder = from; ; folder = dirname(folder)) {
    const marks = ['.acode', '.git'].map((name) => join(folder, name)).filter((path) => existsSync(path));
    if (marks.length > 0) {
      if (isNamedSafe(folder, env) || marks.every((mark) => isBelievedOwner(mark, env)))
        return { root: folder, stranger };
      stranger ??= folder;
    }
    if (folder === dirname(folder)) return { root: null, stranger };
  }
}
