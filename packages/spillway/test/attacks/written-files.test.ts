/** What Spillway writes: where it goes, who can read it, and what is in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, freshWorkspace, numberedLines } from '../program.ts';

describe('the folder of the store', () => {
  it.each([
    ['that was there before', null],
    ['whose list lets everything through', '!*\n'],
    ['whose list names something else', 'node_modules\n'],
  ])('%s is kept out of git', async (_, list) => {
    const workspace = await freshWorkspace();
    execFileSync('git', ['init', '-q'], { cwd: workspace.root });
    mkdirSync(workspace.artifacts, { recursive: true });
    if (list !== null) writeFileSync(join(workspace.artifacts, '.gitignore'), list);
    await workspace.truncate(numberedLines(3_000));
    const status = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: workspace.root });
    expect(`${status}`).not.toContain('.acode');
  });

  it('that the user named and filled is left alone', async () => {
    const elsewhere = await freshWorkspace();
    const folder = join(elsewhere.root, 'mine');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const workspace = await freshWorkspace({ SPILLWAY_STORE: folder });
    await workspace.truncate(numberedLines(3_000));
    expect(readdirSync(folder)).not.toContain('.gitignore');
  });
});

describe('config set', () => {
  it.each([
    ['the file', 'config.yml'],
    ['its folder', ''],
  ])('writes nothing through a link that a workspace has as %s', async (_, linked) => {
    const workspace = await freshWorkspace();
    const target = join(workspace.root, 'target');
    mkdirSync(target);
    writeFileSync(join(target, 'config.yml'), '# mine\n');
    if (linked === '') symlinkSync(target, join(workspace.root, '.acode'));
    else {
      mkdirSync(join(workspace.root, '.acode'));
      symlinkSync(join(target, linked), join(workspace.root, '.acode', linked));
    }
    const { code, stderr } = await workspace.run(['config', 'set', 'inline_limit', '9000']);
    expect(code).toBe(2);
    expect(stderr).toContain('is a link');
    expect(readFileSync(join(target, 'config.yml'), 'utf8')).toBe('# mine\n');
  });

  it('makes the user’s own file for the user only, and keeps others from writing it', async () => {
    const workspace = await freshWorkspace();
    const file = join(workspace.root, '.config', 'spillway', 'config.yml');
    await workspace.shell('umask 000; spillway config set --user inline_limit 9000');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    await workspace.shell(`chmod 666 '${file}'; spillway config set --user inline_limit 9001`);
    expect(statSync(file).mode & 0o022).toBe(0);
  });
});

it('exec stores the names of variables and not their values', async () => {
  const workspace = await freshWorkspace();
  const { stdout } = await workspace.run([
    'exec',
    '--env',
    'TOKEN=hunter2hunter2',
    '--',
    'sh',
    '-c',
    'echo ${#TOKEN}',
  ]);
  expect(stdout).toBe('14\n');
  const { stdout: lines } = await workspace.run(['sessions', 'export', 'cli']);
  const contents = lines
    .split('\n')
    .map((line) => Buffer.from(line.match(/"base64":"([^"]*)"/)?.[1] ?? '', 'base64'));
  expect(`${Buffer.concat(contents)}`).toContain('TOKEN');
  for (const file of await filesBelow(workspace.root))
    expect(readFileSync(file).includes('hunter2hunter2'), file).toBe(false);
  expect(`${lines}${Buffer.concat(contents)}`).not.toContain('hunter2');
});

it('compiled code that is damaged is not run', async () => {
  const workspace = await freshWorkspace();
  const cache = join(workspace.root, '.cache');
  mkdirSync(cache, { mode: 0o700 });
  for (let run = 0; run < 7; run++) await workspace.run(['truncate'], { input: 'one\n' });
  const folder = join(cache, 'spillway', `${process.version}-${process.arch}`);
  const files = readdirSync(folder).map((name) => join(folder, name));
  expect(files.length).toBeGreaterThan(3);
  const whole = files.map((file) => readFileSync(file));
  for (let flip = 0; flip < 12; flip++) {
    for (const [i, file] of files.entries()) {
      const bytes = Buffer.from(whole[i] ?? '');
      const at = 8 + ((flip * 7_919 + i * 104_729) % (bytes.length - 8));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (flip % 8));
      writeFileSync(file, bytes, { mode: 0o600 });
    }
    expect(await workspace.run(['truncate'], { input: 'one\n' })).toMatchObject({ code: 0, stdout: 'one\n' });
  }
});
