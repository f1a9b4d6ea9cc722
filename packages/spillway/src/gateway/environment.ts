/**
 * The environment of an upstream: what any program needs to run, and what was configured; nothing
 * else of ours.
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
