/**
 * The environment of an upstream: by default ours without our secrets; with `--env`, what any
 * program needs plus the variables named.
 */
import { SpillwayError } from '@spillway/core';
import { loadConfig } from '../config/load.ts';
import { sourcesOf } from '../open.ts';
import { isShared } from '../shared-store.ts';

const NEEDED =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'PROGRAMFILES',
      ]
    : [
        'HOME',
        'LANG',
        'LC_ALL',
        'LOGNAME',
        'PATH',
        'SHELL',
        'TERM',
        'TMPDIR',
        'TZ',
        'USER',
        // Certificates this machine trusts; required behind inspecting proxies.
        'NODE_EXTRA_CA_CERTS',
        'SSL_CERT_DIR',
        'SSL_CERT_FILE',
      ];

type Environment = Readonly<Record<string, string | undefined>>;

/** `given` holds `NAME=VALUE`, or `NAME` for the value that we have ourselves. */
export function namedEnvironment(
  given: readonly string[],
  own: Environment,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  const take = (name: string) => {
    const value = own[name];
    if (value !== undefined) env[name] = value;
  };
  for (const name of NEEDED) take(name);
  for (const setting of given) {
    const equals = setting.indexOf('=');
    if (setting === '' || equals === 0)
      throw new SpillwayError('invalid_argument', '--env takes NAME=VALUE, or NAME.');
    if (equals === -1) take(setting);
    else env[setting.slice(0, equals)] = setting.slice(equals + 1);
  }
  return env;
}

/**
 * Without the tokens for our gateway and store. PGPASSWORD is ours only if the store is on a
 * server.
 */
export async function inheritedEnvironment(own: Environment): Promise<Readonly<Record<string, string>>> {
  const { SPILLWAY_TOKEN: _token, SPILLWAY_PASSWORD_FILE: _file, SPILLWAY_STORE, PGPASSWORD, ...rest } = own;
  const env = {
    ...rest,
    // Without a word of a store nothing is loaded that could read it: the server starts sooner.
    ...(SPILLWAY_STORE === undefined || isShared(SPILLWAY_STORE) ? {} : { SPILLWAY_STORE }),
    ...(PGPASSWORD === undefined || (await storesOnServer(own)) ? {} : { PGPASSWORD }),
  };
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

async function storesOnServer(own: Environment): Promise<boolean> {
  if (own.SPILLWAY_STORE) return isShared(own.SPILLWAY_STORE);
  const { storage } = await loadConfig({ ...sourcesOf(process.cwd(), own), passOver: true });
  return isShared(storage.store);
}
