/**
 * A repository that brings a store: the store is not opened, what is captured goes elsewhere, and
 * this is said.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { textOf, through } from '../gateway/peer.ts';
import { freshWorkspace, handleOf, numberedLines, parsed } from '../program.ts';
import { changed, cloneWithStore } from './planting.ts';

const TEXT = numberedLines(3_000, 'a line of the real output, number');

describe('a store that came with a repository', () => {
  it('is not opened by any command, and outputs are kept in a folder of the user', async () => {
    const { victim, id } = await cloneWithStore('PLANTED '.repeat(3_000));
    const planted = readFileSync(join(victim.artifacts, 'store.db'));
    const cut = await victim.run(['truncate', '--json'], { input: TEXT });
    expect(cut.stderr).toContain('was made elsewhere, by somebody else or by an earlier version');
    expect(cut.stderr).toContain('spillway store trust');
    const own = handleOf(JSON.parse(cut.stdout));
    expect((await victim.run(['artifacts', 'show', own, '--raw'])).stdout).toBe(TEXT);
    expect((await victim.run(['artifacts', 'show', `${id}`])).code).not.toBe(0);
    expect((await victim.ids('--all')).length).toBe(1);
    for (const command of ['stats', 'doctor'])
      expect((await victim.run([command])).stdout).not.toContain('PLANTED');
    expect((await victim.run(['doctor'])).stdout).toContain('! Trust: The store ');
    expect(readFileSync(join(victim.artifacts, 'store.db')).equals(planted)).toBe(true);
  });

  it('says so once a run', async () => {
    const { victim } = await cloneWithStore('x'.repeat(20_000));
    const { stderr } = await victim.run(['artifacts', 'list']);
    expect(stderr.split('was made elsewhere').length).toBe(2);
  });

  it('is used once it was checked by `store trust`', async () => {
    const { victim, id } = await cloneWithStore(TEXT);
    expect(parsed<{ state: string }>(await victim.run(['store', 'status', '--json'])).state).toBe('foreign');
    const trusted = parsed<{ trusted: boolean; outputs: number }>(
      await victim.run(['store', 'trust', '--json']),
    );
    expect(trusted).toMatchObject({ trusted: true, outputs: 1 });
    expect(parsed<{ state: string }>(await victim.run(['store', 'status', '--json'])).state).toBe('own');
    expect(await victim.run(['artifacts', 'show', `${id}`, '--raw'])).toMatchObject({
      stdout: TEXT,
      stderr: '',
    });
  });

  it.each<readonly [string, (db: DatabaseSync) => void]>([
    [
      'a trigger that deletes what is stored',
      (db) =>
        db.exec('CREATE TRIGGER t AFTER INSERT ON output BEGIN DELETE FROM output; DELETE FROM piece; END'),
    ],
    [
      'a view that never ends',
      (db) =>
        db.exec(
          'DROP TABLE session; CREATE VIEW session AS WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n) SELECT seq, seq AS scope, seq AS id, seq AS opened_at, seq AS seen_at, NULL AS ended_at FROM n',
        ),
    ],
    [
      'the table of versions as a view that never ends',
      (db) =>
        db.exec(
          "DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x' AS name, i AS value FROM n",
        ),
    ],
    ['an index of its own', (db) => db.exec('CREATE INDEX i ON output (tool)')],
    ['content under a hash that is not its own', (db) => forgeHash(db)],
    [
      'a draft whose id is a path',
      (db) => db.exec("INSERT INTO draft VALUES ('/../../x', '{}', 'h', 0, 0, 'x', 0)"),
    ],
    ['pieces that go nowhere', (db) => db.exec("UPDATE piece SET bytes = 0, data = x''")],
    ['less content than its record says', (db) => db.exec('DELETE FROM piece; UPDATE content SET bytes = 0')],
  ])('with %s hangs nothing and is not trusted', async (_, change) => {
    const { victim } = await cloneWithStore(TEXT, change);
    const id = handleOf(await victim.truncate(TEXT));
    expect((await victim.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(TEXT);
    const { code, stderr } = await victim.run(['store', 'trust']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/is not trusted: |that Spillway did not make|is a database of something else/);
    expect(parsed<{ state: string }>(await victim.run(['store', 'status', '--json'])).state).toBe('foreign');
  });
});

function forgeHash(db: DatabaseSync): void {
  db.exec("UPDATE content SET hash = 'ab' || substr(hash, 3)");
}

describe('a store of another home', () => {
  it('is foreign, and so is one that an earlier version left without a mark', async () => {
    const workspace = await freshWorkspace();
    await workspace.truncate(TEXT);
    const elsewhere = join(workspace.root, 'another-home');
    mkdirSync(elsewhere);
    const status = ['store', 'status', '--json'];
    const state = async (env: Record<string, string>) =>
      parsed<{ state: string }>(await workspace.run(status, { env })).state;
    expect(await state({})).toBe('own');
    expect(await state({ HOME: elsewhere })).toBe('foreign');
    changed(join(workspace.artifacts, 'store.db'), (db) =>
      db.exec('PRAGMA user_version = 0; PRAGMA application_id = 0'),
    );
    expect(await state({})).toBe('foreign');
    expect((await workspace.run(['store', 'trust'])).code).toBe(0);
    expect(await workspace.ids()).toHaveLength(1);
  });
});

describe('a store of one’s own that somebody changed', () => {
  it('does not give its content for a new output of the same hash', async () => {
    const workspace = await freshWorkspace();
    await workspace.truncate(TEXT);
    // Same length and a checksum that fits: only the hash tells.
    changed(join(workspace.artifacts, 'store.db'), (db) => {
      const { data } = db.prepare('SELECT data FROM piece LIMIT 1').get() as { data: Uint8Array };
      const planted = Buffer.from(data).fill('X');
      db.prepare('UPDATE piece SET data = ?, crc = ? WHERE start_bytes = 0').run(planted, crcOf(planted));
    });
    const id = handleOf(await workspace.truncate(TEXT));
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(TEXT);
  });

  it('unfolds no more than a piece of what is compressed', async () => {
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(TEXT));
    const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
    changed(join(workspace.artifacts, 'store.db'), (db) => {
      db.prepare("UPDATE piece SET codec = 'zstd', data = ?").run(bomb);
    });
    const limits = { env: { NODE_OPTIONS: '--max-old-space-size=200' } };
    const { code, stderr } = await workspace.run(['artifacts', 'show', id, '--raw'], limits);
    expect(code).toBe(1);
    expect(stderr).toContain('do not match their checksum');
  });

  it('with less content than its record says lets every command end', async () => {
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(TEXT));
    changed(join(workspace.artifacts, 'store.db'), (db) => {
      const { n } = db.prepare('SELECT max(start_bytes) AS n FROM piece').get() as { n: number };
      db.prepare('DELETE FROM piece WHERE start_bytes = ?').run(n);
      db.prepare('UPDATE content SET bytes = ? WHERE bytes > ?').run(n, n);
    });
    const commands = [
      ['artifacts', 'show', id, '--raw'],
      ['artifacts', 'show', id, '--lines', '2900-2999'],
      ['artifacts', 'grep', 'line', id],
      ['artifacts', 'export', id],
      ['sessions', 'export', 'cli'],
      ['doctor', '--deep'],
    ];
    for (const command of commands)
      expect((await workspace.run(command)).stderr).not.toMatch(/unexpected|TypeError/);
  });

  it('is searched although an output in it is damaged', async () => {
    const workspace = await freshWorkspace();
    const ids = [];
    for (const name of ['damaged', 'whole'])
      ids.push(handleOf(await workspace.truncate(numberedLines(3_000, `a ${name} needle`))));
    changed(join(workspace.artifacts, 'store.db'), (db) =>
      db.exec("UPDATE piece SET crc = crc + 1 WHERE data LIKE '%damaged%'"),
    );
    const gateway = through(workspace.root);
    await gateway.initialize();
    const page = textOf(await gateway.call('get_artifact', { search: 'needle' }));
    expect(page).toContain(`${ids[1]} truncate: standard input\n  1: a whole needle 1`);
    await gateway.close();
  });

  it('does not take in a log or a journal that somebody put beside it', async () => {
    const { attacker } = await cloneWithStore('x');
    const workspace = await freshWorkspace();
    const id = handleOf(await workspace.truncate(TEXT));
    const store = join(workspace.artifacts, 'store.db');
    const stored = readFileSync(store);
    // The log of a database with the same pages, left by a process that was killed.
    await attacker.shell(
      `'${process.execPath}' -e "const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync('${attacker.artifacts}/store.db'); db.exec('DELETE FROM output; DELETE FROM piece'); process.kill(process.pid, 'SIGKILL')"`,
    );
    for (const [planted, name] of [
      ['store.db-wal', `${store}-wal`],
      ['store.db', `${store}-journal`],
    ] as const) {
      cpSync(join(attacker.artifacts, planted), name);
      const { stdout, stderr } = await workspace.run(['truncate', '--json'], { input: TEXT });
      expect(stderr).toContain(`${name} was not made by you`);
      const elsewhere = handleOf(JSON.parse(stdout));
      expect((await workspace.run(['artifacts', 'show', elsewhere, '--raw'])).stdout).toBe(TEXT);
      rmSync(name);
    }
    expect(readFileSync(store).equals(stored)).toBe(true);
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(TEXT);
  });

  it('takes in the log that its own killed process left', async () => {
    const workspace = await freshWorkspace();
    await workspace.truncate(TEXT);
    const script = `spillway exec -- sh -c 'seq 1 30000; kill -9 $PPID; sleep 1'`;
    await workspace.shell(script);
    expect((await workspace.run(['artifacts', 'list', '--all'])).code).toBe(0);
    expect((await workspace.ids('--all')).length).toBeGreaterThanOrEqual(1);
  });

  it('with a trigger is refused, and outputs are shown but not stored', async () => {
    const workspace = await freshWorkspace();
    await workspace.truncate(TEXT);
    changed(join(workspace.artifacts, 'store.db'), (db) =>
      db.exec('CREATE TRIGGER t AFTER INSERT ON output BEGIN DELETE FROM output; END'),
    );
    const { stdout, stderr } = await workspace.run(['truncate'], { input: TEXT });
    expect(stdout).toContain('not stored');
    expect(stderr).toContain('that Spillway did not make');
    changed(join(workspace.artifacts, 'store.db'), (db) => db.exec('DROP TRIGGER t'));
    expect(await workspace.ids()).toHaveLength(1);
  });
});

describe('a fresh workspace', () => {
  it.each([
    ['without a home', { HOME: '' }],
    ['with a home that is not there', { HOME: '/nowhere/at/all' }],
    ['with a home that cannot be written', { HOME: '/proc' }],
  ])('%s asks nothing, and its store is found again', async (_, env) => {
    const workspace = await freshWorkspace(env);
    const id = handleOf(await workspace.truncate(TEXT));
    const shown = await workspace.run(['artifacts', 'show', id, '--raw']);
    expect(shown).toMatchObject({ stdout: TEXT, stderr: '' });
    expect(existsSync(join(workspace.artifacts, 'store.db'))).toBe(true);
  });
});

function crcOf(bytes: Uint8Array): number {
  return process.getBuiltinModule('node:zlib').crc32(bytes);
}
