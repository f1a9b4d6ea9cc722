/**
 * Several accounts on one machine. Runs the program for real under other user ids, which only the
 * administrator can do: elsewhere these tests are skipped.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, numberedLines } from '../program.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/spillway.js', import.meta.url));
const ROOT = 0;
const VICTIM = 54_001;
const ATTACKER = 54_002;
const SMALL_LIMIT = 'tools:\n  truncation:\n    inline_limit: 300\n';
/** Shown whole by default, and cut where the limit is small. */
const TEXT = numberedLines(400);

let base = '';

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-accounts-')));
  chmodSync(base, 0o1777);
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A folder of an account, made as needed. */
function folderOf(uid: number, ...path: string[]): string {
  const folder = join(base, ...path);
  if (!existsSync(dirname(folder))) folderOf(uid, ...path.slice(0, -1));
  mkdirSync(folder, { recursive: true });
  chownSync(folder, uid, uid);
  chmodSync(folder, 0o755);
  return folder;
}

function fileOf(uid: number, text: string, ...path: string[]): string {
  const file = join(base, ...path);
  writeFileSync(file, text);
  chownSync(file, uid, uid);
  chmodSync(file, 0o644);
  return file;
}

function runAs(uid: number, cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const home = folderOf(uid, `home-${uid}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    uid,
    gid: uid,
    input: TEXT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  return { code: status, stdout, stderr, home };
}

/** The program can be read by everybody only where the folders above it can. */
function othersCanRunIt(): boolean {
  if (process.getuid?.() !== ROOT) return false;
  const tried = spawnSync(process.execPath, [PROGRAM, '--version'], { uid: VICTIM, gid: VICTIM, cwd: '/' });
  return tried.status === 0;
}

describe.skipIf(!othersCanRunIt())('the workspace of another account', () => {
  it('above a folder of ours gets no outputs and gives no settings', async () => {
    const shared = folderOf(ROOT, 'shared');
    chmodSync(shared, 0o1777);
    const planted = folderOf(ATTACKER, 'shared', '.acode');
    fileOf(ATTACKER, SMALL_LIMIT, 'shared', '.acode', 'config.yml');
    chmodSync(planted, 0o777);
    const work = folderOf(VICTIM, 'shared', 'work');
    const { stdout, stderr, code } = runAs(VICTIM, work, ['truncate']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: TEXT });
    expect(stderr).toContain(`${shared} is marked as a workspace by another account, and is passed over`);
    expect(readdirSync(planted)).toEqual(['config.yml']);
    expect(existsSync(join(work, '.acode', 'artifacts', 'store.db'))).toBe(true);
  });

  it('in which we are gives no settings, and outputs are kept in a folder of ours', async () => {
    const theirs = folderOf(ATTACKER, 'theirs');
    folderOf(ATTACKER, 'theirs', '.acode');
    fileOf(ATTACKER, SMALL_LIMIT, 'theirs', '.acode', 'config.yml');
    chmodSync(theirs, 0o777);
    const { stdout, stderr, home } = runAs(VICTIM, theirs, ['truncate']);
    expect(stdout).toBe(TEXT);
    expect(stderr).toContain(`The workspace ${theirs} belongs to another account`);
    expect(stderr).toContain(`SPILLWAY_SAFE_WORKSPACES=${theirs}`);
    expect((await filesBelow(theirs)).length).toBe(1);
    expect((await filesBelow(home)).filter((file) => file.endsWith('store.db'))).toHaveLength(1);
    const doctor = runAs(VICTIM, theirs, ['doctor']);
    expect(doctor.stdout).toContain('! Trust: The workspace ');
    const allowed = runAs(VICTIM, theirs, ['truncate'], { SPILLWAY_SAFE_WORKSPACES: theirs });
    expect(allowed.stdout.length).toBeLessThanOrEqual(300);
  });

  it('is not believed by the administrator either, who writes nothing into it', async () => {
    const checkout = folderOf(VICTIM, 'checkout');
    folderOf(VICTIM, 'checkout', '.git');
    folderOf(VICTIM, 'checkout', '.acode');
    fileOf(VICTIM, SMALL_LIMIT, 'checkout', '.acode', 'config.yml');
    const { stdout, stderr, home } = runAs(ROOT, checkout, ['truncate']);
    expect(stdout).toBe(TEXT);
    expect(stderr).toContain(`The workspace ${checkout} belongs to another account`);
    expect(readdirSync(join(checkout, '.acode'))).toEqual(['config.yml']);
    expect((await filesBelow(home)).filter((file) => file.endsWith('store.db'))).toHaveLength(1);
  });

  it('is believed under sudo, because the person is the same; outputs are kept with those of the administrator', () => {
    const checkout = folderOf(VICTIM, 'by-sudo');
    folderOf(VICTIM, 'by-sudo', '.acode');
    fileOf(VICTIM, SMALL_LIMIT, 'by-sudo', '.acode', 'config.yml');
    const { stdout } = runAs(ROOT, checkout, ['truncate'], { SUDO_UID: `${VICTIM}` });
    expect(stdout.length).toBeLessThanOrEqual(300);
    expect(readdirSync(join(checkout, '.acode'))).toEqual(['config.yml']);
  });

  it('that is the administrator’s gives its settings, as in an image made as root and run as somebody', () => {
    const app = folderOf(ROOT, 'app');
    folderOf(ROOT, 'app', '.acode');
    fileOf(ROOT, SMALL_LIMIT, 'app', '.acode', 'config.yml');
    const { stdout } = runAs(VICTIM, app, ['truncate', '--json']);
    const { content, metadata } = JSON.parse(stdout);
    expect(content.length).toBeLessThanOrEqual(300);
    expect(runAs(VICTIM, app, ['artifacts', 'show', metadata.artifact_id, '--raw']).stdout).toBe(TEXT);
  });
});

describe.skipIf(!othersCanRunIt())('a file with settings in our workspace', () => {
  it.each([
    ['.acode/config.yml', SMALL_LIMIT],
    ['.env', 'TRUNCATION_MAX_CHARS=300\n'],
    ['tools.yaml', 'truncate:\n  truncation:\n    inline_limit: 300\n'],
  ])('%s that another account put there is not used, and this is said', (name, text) => {
    const folder = `planted-${name.replaceAll('/', '-')}`;
    const workspace = folderOf(VICTIM, folder);
    folderOf(VICTIM, folder, '.acode');
    const file = fileOf(ATTACKER, text, folder, ...name.split('/'));
    const { stdout, stderr } = runAs(VICTIM, workspace, ['truncate']);
    expect(stdout).toBe(TEXT);
    expect(stderr).toContain(`${file} belongs to another account, or others may write it`);
    chownSync(file, VICTIM, VICTIM);
    expect(runAs(VICTIM, workspace, ['truncate']).stdout.length).toBeLessThanOrEqual(300);
    chmodSync(file, 0o666);
    expect(runAs(VICTIM, workspace, ['truncate']).stdout).toBe(TEXT);
  });
});

describe.skipIf(!othersCanRunIt())('a store of another account', () => {
  it('in a workspace of ours is not opened', () => {
    const workspace = folderOf(VICTIM, 'swapped');
    folderOf(VICTIM, 'swapped', '.git');
    runAs(VICTIM, workspace, ['truncate']);
    chownSync(join(workspace, '.acode', 'artifacts', 'store.db'), ATTACKER, ATTACKER);
    const { stderr, code } = runAs(VICTIM, workspace, ['artifacts', 'list', '--all']);
    expect(code).toBe(0);
    expect(stderr).toContain('store.db belongs to neither you nor the owner of its folder');
    expect(runAs(VICTIM, workspace, ['store', 'trust']).stderr).toContain('belongs to another account');
  });
});
