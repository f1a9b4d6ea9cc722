/** What opens the gateway or its store does not reach the servers behind it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Peer, PROGRAM, workspace } from '../gateway/peer.ts';

const ADDRESS = 'postgres://spillway:hunter2@127.0.0.1:9/spillway';
const SHARED = { SPILLWAY_WORKSPACE: 'w', SPILLWAY_STORE: ADDRESS, KEPT: 'yes' };
const SECRETS = { PGPASSWORD: 'hunter2', SPILLWAY_PASSWORD_FILE: '/dev/null', SPILLWAY_TOKEN: 'hunter2' };

const NAME = '[only]';
/** A server that tells its environment and stays as long as its client. */
const REPORTING = [
  '-e',
  'const [, name] = process.argv; console.error(name + JSON.stringify(process.env) + name); process.stdin.resume();',
];

/** What a server tells when a gateway starts it. */
async function environmentOf(
  root: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const gateway = new Peer(process.execPath, [PROGRAM, 'mcp', ...flags], root, env);
  gateway.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  await gateway.untilStderr(`}${NAME}`);
  gateway.child.kill('SIGKILL');
  await gateway.ended();
  return JSON.parse(gateway.stderr.split(NAME)[1] ?? '');
}

const ONLY = ['--', process.execPath, ...REPORTING, NAME];

describe.concurrent('a server behind a gateway whose store is on a PostgreSQL server', () => {
  it('gets neither the address of the store nor its password', async () => {
    const seen = await environmentOf(await workspace(), ONLY, { ...SHARED, ...SECRETS });
    expect(seen.KEPT).toBe('yes');
    expect(Object.keys(seen)).not.toContain('SPILLWAY_PASSWORD_FILE');
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('gets no password either if the user’s own file names the store', async () => {
    const root = await workspace();
    mkdirSync(join(root, '.config', 'spillway'), { recursive: true });
    writeFileSync(
      join(root, '.config', 'spillway', 'config.yml'),
      `spillway:\n  store: ${ADDRESS.replace(':hunter2', '')}\n  workspace: w\n`,
    );
    const seen = await environmentOf(root, ONLY, { ...SECRETS, KEPT: 'yes' });
    expect(seen.KEPT).toBe('yes');
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('gets what is named for it', async () => {
    const env = { ...SHARED, ...SECRETS };
    const seen = await environmentOf(await workspace(), ['--env', 'PGPASSWORD', ...ONLY], env);
    expect(seen.PGPASSWORD).toBe('hunter2');
  });
});

it('a password for PostgreSQL is the server’s where outputs are stored in files, whatever the workspace says', async () => {
  const root = await workspace();
  writeFileSync(join(root, '.env'), 'TRUNCATION_STRATEGY=nonsense\n');
  const seen = await environmentOf(root, ONLY, { PGPASSWORD: 'mine' });
  expect(seen.PGPASSWORD).toBe('mine');
});
