// A disk that is full, as a user meets it: a small file system of its own, filled by the program
// and by others. Mounting needs root.
import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { filesBelow, freshWorkspace, handleOf, numberedLines, type Workspace } from '../program.ts';

const SMALL = numberedLines(3_000);
/** Twice what the disk holds, and no two lines alike. */
const LARGE = numberedLines(32_000, `a line ${'of an output that does not fit '.repeat(16)}`);
const LINES_PER_MB = 50_000;

const mounted: string[] = [];
afterAll(async () => {
  for (const folder of mounted) {
    execFileSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true });
  }
});

const [first] = mounts(await mkdtemp(join(tmpdir(), 'spillway-disk-')), 8);
describe.skipIf(first === undefined)('a full disk (skipped where mounting is not allowed)', () => {
  test.each([
    ['truncate', ['truncate']],
    ['exec', ['exec', '--', 'cat']],
  ])(
    'that %s has filled takes small outputs again at once, and nothing is lost',
    async (_, command) => {
      const workspace = await onDisk();
      const before = handleOf(await workspace.truncate(SMALL));
      for (let round = 0; round < 2; round++) {
        const { code, stdout } = await workspace.run(command, { input: LARGE });
        expect(code).toBe(0);
        expect(stdout.slice(0, 400)).toMatch(/not stored/i);
        expect(stdout).not.toMatch(/art_\d/);
        expect(handleOf(await workspace.truncate(`${round} ${SMALL}`))).toMatch(/^art_/);
      }
      expect((await workspace.run(['artifacts', 'show', before, '--raw'])).stdout).toBe(SMALL);
      expect(await workspace.ids('--all')).toHaveLength(3);
    },
    60_000,
  );

  test('that others have filled to the last byte can be read and purged, and stores again once it has room', async () => {
    const workspace = await onDisk();
    const handles = [];
    for (let i = 0; i < 4; i++)
      handles.push(handleOf(await workspace.truncate(`${i} ${numberedLines(LINES_PER_MB)}`)));
    const ballast = await fillUp(workspace);
    const unstored = await workspace.run(['truncate'], { input: SMALL });
    expect(unstored.code).toBe(0);
    expect(unstored.stdout).toMatch(/not stored/i);
    for (const [i, id] of handles.entries())
      expect((await workspace.run(['artifacts', 'show', id, '--raw'])).stdout).toBe(
        `${i} ${numberedLines(LINES_PER_MB)}`,
      );
    await fillUp(workspace);
    const purged = await workspace.run(['artifacts', 'clean', '--purge']);
    expect(purged).toMatchObject({ code: 0, stderr: expect.stringContaining('Removing 4 stored outputs') });
    expect(await workspace.ids('--all')).toEqual([]);
    expect(freeOn(workspace)).toBeGreaterThan(1_500_000);
    // Also before the others have made room.
    expect(handleOf(await workspace.truncate(SMALL))).toMatch(/^art_/);
    await rm(ballast);
    expect(handleOf(await workspace.truncate(SMALL))).toMatch(/^art_/);
  }, 60_000);

  test('leaves no plain copy that is not whole', async () => {
    const workspace = await onDisk();
    const text = numberedLines(LINES_PER_MB);
    for (let i = 0; i < 8; i++) await workspace.run(['truncate', '--session', `s${i}`], { input: text });
    const files = (await filesBelow(workspace.artifacts)).filter(
      (file) => !/store\.db|\.gitignore/.test(file),
    );
    for (const file of files) expect(execFileSync('cat', [file]).toString(), file).toBe(text);
  }, 60_000);
});

/** A workspace on a disk of 8 MB. */
async function onDisk(): Promise<Workspace> {
  const workspace = await freshWorkspace();
  mounts(workspace.root, 8);
  return workspace;
}

function mounts(folder: string, megabytes: number): string[] {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('mkdir', [join(folder, '.git')]);
    mounted.push(folder);
    return [folder];
  } catch {
    console.warn('A full disk is not tested: mounting is not allowed here.');
    return [];
  }
}

/** Takes all the room that is left. */
async function fillUp({ root }: Workspace): Promise<string> {
  const file = join(root, `ballast-${existsSync(join(root, 'ballast-1')) ? 2 : 1}`);
  await writeFile(file, Buffer.alloc(freeOn({ root })));
  return file;
}

function freeOn({ root }: Pick<Workspace, 'root'>): number {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
}
