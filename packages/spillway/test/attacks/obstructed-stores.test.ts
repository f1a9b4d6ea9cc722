/**
 * What a repository can put into the place of a store: a blank database, or a link, a folder, a
 * pipe or garbage under one of the names that a store uses. Outputs are stored all the same, and
 * nothing outside is touched.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { textOf, through } from '../gateway/peer.ts';
import { freshWorkspace, handleOf, numberedLines, parsed, type Workspace } from '../program.ts';

const TEXT = numberedLines(3_000, 'a line of the real output, number');
/** More than the limit, and less than what passes where nothing can be stored. */
const CHARS = 944_565;

function folderAt(path: string): void {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'kept-by-git'), '');
}

const OBSTACLES: readonly (readonly [string, (artifacts: string) => void])[] = [
  ['store.db as a folder', (artifacts) => folderAt(join(artifacts, 'store.db'))],
  ['store.db as a link', (artifacts) => symlinkSync('/etc/hostname', join(artifacts, 'store.db'))],
  ['store.db as a link to nothing', (artifacts) => symlinkSync('nowhere', join(artifacts, 'store.db'))],
  ['store.db as garbage', (artifacts) => writeFileSync(join(artifacts, 'store.db'), 'garbage')],
  ['.gitignore as a folder', (artifacts) => folderAt(join(artifacts, '.gitignore'))],
  ['.gitignore as a link', (artifacts) => symlinkSync('/etc/hostname', join(artifacts, '.gitignore'))],
  ['.gitignore as garbage', (artifacts) => writeFileSync(join(artifacts, '.gitignore'), '\0!*\n')],
  ['store.db-wal as a folder', (artifacts) => folderAt(join(artifacts, 'store.db-wal'))],
  ['store.db-shm as a folder', (artifacts) => folderAt(join(artifacts, 'store.db-shm'))],
  ['store.db-journal as a link', (artifacts) => symlinkSync('nowhere', join(artifacts, 'store.db-journal'))],
  ['store.db-content as a link', (artifacts) => symlinkSync('/etc', join(artifacts, 'store.db-content'))],
  ['a log of nothing', (artifacts) => writeFileSync(join(artifacts, 'store.db-wal'), 'x'.repeat(50_000))],
  ['its folder as a file', (artifacts) => replaced(artifacts, (path) => writeFileSync(path, ''))],
  ['its folder as a link', (artifacts) => replaced(artifacts, (path) => symlinkSync('/etc', path))],
  [
    'the folder above as a link',
    (artifacts) => replaced(dirname(artifacts), (path) => symlinkSync('/etc', path)),
  ],
];

function replaced(path: string, make: (path: string) => void): void {
  execFileSync('rm', ['-r', path]);
  make(path);
}

async function cloneWith(plant: (artifacts: string) => void): Promise<Workspace> {
  const workspace = await freshWorkspace();
  mkdirSync(workspace.artifacts, { recursive: true });
  plant(workspace.artifacts);
  return workspace;
}

describe.concurrent('a clone with', () => {
  it.each(OBSTACLES)('%s has results bounded and stored by the gateway', async (_, plant) => {
    const { root } = await cloneWith(plant);
    const gateway = through(root);
    await gateway.initialize();
    const text = textOf(await gateway.call('emit', { chars: CHARS }));
    expect(text.length).toBeLessThanOrEqual(8_000);
    const [id = ''] = /art_\d+_\w+/.exec(text) ?? [];
    const page = await gateway.call('get_artifact', { artifact_id: id, lines: '15000' });
    expect(textOf(page)).toContain('line 15000 of what was said');
    await gateway.close();
  });

  it.each(OBSTACLES)('%s keeps large outputs of commands', async (_, plant) => {
    const workspace = await cloneWith(plant);
    const large = numberedLines(100_000, 'a line of a large output, number');
    const { stdout, code } = await workspace.run(['truncate', '--json'], { input: large });
    expect(code).toBe(0);
    const id = handleOf(JSON.parse(stdout));
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(large);
    expect((await workspace.run(['store', 'status'])).code).toBe(0);
  });
});

describe('a store without a mark', () => {
  /** A database without tables whose list of free pages names each of them twice. */
  function plantBlank(artifacts: string): void {
    const file = join(artifacts, 'store.db');
    const db = new DatabaseSync(file);
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(400000))');
    db.exec('DROP TABLE t');
    db.close();
    const bytes = readFileSync(file);
    const trunk = bytes.readUInt32BE(32);
    const at = (trunk - 1) * 4_096;
    const leaves = bytes.readUInt32BE(at + 4);
    const first = bytes.readUInt32BE(at + 8);
    for (let leaf = 1; leaf < leaves; leaf++) bytes.writeUInt32BE(first, at + 8 + 4 * leaf);
    writeFileSync(file, bytes);
  }

  it('is foreign although it has no tables, and loses nothing', async () => {
    const workspace = await cloneWith(plantBlank);
    const texts = Array.from({ length: 6 }, (_, i) => numberedLines(3_000, `output ${i}, line`));
    const ids: string[] = [];
    for (const text of texts) ids.push(handleOf(await workspace.truncate(text)));
    for (const [i, id] of ids.entries())
      expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(texts[i]);
    expect(parsed<{ state: string }>(await workspace.run(['store', 'status', '--json'])).state).toBe(
      'foreign',
    );
    const { code, stderr } = await workspace.run(['store', 'trust']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('is a database of something else');
  });

  it('of no bytes at all is none: the store is made in its place', async () => {
    const workspace = await cloneWith((artifacts) => writeFileSync(join(artifacts, 'store.db'), ''));
    const ids = await Promise.all(Array.from({ length: 4 }, () => workspace.truncate(TEXT)));
    expect(parsed<{ state: string }>(await workspace.run(['store', 'status', '--json'])).state).toBe('own');
    for (const id of ids.map(handleOf))
      expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(TEXT);
    expect(readdirSync(workspace.artifacts)).not.toContain('store.db-new');
  });
});

describe('a pipe beside the store', () => {
  it.each(['store.db-wal', 'store.db-shm', 'store.db-journal', 'store.db-reserve', 'store.db', '.gitignore'])(
    'under the name %s holds up no command',
    async (name) => {
      const workspace = await cloneWith((artifacts) => execFileSync('mkfifo', [join(artifacts, name)]));
      const id = handleOf(await workspace.truncate(TEXT));
      expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(TEXT);
    },
  );

  it('in the place of content or of a mark holds up no command', async () => {
    const workspace = await freshWorkspace();
    const large = numberedLines(100_000, 'a line of a large output, number');
    const id = handleOf(await workspace.truncate(large));
    const folder = join(workspace.artifacts, 'store.db-content');
    const [name = ''] = readdirSync(folder);
    execFileSync('rm', [join(folder, name)]);
    execFileSync('mkfifo', [join(folder, name)]);
    mkdirSync(join(workspace.artifacts, '.copies'), { recursive: true });
    execFileSync('mkfifo', [join(workspace.artifacts, '.copies', `${id}.999999999`)]);
    expect((await workspace.run(['artifacts', 'show', id, '--raw'])).code).toBe(1);
    expect((await workspace.run(['store', 'verify'])).stdout).toContain(`Damaged: ${id}`);
    expect(await workspace.ids()).toEqual([id]);
  });
});

describe('a store that is trusted', () => {
  it('reaches no file outside through a link in the place of its content', async () => {
    const attacker = await freshWorkspace();
    await attacker.truncate(TEXT);
    const name = 'ab'.repeat(16);
    const db = new DatabaseSync(join(attacker.artifacts, 'store.db'));
    db.exec(`INSERT INTO content (bytes, refs, file) VALUES (0, -1, '${name}')`);
    db.close();
    const workspace = await freshWorkspace();
    const outside = join(workspace.root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, name), 'precious');
    mkdirSync(join(workspace.root, '.acode'));
    execFileSync('cp', ['-r', attacker.artifacts, workspace.artifacts]);
    symlinkSync(outside, join(workspace.artifacts, 'store.db-content'));
    const { code, stderr } = await workspace.run(['store', 'trust']);
    expect(code).toBe(1);
    expect(stderr).toContain('store.db-content is not a folder');
    for (const command of [
      ['store', 'vacuum'],
      ['artifacts', 'list'],
    ])
      await workspace.run(command);
    expect(readFileSync(join(outside, name), 'utf8')).toBe('precious');
  });
});

it('a folder for the store that a clone brought is closed to others', async () => {
  const workspace = await cloneWith((artifacts) => execFileSync('chmod', ['755', artifacts]));
  await workspace.truncate(TEXT);
  expect(existsSync(join(workspace.artifacts, 'store.db'))).toBe(true);
  expect(statSync(workspace.artifacts).mode & 0o777).toBe(0o700);
});
