// Files that are not what they seem, and files that change under a running process.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ArtifactId, SpillwayError } from '@spillway/core';
import { describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { draft, piecesOf, storeOutput, textOf } from '../../src/testing/index.ts';
import { SEAL } from '../../src/testing/stores/samples.ts';
import { storeFile, temporaryFolder } from '../folders.ts';
import { openSpillway } from '../opening.ts';

const root = process.getuid?.() === 0;

describe('a file of the store that is not one', () => {
  test.each(['link', 'link to nowhere', 'pipe', 'folder'])(
    'a %s is refused at once, and left alone',
    async (kind) => {
      const folder = await temporaryFolder();
      const file = join(folder, 'store.db');
      const target = join(folder, 'target');
      if (kind === 'link') await writeFile(target, 'mine');
      if (kind.startsWith('link')) await symlink(target, file);
      if (kind === 'pipe') execFileSync('mkfifo', [file]);
      if (kind === 'folder') await mkdir(file);
      const before = await lstat(file);
      const error = await failure(storeOutput(sqliteStore({ file })));
      expect(error).toMatchObject({ code: 'store_unavailable' });
      expect(error.message).toContain('not a file');
      expect((await lstat(file)).mode).toBe(before.mode);
      if (kind === 'link') expect(await readFile(target, 'utf8')).toBe('mine');
      if (kind === 'link to nowhere') expect(existsSync(target)).toBe(false);
    },
  );

  test('a hard link to a file elsewhere is refused; that file keeps its mode and content', async () => {
    const folder = await temporaryFolder();
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'mine', { mode: 0o644 });
    await link(elsewhere, join(folder, 'store.db'));
    const error = await failure(storeOutput(sqliteStore({ file: join(folder, 'store.db') })));
    expect(error.message).toContain('second name');
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o644);
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  });

  test('a database of something else is refused and not changed by a byte', async () => {
    const file = await storeFile();
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE cookies (name TEXT); INSERT INTO cookies VALUES ('one')");
    database.close();
    const before = await readFile(file);
    const error = await failure(storeOutput(sqliteStore({ file })));
    expect(error.message).toContain('a database of something else');
    expect(await readFile(file)).toEqual(before);
  });

  test.each(['-wal', '-shm'])(
    'a link, pipe or folder in place of its %s is not followed or waited for',
    async (suffix) => {
      for (const kind of ['link', 'pipe', 'folder']) {
        const folder = await temporaryFolder();
        const file = join(folder, 'store.db');
        const target = join(folder, 'target');
        await writeFile(target, 'mine');
        if (kind === 'link') await symlink(target, `${file}${suffix}`);
        if (kind === 'pipe') execFileSync('mkfifo', [`${file}${suffix}`]);
        if (kind === 'folder') await mkdir(`${file}${suffix}`);
        const store = sqliteStore({ file });
        await storeOutput(store).catch((error: unknown) => expect(error).toBeInstanceOf(SpillwayError));
        await store.close();
        expect(await readFile(target, 'utf8')).toBe('mine');
      }
    },
  );
});

describe('a store that must lie within a workspace', () => {
  test.each(['.acode', '.acode/artifacts'])('is refused where %s is a link', async (linked) => {
    const workspace = await temporaryFolder();
    const outside = await temporaryFolder();
    if (linked !== '.acode') await mkdir(join(workspace, '.acode'));
    await symlink(outside, join(workspace, linked));
    const file = join(workspace, '.acode', 'artifacts', 'store.db');
    const error = await failure(storeOutput(sqliteStore({ file, within: workspace })));
    expect(error.message).toContain('is a link');
    expect(await readdir(outside)).toEqual([]);
  });

  test('is found also when the way to the workspace itself is a link', async () => {
    const workspace = await temporaryFolder();
    const alias = join(await temporaryFolder(), 'alias');
    await symlink(workspace, alias);
    const store = sqliteStore({ file: join(alias, '.acode', 'artifacts', 'store.db'), within: alias });
    await storeOutput(store);
    await store.close();
    expect(existsSync(join(workspace, '.acode', 'artifacts', 'store.db'))).toBe(true);
  });

  test('closes a folder of its own that others may write in', async () => {
    const workspace = await temporaryFolder();
    const folder = join(workspace, 'artifacts');
    await mkdir(folder);
    await chmod(folder, 0o777);
    const store = sqliteStore({ file: join(folder, 'store.db'), within: workspace });
    await storeOutput(store);
    await store.close();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test.runIf(root)('refuses a folder of somebody else that others may write in', async () => {
    const workspace = await temporaryFolder();
    const folder = join(workspace, 'artifacts');
    await mkdir(folder);
    execFileSync('chown', ['65534', folder]);
    await chmod(folder, 0o777);
    const error = await failure(
      storeOutput(sqliteStore({ file: join(folder, 'store.db'), within: workspace })),
    );
    expect(error.message).toContain('Others may write');
  });

  test.runIf(root).each(['', '-wal', '-shm'])(
    'refuses a file store.db%s that somebody else left in it, and leaves it as it is',
    async (beside) => {
      const workspace = await temporaryFolder();
      const folder = join(workspace, 'artifacts');
      await mkdir(folder);
      await chmod(folder, 0o777);
      const planted = join(folder, `store.db${beside}`);
      await writeFile(planted, '', { mode: 0o666 });
      execFileSync('chown', ['65534', planted]);
      const file = join(folder, 'store.db');
      const error = await failure(storeOutput(sqliteStore({ file, within: workspace })));
      expect(error.message).toContain('somebody else put it there');
      expect(await readFile(planted, 'utf8')).toBe('');
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      await rm(planted);
      await storeOutput(sqliteStore({ file, within: workspace }));
    },
  );
});

describe('a store whose file changes under a running process', () => {
  test.each(['removed', 'replaced'])(
    '%s: is told, nothing is stored for nobody, and the next output goes to the new file',
    async (how) => {
      const folder = await temporaryFolder();
      const file = join(folder, 'store.db');
      const store = sqliteStore({ file });
      const { record } = await storeOutput(store, { parts: ['earlier'] });
      const writer = await store.create(draft());
      const part = writer.part({ role: 'content', kind: 'text', name: 'stdout' });
      // More than a writer holds before it begins.
      const { pieces, totals } = piecesOf('x'.repeat(900_000));
      const [begun, rest] = [pieces.slice(0, 8), pieces.slice(8)];
      for (const piece of begun) await writer.append(part, piece);
      await store.usage();
      for (const suffix of ['', '-wal', '-shm']) {
        if (how === 'removed') await rm(`${file}${suffix}`, { force: true });
        else await rename(`${file}${suffix}`, `${file}${suffix}.away`);
      }
      if (how === 'replaced') await writeFile(file, '', { mode: 0o600 });
      expect((await failure(store.find({ scope: 'scope-1', id: record.id }))).message).toContain(
        'removed or replaced',
      );
      // What was begun in the old file cannot be ended in the new one.
      for (const piece of rest) await writer.append(part, piece).catch(() => undefined);
      expect((await failure(writer.seal({ ...SEAL, parts: [totals] }))).code).toBe('store_unavailable');
      const later = await storeOutput(store, { parts: ['later'] });
      await store.close();
      const again = sqliteStore({ file });
      expect(await textOf(again, later.record.id)).toBe('later');
      expect((await again.list({ scope: 'scope-1', show: 'all' })).items).toHaveLength(1);
      await again.close();
    },
  );

  test('cut off or overwritten anywhere: what is served is exact, what is not is an error of ours', async () => {
    const SIZE = 150_000;
    for (let round = 0; round < 8; round++) {
      const file = await storeFile();
      const first = sqliteStore({ file });
      const ids: ArtifactId[] = [];
      for (let i = 0; i < 6; i++)
        ids.push(
          (await storeOutput(first, { parts: [`${i}`.repeat(SIZE)], shown: 'shown', disclosed: true })).record
            .id,
        );
      await first.close();
      const spillway = openSpillway({ store: sqliteStore({ file }) });
      await spillway.retrieve({ artifact_id: ids[0] }, 'scope-1');
      const { size } = await stat(file);
      if (round % 2 === 0) await truncate(file, Math.floor((size * (round + 1)) / 10));
      else await overwrite(file, size, round);
      for (const [i, id] of ids.entries()) {
        const read = spillway.retrieve({ artifact_id: id, chars: '70000-75000' }, 'scope-1');
        const body = await read.then((page) => page.body).catch(ours);
        if (body !== undefined) expect(body).toBe(`${i}`.repeat(5_001));
        const projection = await spillway.project({ scope: 'scope-1', id }).catch(ours);
        if (projection !== undefined) expect(projection.text).toBe('shown');
      }
      const { projection } = await spillway.process(
        { tool: 't', session: 's', scope: 'scope-1' },
        { kind: 'text', text: 'n'.repeat(20_000) },
      );
      if ((await spillway.sealed({ projection })) === null) expect(projection.text).toContain('not stored');
      await spillway.close().catch(ours);
    }
  });

  test('a damaged record is told for its output only: the others are listed and found', async () => {
    const file = await storeFile();
    const store = sqliteStore({ file });
    const [damaged, whole] = [await storeOutput(store, { tool: 'planted-secret' }), await storeOutput(store)];
    await store.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE output SET record = replace(record, 'execute_command', 'x') WHERE seq = 2");
    database.exec(
      'UPDATE output SET record = replace(record, \'"version":1\', \'"version":2\') WHERE seq = 1',
    );
    database.exec("UPDATE event SET record = '{' WHERE seq = 1");
    database.close();
    const again = sqliteStore({ file });
    const error = await failure(again.find({ scope: 'scope-1', id: damaged.record.id }));
    expect(error.code).toBe('corrupt');
    expect(String(error.cause ?? '') + error.message).not.toContain('planted-secret');
    expect((await failure(again.find({ scope: 'scope-1', id: whole.record.id }))).code).toBe('corrupt');
    const third = await storeOutput(again);
    const { items } = await again.list({ scope: 'scope-1', show: 'all' });
    expect(items.map(({ id }) => id)).toEqual([third.record.id, whole.record.id, damaged.record.id]);
    expect(items[2]).toMatchObject({ complete: false, summary: '(the stored record is damaged)' });
    expect(await textOf(again, damaged.record.id)).toBe('hello\n');
    await again.close();
  });

  test('a missing piece is damage, not an output that is not there', async () => {
    const file = await storeFile();
    const store = sqliteStore({ file });
    const { record } = await storeOutput(store, { parts: ['d'.repeat(200_000)] });
    await store.close();
    const database = new DatabaseSync(file);
    database.exec('DELETE FROM piece WHERE start_bytes > 0');
    database.close();
    const again = sqliteStore({ file });
    expect((await failure(textOf(again, record.id))).code).toBe('corrupt');
    await again.close();
  });
});

async function overwrite(file: string, size: number, round: number): Promise<void> {
  const handle = await open(file, 'r+');
  // Every seventh page gets one other byte, each round at another place in it.
  for (let at = 4_096 * 3 + round * 501; at < size; at += 4_096 * 7)
    await handle.write(Buffer.of(round), 0, 1, at);
  await handle.close();
}

function ours(error: unknown): undefined {
  expect(error).toBeInstanceOf(SpillwayError);
  return undefined;
}

async function failure(promise: Promise<unknown>): Promise<SpillwayError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SpillwayError);
  return error as SpillwayError;
}
