/**
 * The environment of an upstream. By default it is ours, as the client gave it to us; with `--env`
 * it is what any program needs to run, and what is named.
 */
import { SpillwayError } from '@spillway/core';

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
        // Files of certificates that this machine trusts: without them nothing can be fetched where
        // connections are inspected.
        'NODE_EXTRA_CA_CERTS',
        'SSL_CERT_DIR',
        'SSL_CERT_FILE',
      ];

/** `given` holds `NAME=VALUE`, or `NAME` for the value that we have ourselves. */
export function upstreamEnvironment(
  given: readonly string[],
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  if (given.length === 0) return withoutSecrets(own);
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

/** Who may speak to a gateway over HTTP is none of the server's business. */
export function withoutSecrets(
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const { SPILLWAY_TOKEN: _token, ...env } = own;
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
