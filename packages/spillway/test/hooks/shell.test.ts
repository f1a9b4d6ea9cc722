/**
 * Commands of Claude Code through the script that `hook install` writes, run as Claude Code runs
 * them: with a file as standard output and error.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace, passingFolder, type Workspace } from '../program.ts';
import { claudeCall, hooked } from './hooked.ts';

interface Fuzz {
  shellFuzz(random: () => number, count: number): readonly string[];
  compareWays(command: string, where: object): Promise<string | null>;
  claudeCommand(command: string, cwdFile: string): string;
}

const fuzz: Fuzz = await import(new URL('../../../../scripts/agents/shell-fuzz.mjs', import.meta.url).href);
const { randomOf } = await import(new URL('../../../../scripts/campaign/content.mjs', import.meta.url).href);

async function installed(): Promise<{ readonly workspace: Workspace; readonly script: string }> {
  const workspace = await freshWorkspace();
  await workspace.run(['hook', 'install', '--agent', 'claude-code']);
  return { workspace, script: join(workspace.root, '.claude', 'spillway-shell') };
}

/** What is left in the file of a command, and its exit code. */
async function ran(script: string, command: string, { root }: Workspace, name = 'b1.output') {
  const file = join(root, name);
  const line = fuzz.claudeCommand(command, join(root, 'claude-1-cwd'));
  const output = openSync(file, 'a');
  const child = spawn(script, [line], {
    cwd: root,
    env: environment(root),
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const [code] = await once(child, 'close');
  return { code, text: readFileSync(file, 'utf8') };
}

function environment(home: string) {
  return { PATH: process.env.PATH, HOME: home, SHELL: '/bin/bash', TMPDIR: home };
}

describe('a command of Claude Code that fails', () => {
  it('leaves its error and its exit code within the limit, and all of it is stored', async () => {
    const { workspace, script } = await installed();
    const { code, text } = await ran(
      script,
      "seq 1 9000; echo 'ERROR: it broke' >&2; seq 9001 20000; exit 3",
      workspace,
    );
    expect(code).toBe(3);
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).toMatch(/^\[Artifact: art_\w+\] Bash: seq 1 9000; .*\n\[Exit code 3\. Showing /);
    expect(text).toContain('\nERROR: it broke\n');
    const [, id = ''] = /(art_\w+)/.exec(text) ?? [];
    const { stdout } = await workspace.run(['artifacts', 'show', id, '--raw']);
    expect(stdout.split('\n')).toHaveLength(20_002);
  });

  it('keeps a short output as it is, and it is stored', async () => {
    const { workspace, script } = await installed();
    expect(await ran(script, 'echo short; exit 4', workspace)).toEqual({ code: 4, text: 'short\n' });
    const { stdout } = await workspace.run(['artifacts', 'list', '--all', '--json']);
    expect(JSON.parse(stdout).artifacts).toHaveLength(1);
  });

  it('keeps its file whole where Claude Code has sent it to the background', async () => {
    const { workspace, script } = await installed();
    const started = claudeCall(workspace, 'Bash', { command: 'x' }, { backgroundTaskId: 'b7' });
    await workspace.run(['hook', 'claude-code'], {
      input: JSON.stringify(started),
      env: { TMPDIR: workspace.root },
    });
    const { text } = await ran(script, 'seq 1 20000; false', workspace, 'b7.output');
    expect(text.split('\n')).toHaveLength(20_001);
  });

  it('keeps all it printed where nothing can be stored, and where Spillway is gone', async () => {
    const { workspace, script } = await installed();
    writeFileSync(join(workspace.root, '.acode'), 'in the way');
    expect((await ran(script, 'seq 1 20000; false', workspace)).text).toHaveLength(108_894);
    const gone = readFileSync(script, 'utf8').replace(/\|\| .* hook shell/, '|| /gone/spillway hook shell');
    writeFileSync(script, gone);
    expect(await ran(script, 'seq 1 20000; false', workspace, 'b2.output')).toMatchObject({ code: 1 });
  });

  it('is left alone where it is one of ours: a page is not cut again', async () => {
    const { workspace, script } = await installed();
    const { text } = await ran(script, 'seq 1 20000; false', workspace);
    const [, show = ''] = /More: (.*)\]/.exec(text) ?? [];
    const missing = show.replace(/art_\w+/, 'art_1_0000000000000000');
    const page = await ran(script, `${show}; ${missing}`, workspace, 'b2.output');
    expect(page.code).toBeGreaterThan(0);
    expect(page.text.length).toBeGreaterThan(10_000);
  });
});

describe('what else comes through the script', () => {
  it('is a hook or a server, which runs as without it', async () => {
    const { workspace, script } = await installed();
    const line = `cat; echo "$0 $CLAUDE_CODE_SHELL_PREFIX"; exit 5`;
    const env = { ...environment(workspace.root), CLAUDE_CODE_SHELL_PREFIX: 'x' };
    const child = spawn(script, [line], { cwd: workspace.root, env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end('given\n');
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    expect((await once(child, 'close'))[0]).toBe(5);
    expect(out).toBe('given\n/bin/sh x\n');
  });

  it('is a command, whose output, exit code, files and folder are those without it', async () => {
    const { workspace, script } = await installed();
    const folder = await passingFolder();
    const random = randomOf(Number(process.env.SPILLWAY_SEED ?? 7));
    const all = fuzz.shellFuzz(random, 400);
    const sample = Array.from({ length: 40 }, () => all[Math.floor(random() * all.length)] ?? '');
    const stored = async (id: string, cwd: string) =>
      (await workspace.run(['artifacts', 'show', id, '--raw'], { cwd })).bytes;
    for (const command of sample) {
      const where = { folder, script, env: environment(workspace.root), stored };
      expect([command, await fuzz.compareWays(command, where)]).toEqual([command, null]);
    }
  }, 120_000);
});

it('the hook of Claude Code leaves what the script has bounded', async () => {
  const { workspace, script } = await installed();
  const { text } = await ran(script, 'seq 1 20000; false', workspace);
  const response = { stdout: text, stderr: '', interrupted: false, isImage: false };
  const call = claudeCall(workspace, 'Bash', { command: 'x' }, response);
  expect(await hooked(workspace, 'claude-code', call)).toMatchObject({ code: 0, stdout: '' });
});
