/** What opens the gateway or its store does not reach the servers behind it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Peer, PROGRAM, workspace } from '../gateway/peer.ts';

const ADDRESS = 'postgres://spillway:hunter2@127.0.0.1:9/spillway';
const SHARED = { SPILLWAY_WORKSPACE: 'w', SPILLWAY_STORE: ADDRESS, KEPT: 'yes' };
const SECRETS = { PGPASSWORD: 'hunter2', SPILLWAY_PASSWORD_FILE: '/dev/null', SPILLWAY_TOKEN: 'hunter2' };

/** A server that tells its environment and stays as long as its client. */
const REPORTING = [
  '-e',
  'const [, name] = process.argv; console.error(name + JSON.stringify(process.env) + name); process.stdin.resume();',
];

/** What servers tell when a gateway starts them, by their names. */
async function environmentsOf(
  root: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
  names: readonly string[] = ['[only]'],
): Promise<readonly Record<string, string>[]> {
  const gateway = new Peer(process.execPath, [PROGRAM, 'mcp', ...flags], root, env);
  gateway.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  for (const name of names) await gateway.untilStderr(`}${name}`);
  gateway.child.kill('SIGKILL');
  await gateway.ended();
  return names.map((name) => JSON.parse(gateway.stderr.split(name)[1] ?? ''));
}

const ONLY = ['--', process.execPath, ...REPORTING, '[only]'];

describe.concurrent('a server behind a gateway whose store is on a PostgreSQL server', () => {
  it('gets neither the address of the store nor its password', async () => {
    const [seen = {}] = await environmentsOf(await workspace(), ONLY, { ...SHARED, ...SECRETS });
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
    const [seen = {}] = await environmentsOf(root, ONLY, { ...SECRETS, KEPT: 'yes' });
    expect(seen.KEPT).toBe('yes');
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('gets none of it as one of several, but what the file with the servers gives it', async () => {
    const root = await workspace();
    const server = (name: string) => ({ command: process.execPath, args: [...REPORTING, name] });
    const named = { ...server('[b]'), env: { GIVEN: '$' + '{PGPASSWORD}' } };
    writeFileSync(join(root, 'mcp.json'), JSON.stringify({ mcpServers: { a: server('[a]'), b: named } }));
    const env = { ...SHARED, ...SECRETS };
    const [a, { GIVEN, ...b } = {}] = await environmentsOf(root, ['--config', 'mcp.json'], env, [
      '[a]',
      '[b]',
    ]);
    expect(GIVEN).toBe('hunter2');
    expect(JSON.stringify([a, b])).not.toContain('hunter2');
  });

  it('gets what is named for it', async () => {
    const env = { ...SHARED, ...SECRETS };
    const [seen = {}] = await environmentsOf(await workspace(), ['--env', 'PGPASSWORD', ...ONLY], env);
    expect(seen.PGPASSWORD).toBe('hunter2');
  });
});

it('a password for PostgreSQL is the server’s where outputs are stored in files, whatever the workspace says', async () => {
  const root = await workspace();
  writeFileSync(join(root, '.env'), 'TRUNCATION_STRATEGY=nonsense\n');
  const [seen = {}] = await environmentsOf(root, ONLY, { PGPASSWORD: 'mine' });
  expect(seen.PGPASSWORD).toBe('mine');
});
