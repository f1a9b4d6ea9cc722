/**
 * Where settings are read from. What lies in the workspace came with it, perhaps from strangers:
 * such a file may shape projections, but not decide where outputs go, how long they stay, or that
 * nothing is bounded. The user's own file may.
 */
import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';

/** Whose settings a file holds. */
export type Trust = 'user' | 'workspace';

/** Where settings are looked for. */
export interface ConfigSources {
  /** The root folder of the workspace. */
  readonly workspace: string;
  /** False where another account owns the workspace: then no file of it is read. Default: true. */
  readonly believed?: boolean;
  /** The variables to read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home; null where there is none. */
  readonly home: string | null;
}

/** A file that may hold settings. */
export interface ConfigFile {
  /** What it is read as. */
  readonly kind: 'config' | 'tools' | 'dotenv';
  /** Whose it is: a file of the workspace may not lift bounds. */
  readonly trust: Trust;
  /** Where it is. */
  readonly path: string;
  /** How messages and `explain` call it: as seen from the workspace, or in full. */
  readonly name: string;
}

export interface ConfigLocations {
  /** The user's file; null where there is neither XDG_CONFIG_HOME nor a home. */
  readonly user: ConfigFile | null;
  readonly workspace: ConfigFile;
  readonly dotenv: ConfigFile;
  readonly tools: readonly ConfigFile[];
}

export function configLocations({ workspace, env, home }: ConfigSources): ConfigLocations {
  const inWorkspace = (kind: ConfigFile['kind'], ...path: string[]): ConfigFile => ({
    kind,
    trust: 'workspace',
    path: join(workspace, ...path),
    name: path.join('/'),
  });
  const user = userFile(env, home);
  return {
    user: user === null ? null : { kind: 'config', trust: 'user', path: user, name: user },
    workspace: inWorkspace('config', '.acode', 'config.yml'),
    dotenv: inWorkspace('dotenv', '.env'),
    tools: [inWorkspace('tools', 'tools.yaml'), inWorkspace('tools', '.acode', 'tools.yaml')],
  };
}

export function configFiles({ user, workspace, dotenv, tools }: ConfigLocations): ConfigFile[] {
  return [...(user === null ? [] : [user]), workspace, dotenv, ...tools];
}

/**
 * The file a path names, if it is one that is looked for; else one of the workspace, its kind told
 * by its name.
 */
export function fileAt(path: string, locations: ConfigLocations, workspace: string): ConfigFile {
  const found = configFiles(locations).find((file) => file.path === path);
  if (found !== undefined) return found;
  const kind = /(^|[\\/])tools\.ya?ml$/.test(path)
    ? 'tools'
    : /(^|[\\/])\.env$/.test(path)
      ? 'dotenv'
      : 'config';
  const inside = relative(workspace, path);
  const name = inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  return { kind, trust: 'workspace', path, name };
}

export function homeOf(env: ConfigSources['env']): string | null {
  if (env.HOME !== undefined && env.HOME !== '') return env.HOME;
  try {
    // Without a home, a path below it would be one below the current folder.
    return homedir() || null;
  } catch {
    // A user without an entry in the system's list has no home, and so no file of settings.
    return null;
  }
}

/** XDG says to pass over a relative XDG_CONFIG_HOME. */
function userFile(env: ConfigSources['env'], home: string | null): string | null {
  const { XDG_CONFIG_HOME: base = '' } = env;
  if (isAbsolute(base)) return join(base, 'spillway', 'config.yml');
  return home === null ? null : join(home, '.config', 'spillway', 'config.yml');
}
