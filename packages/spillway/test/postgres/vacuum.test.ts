/** `spillway store vacuum` on a server: what nothing refers to goes, and nothing else. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshWorkspace, handleOf, numberedLines, parsed } from '../program.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

const programs = postgresPrograms();
if (programs === undefined) console.warn('SKIPPED: no PostgreSQL server is installed.');

let server: PostgresServer;

describe.skipIf(programs === undefined)('store vacuum on a server', () => {
  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
  });
  afterAll(() => server?.stop());

  test('removes content of dead writers and content without outputs, and says so before', async () => {
    const workspace = await freshWorkspace({
      SPILLWAY_STORE: server.connectionString,
      SPILLWAY_WORKSPACE: 'vacuumed',
    });
    const text = numberedLines(5_000);
    const id = handleOf(await workspace.truncate(text));
    const pool = new pg.Pool({ connectionString: server.connectionString });
    await pool.query(
      `INSERT INTO spillway.content (bytes, written_at) VALUES (10, now() - interval '2 days'), (20, now())`,
    );
    await pool.query(`INSERT INTO spillway.content (hash, bytes, refs)
      SELECT 'none ' || i, 1, 1 FROM generate_series(1, 250) AS i`);
    await pool.query("INSERT INTO spillway.citation VALUES ('art_1_gone', '', '')");
    const vacuum = async (...flags: string[]) =>
      parsed(await workspace.run(['store', 'vacuum', '--json', ...flags]));
    const found = { contents: 251, bytes: 260, citations: 1, file_bytes: 0 };
    expect(await vacuum('--dry-run')).toMatchObject({ ...found, dry_run: true });
    expect(await vacuum()).toMatchObject({ ...found, dry_run: false });
    expect(await vacuum()).toMatchObject({ contents: 0, bytes: 0, citations: 0 });
    const { rows } = await pool.query(`SELECT (SELECT sum(bytes) FROM spillway.content)::int AS bytes,
      (SELECT sum(kept + open) FROM spillway.counter)::int AS counted,
      (SELECT count(*) FROM spillway.content WHERE hash IS NULL)::int AS writing`);
    await pool.end();
    expect(rows[0].counted).toBe(rows[0].bytes);
    expect(rows[0].writing).toBe(1);
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
  });
});
