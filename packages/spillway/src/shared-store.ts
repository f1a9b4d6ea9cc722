/**
 * A store that several machines share, as settings name it: a `postgres://` address in
 * SPILLWAY_STORE or in the user's file. A workspace on it has a name that is the same on every
 * machine, never its path: `/app` is the same in every container. The password comes from the
 * address, from a file, or from where `pg` looks for it (PGPASSWORD, ~/.pgpass); it is never shown.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { invalid } from './config/problems.ts';
import { inWords } from './named-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of a shared store. */
export interface SharedSettings {
  readonly store?: string;
  readonly workspace?: string;
  readonly tenant?: string;
  readonly passwordFile?: string;
}

/** A shared store, and the name of the workspace on it. */
export interface SharedStore {
  /** The address as the driver takes it, without a password from a file. */
  readonly url: string;
  /** The address as people may see it. */
  readonly shown: string;
  /** The file that holds the password; null if it is in the address, or none is needed. */
  readonly passwordFile: string | null;
  /** Who may fetch what this workspace stored. */
  readonly scope: string;
}

/** What a workspace or a tenant may be called. */
export const SHARED_NAME = 'a name of at most 200 characters without blanks';

export function isSharedName(name: string): boolean {
  return /^\S{1,200}$/u.test(name);
}

export function isShared(store: string | undefined): store is string {
  return store !== undefined && /^postgres(ql)?:\/\//i.test(store);
}

/** Refuses an address of another kind of server, which would be taken for the name of a folder. */
export function refuseOtherAddress(store: string | undefined): void {
  if (store !== undefined && !isShared(store) && /^[a-z][a-z0-9+.-]+:\/\//i.test(store))
    throw invalid(
      'A store is a folder or postgres://USER@HOST:PORT/DATABASE; other addresses are not known.',
    );
}

export function sharedStore(root: string, env: Environment, settings: SharedSettings): SharedStore {
  const url = env.SPILLWAY_STORE || (settings.store ?? '');
  return {
    url,
    shown: shownAddress(url),
    passwordFile: env.SPILLWAY_PASSWORD_FILE || (settings.passwordFile ?? null),
    scope: scopeOf(root, env, settings),
  };
}

/** An address without its password and its parameters. A socket is named by its folder. */
function shownAddress(url: string): string {
  const { username, host, pathname, searchParams } = parsedAddress(url);
  const user = username || searchParams.get('user');
  const server = host || searchParams.get('host') || 'localhost';
  return `postgres://${user ? `${user}@` : ''}${server}${pathname === '/' ? '' : pathname}`;
}

/** The address with the password that the file holds. */
export function addressOf({ url, passwordFile }: SharedStore): string {
  if (passwordFile === null) return url;
  const address = parsedAddress(url);
  address.password = '';
  address.searchParams.set('password', passwordIn(passwordFile));
  return address.href;
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw invalid(
      `The file with the password of the store cannot be read (${inWords(error)}): correct spillway.password_file or SPILLWAY_PASSWORD_FILE.`,
    );
  }
}

/** Messages never repeat the address: it may hold a password. */
function parsedAddress(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw invalid(
      'The address of the store is not valid. Write postgres://USER@HOST:PORT/DATABASE, with special characters of a password written as %XX.',
    );
  }
}

function scopeOf(root: string, env: Environment, settings: SharedSettings): string {
  const tenant = named('SPILLWAY_TENANT', env) ?? settings.tenant;
  const workspace = named('SPILLWAY_WORKSPACE', env) ?? settings.workspace ?? remoteOf(root);
  if (workspace === null)
    throw invalid(
      `The store is shared, so the workspace ${root} needs a name that is the same on every machine: set SPILLWAY_WORKSPACE or spillway.workspace. (Without it, the name is that of the git remote "origin", and there is none.)`,
    );
  return `${tenant === undefined ? '' : `tenant:${tenant} `}workspace:${workspace}`;
}

function named(variable: string, env: Environment): string | undefined {
  const { [variable]: name = '' } = env;
  if (name === '') return undefined;
  if (isSharedName(name)) return name;
  throw invalid(`${variable} must be ${SHARED_NAME}.`);
}

/** The remote `origin` of a repository: host and path, whichever way it is reached. */
function remoteOf(root: string): string | null {
  let config: string;
  try {
    config = readFileSync(join(gitFolder(root), 'config'), 'utf8');
  } catch {
    return null;
  }
  const section = /^\[remote "origin"\]\s*$([^[]*)/m.exec(config)?.[1] ?? '';
  const url = /^[ \t]*url[ \t]*=[ \t]*(\S+)[ \t\r]*$/m.exec(section)?.[1];
  return url === undefined ? null : remoteName(url);
}

/** In a worktree or a submodule `.git` is a file that says where the folder is. */
function gitFolder(root: string): string {
  const dotGit = join(root, '.git');
  let pointer: string;
  try {
    pointer = readFileSync(dotGit, 'utf8');
  } catch {
    return dotGit;
  }
  const folder = /^gitdir:(.+)$/m.exec(pointer)?.[1]?.trim() ?? dotGit;
  const worktree = /^(.*)[\\/]worktrees[\\/][^\\/]+$/.exec(folder)?.[1];
  return worktree ?? folder;
}

/** `git@host:a/b.git`, `ssh://git@host/a/b` and `https://token@host/a/b.git` are one repository. */
function remoteName(url: string): string {
  const short = /^(?:[^@/]+@)?([^:/]+):(?!\/)(.+)$/.exec(url);
  const full = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^:/]*)(?::\d+)?\/(.+)$/i.exec(url);
  const [, host = '', path = url] = full ?? short ?? [];
  const name = path.replace(/\/{1,9}$/, '').replace(/\.git$/, '');
  return host === '' ? name : `${host.toLowerCase()}/${name.replace(/^\/+/, '')}`;
}
