// A server that wants a password, and a user who forgot it: told in words, and nobody waits.
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';
import { freshWorkspace, numberedLines } from '../program.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
let server: PostgresServer;

describe.skipIf(programs === undefined)('a store that wants a password', () => {
  beforeAll(async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    const rules = join(folder, 'pg_hba.conf');
    await writeFile(rules, 'local all all scram-sha-256\n');
    server = await startPostgres(programs ?? '', ['fsync=off', `hba_file=${rules}`]);
  });
  afterAll(() => server?.stop());

  test.each([
    ['none was given', {}, 'no password was given: set PGPASSWORD or spillway.password_file'],
    ['a wrong one was given', { PGPASSWORD: 'guess' }, '28P01: the password is wrong'],
  ])('says that %s, shows the output all the same, and ends', async (_, password, why) => {
    const env = { SPILLWAY_STORE: server.connectionString, SPILLWAY_WORKSPACE: 'team/x', ...password };
    const { run } = await freshWorkspace(env);
    const listed = await run(['artifacts', 'list']);
    expect([listed.code, listed.stdout]).toEqual([1, '']);
    expect(listed.stderr).toContain(`(${why})`);
    const cut = await run(['truncate', '--limit', '600'], { input: numberedLines(3_000) });
    expect(cut.code).toBe(0);
    expect(cut.stdout).toContain('not stored');
    expect(cut.stderr).toContain(why);
  });
});
