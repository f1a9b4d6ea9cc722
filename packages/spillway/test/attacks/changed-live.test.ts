/**
 * A store that is changed under a live gateway: its log removed, a trigger planted. Whatever the
 * gateway told a handle of can be fetched by the next process, and what could not be stored is said
 * to be so.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type Peer, textOf, through } from '../gateway/peer.ts';
import { freshWorkspace, handleOf, numberedLines, type Workspace } from '../program.ts';

const CHARS = 20_000;

async function startedIn(workspace: Workspace): Promise<Peer> {
  const gateway = through(workspace.root);
  await gateway.initialize();
  return gateway;
}

/** The handle that a result was told with; null if it says that it was not stored. */
async function stored(gateway: Peer, nth: number): Promise<string | null> {
  const text = textOf(await gateway.call('emit', { chars: CHARS + nth }));
  expect(text.length).toBeLessThanOrEqual(8_000);
  const [id] = /art_\d+_\w+/.exec(text) ?? [];
  if (id === undefined) expect(text.slice(0, 300)).toMatch(/not stored/i);
  return id ?? null;
}

async function expectAllBack(workspace: Workspace, ids: readonly (string | null)[]): Promise<void> {
  for (const id of ids.filter((one) => one !== null)) {
    const { code, stdout } = await workspace.run(['artifacts', 'show', id, '--raw']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^line 1 of what was said/);
  }
}

describe.concurrent('under a live gateway', () => {
  it.each([
    ['its log', ['store.db-wal']],
    ['the index of its log', ['store.db-shm']],
    ['both', ['store.db-wal', 'store.db-shm']],
  ])('%s can be removed: what was told to be stored comes back', async (_, names) => {
    const workspace = await freshWorkspace();
    const gateway = await startedIn(workspace);
    const ids = [await stored(gateway, 0), await stored(gateway, 1)];
    expect(ids).not.toContain(null);
    for (const name of names) rmSync(join(workspace.artifacts, name));
    for (let nth = 2; nth < 10; nth++) ids.push(await stored(gateway, nth));
    // One is told as not stored; then the store is opened anew.
    expect(ids.filter((id) => id === null)).toHaveLength(1);
    await expectAllBack(workspace, ids);
    await gateway.close();
    await expectAllBack(workspace, ids);
    expect((await workspace.run(['store', 'verify'])).code).toBe(0);
  });

  it('a log that is removed while another process reads costs nothing that was told', async () => {
    const workspace = await freshWorkspace();
    const gateway = await startedIn(workspace);
    const ids = [await stored(gateway, 0), await stored(gateway, 1)];
    rmSync(join(workspace.artifacts, 'store.db-wal'));
    const verified = await workspace.run(['store', 'verify']);
    expect(verified.code).toBe(1);
    expect(`${verified.stdout}${verified.stderr}`).toContain('store.db-wal');
    for (let nth = 2; nth < 6; nth++) ids.push(await stored(gateway, nth));
    expect(ids.filter((id) => id !== null).length).toBeGreaterThanOrEqual(5);
    await gateway.close();
    await expectAllBack(workspace, ids);
  });

  it('a log that is removed after the process was killed is noticed by `store verify`', async () => {
    const workspace = await freshWorkspace();
    const gateway = await startedIn(workspace);
    await stored(gateway, 0);
    gateway.child.kill('SIGKILL');
    await gateway.close();
    rmSync(join(workspace.artifacts, 'store.db-wal'));
    const { code, stderr } = await workspace.run(['store', 'verify']);
    expect(code).toBe(1);
    expect(stderr).toContain('store.db-wal was removed while the store was in use');
    expect((await workspace.run(['store', 'verify'])).code).toBe(0);
  });

  it('a process that stops inside a transaction keeps no other from ending, which says so', async () => {
    const workspace = await freshWorkspace();
    const text = numberedLines(3_000);
    const id = handleOf(await workspace.truncate(text));
    const db = new DatabaseSync(join(workspace.artifacts, 'store.db'));
    db.exec('BEGIN IMMEDIATE');
    const [cut, executed] = await Promise.all([
      workspace.run(['truncate'], { input: text }),
      workspace.run(['exec', '--', 'seq', '100000']),
    ]);
    for (const { code, stdout, stderr } of [cut, executed]) {
      expect(code).toBe(0);
      expect(stdout).toContain('not stored');
      expect(stderr).toContain('Not stored');
    }
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(text);
    db.exec('ROLLBACK');
    db.close();
    expect(handleOf(await workspace.truncate(text))).toMatch(/^art_/);
  }, 30_000);

  it.each([
    [
      'deletes outputs',
      'CREATE TRIGGER t AFTER INSERT ON output BEGIN DELETE FROM output; DELETE FROM piece; END',
    ],
    [
      'deletes events',
      'CREATE TRIGGER t BEFORE UPDATE ON meta BEGIN DELETE FROM event; DELETE FROM output; END',
    ],
    ['replaces outputs', 'CREATE UNIQUE INDEX u ON output (scope)'],
  ])('what is planted and %s is noticed before anything is written', async (_, planted) => {
    const workspace = await freshWorkspace();
    const gateway = await startedIn(workspace);
    const ids = [await stored(gateway, 0), await stored(gateway, 1)];
    const db = new DatabaseSync(join(workspace.artifacts, 'store.db'));
    const [, , name = ''] = planted.match(/CREATE (TRIGGER|UNIQUE INDEX) (\w+)/) ?? [];
    if (planted.includes('UNIQUE')) db.exec('UPDATE output SET scope = scope || id');
    db.exec(planted);
    for (let nth = 2; nth < 5; nth++) expect(await stored(gateway, nth)).toBe(null);
    db.exec(`DROP ${planted.includes('TRIGGER') ? 'TRIGGER' : 'INDEX'} ${name}`);
    if (planted.includes('UNIQUE')) db.exec("UPDATE output SET scope = 'workspace'");
    db.close();
    ids.push(await stored(gateway, 5));
    expect(ids).not.toContain(null);
    await expectAllBack(workspace, ids);
    await gateway.close();
    await expectAllBack(workspace, ids);
  });
});
