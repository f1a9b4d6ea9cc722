/**
 * The program on a system without numbers for accounts, as Windows is: Node has no `getuid` there,
 * and every folder looks as if all might write in it. Here both are taken away from a real process.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freshWorkspace, passingFolder } from '../program.ts';

const PRELOAD = 'delete process.getuid; delete process.geteuid;\n';

async function withoutAccounts() {
  const workspace = await freshWorkspace();
  const preload = join(await passingFolder(), 'without-accounts.mjs');
  await writeFile(preload, PRELOAD);
  await mkdir(workspace.artifacts, { recursive: true });
  for (const folder of [workspace.artifacts, dirname(workspace.artifacts)]) await chmod(folder, 0o777);
  return { ...workspace, env: { NODE_OPTIONS: `--import ${pathToFileURL(preload)}` } };
}

describe('on a system without numbers for accounts', () => {
  it('an output is stored, found again, and nothing is called open to others', async () => {
    const { run, env } = await withoutAccounts();
    const text = 'a line that says nothing\n'.repeat(1_000);
    const cut = await run(['truncate'], { input: text, env });
    expect(cut).toMatchObject({ code: 0, stderr: '' });
    const [id] = /art_\d+_\w+/.exec(cut.stdout) ?? [];
    const raw = await run(['artifacts', 'show', String(id), '--raw'], { env });
    expect(raw.stdout).toBe(text);
    const { stdout } = await run(['doctor'], { env });
    expect(stdout).not.toMatch(/open to others|chmod/);
  });
});
