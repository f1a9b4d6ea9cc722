// A workspace that came from strangers: links, pipes and folders where the store should be.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';
import { freshWorkspace, handleOf, numberedLines, type Workspace } from '../program.ts';

const LONG = numberedLines(3_000);
/** What is captured is kept in a folder of the user, and the reason is told in one sentence. */
async function expectStoredElsewhere({ run }: Workspace, reason: RegExp): Promise<void> {
  const { code, stdout, stderr } = await run(['truncate', '--json'], { input: LONG });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^spillway: [^\n]+ Outputs are kept in [^\n]+\n$/);
  expect(stderr).toMatch(reason);
  expect((await run(['artifacts', 'show', handleOf(JSON.parse(stdout)), '--raw'])).stdout).toBe(LONG);
}

describe.concurrent('a workspace cannot move its store:', () => {
  test.each(['.acode', '.acode/artifacts'])(
    '%s that is a link is not followed, and the reason is told',
    async (linked) => {
      const workspace = await freshWorkspace();
      const outside = await temporaryFolder();
      if (linked === '.acode/artifacts') await mkdir(join(workspace.root, '.acode'));
      await symlink(outside, join(workspace.root, linked));
      await expectStoredElsewhere(workspace, /is a link, and a workspace may not move its store/);
      expect(await readdir(outside)).toEqual([]);
    },
  );

  test('nor does looking or cleaning follow a link', async () => {
    const [workspace, other] = [await freshWorkspace(), await freshWorkspace()];
    const id = handleOf(await other.truncate(LONG));
    await mkdir(join(workspace.root, '.acode'));
    await symlink(other.artifacts, workspace.artifacts);
    const commands = [`show ${id}`, 'list', 'clean --purge'].map((command) => [
      'artifacts',
      ...command.split(' '),
    ]);
    // To a store of the same user, and then to one of somebody else.
    for (const HOME of [other.root, workspace.root])
      for (const command of commands) {
        const { stdout, stderr } = await workspace.run(command, { env: { HOME } });
        expect(stdout).not.toContain(id);
        expect(stderr).toMatch(/is a link/);
      }
    expect((await other.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(LONG);
  });

  test('the user may: SPILLWAY_STORE can be a link', async () => {
    const outside = await temporaryFolder();
    const alias = join(await temporaryFolder(), 'alias');
    await symlink(outside, alias);
    const { truncate } = await freshWorkspace({ SPILLWAY_STORE: alias });
    expect(handleOf(await truncate(LONG))).toMatch(/^art_/);
    expect(await readdir(outside)).toContain('store.db');
  });
});

describe.concurrent('in place of the store', () => {
  test.each(['link', 'pipe', 'folder', 'hard link'])(
    'a %s is not used, told and left alone',
    async (kind) => {
      const workspace = await freshWorkspace();
      const file = join(workspace.artifacts, 'store.db');
      const victim = join(await temporaryFolder(), 'victim');
      await writeFile(victim, 'mine', { mode: 0o640 });
      await mkdir(workspace.artifacts, { recursive: true, mode: 0o700 });
      if (kind === 'link') await symlink(victim, file);
      if (kind === 'hard link') await link(victim, file);
      if (kind === 'pipe') execFileSync('mkfifo', [file]);
      if (kind === 'folder') await mkdir(file);
      await expectStoredElsewhere(workspace, kind === 'hard link' ? /was made elsewhere/ : /not a file/);
      expect(await readFile(victim, 'utf8')).toBe('mine');
      expect((await stat(victim)).mode & 0o777).toBe(0o640);
    },
  );
});

test.concurrent('a folder that was made open to everybody beforehand is closed', async () => {
  const { artifacts, truncate } = await freshWorkspace();
  await mkdir(artifacts, { recursive: true });
  await chmod(artifacts, 0o777);
  expect(handleOf(await truncate(LONG))).toMatch(/^art_/);
  expect((await stat(artifacts)).mode & 0o777).toBe(0o700);
});

describe.concurrent('plain copies', () => {
  test('are not written through a link in place of the folder of the session', async () => {
    const { artifacts, truncate } = await freshWorkspace();
    const outside = await temporaryFolder();
    await mkdir(artifacts, { recursive: true, mode: 0o700 });
    await symlink(outside, join(artifacts, 'cli'));
    const { metadata } = await truncate(LONG);
    expect(metadata.saved_path).toBeNull();
    expect(metadata.artifact_id).not.toBeNull();
    expect(await readdir(outside)).toEqual([]);
  });

  test('are not removed through one either', async () => {
    const { artifacts, truncate, run } = await freshWorkspace();
    const outside = await temporaryFolder();
    const { metadata } = await truncate(LONG);
    const name = metadata.saved_path?.split('/').at(-1) ?? '';
    await rm(join(artifacts, 'cli'), { recursive: true });
    await symlink(outside, join(artifacts, 'cli'));
    await writeFile(join(outside, name), 'of somebody else');
    expect((await run(['artifacts', 'clean'])).code).toBe(0);
    expect(existsSync(join(outside, name))).toBe(true);
  });

  test('stay in their folder whatever a session or tool is called', async () => {
    const { root, artifacts, truncate } = await freshWorkspace();
    const names = [
      '../../evil',
      '..',
      '.',
      '/etc',
      'a/b',
      'store.db',
      'store.db-wal',
      'con\0nul',
      '-rf',
      '~',
      'x'.repeat(300),
    ];
    for (const name of names.filter((each) => !each.includes('\0'))) {
      const { metadata } = await truncate(LONG, `--session=${name}`, `--tool=${name}`);
      expect(metadata.artifact_id).not.toBeNull();
      if (metadata.saved_path !== null)
        expect(join(root, metadata.saved_path).startsWith(`${artifacts}/`)).toBe(true);
    }
    // The home is the same folder here, and has the mark of the store.
    expect((await readdir(root)).toSorted()).toEqual(['.acode', '.git', '.local']);
    expect(await readFile(join(artifacts, 'store.db')).then((bytes) => bytes.subarray(0, 6).toString())).toBe(
      'SQLite',
    );
  });
});
