// `spillway doctor` where something is wrong: it says what, and how to fix it.
import { chmod, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, type Ran } from './program.ts';

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: string | null;
}

function finding({ stdout }: Ran, name: string): Finding | undefined {
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.find((one) => one.name === name);
}

describe.concurrent('doctor', () => {
  test('names the setting that is wrong, and goes on', async () => {
    const { run } = await freshWorkspace({ TRUNCATION_MAX_CHARS: 'abc' });
    const ran = await run(['doctor', '--json']);
    expect(ran.code).toBe(1);
    expect(finding(ran, 'Settings')).toMatchObject({
      state: 'failure',
      detail: expect.stringContaining('TRUNCATION_MAX_CHARS'),
      fix: 'Correct that, and check with `spillway config validate`.',
    });
    expect(finding(ran, 'Workspace')).toMatchObject({ state: 'ok' });
  });

  test('lists servers behind the gateway, and a limit that Claude Code does not pass on', async () => {
    const { root, run } = await freshWorkspace({ TRUNCATION_INLINE_LIMIT: '40000' });
    const servers = '{ "mcpServers": { "a": { "command": "npx", "args": ["a"] }, "b": { "command": "b" } } }';
    await writeFile(join(root, '.mcp.json'), servers);
    await run(['mcp', 'install', '--client', 'claude-code', 'a']);
    await run(['hook', 'install', '--agent', 'claude-code']);
    const ran = await run(['doctor', '--json']);
    expect(finding(ran, 'Servers of Claude Code')).toMatchObject({
      state: 'ok',
      detail: `${join(root, '.mcp.json')}: behind the gateway: a; not behind it: b`,
    });
    expect(finding(ran, 'Limits in Claude Code')?.detail).toContain(
      'inline_limit of Bash (40,000, from TRUNCATION_INLINE_LIMIT) is above the 30,000 chars that Claude Code passes on',
    );
    await rm(join(root, '.claude', 'spillway-shell'));
    expect(finding(await run(['doctor', '--json']), 'Hook in Claude Code')).toMatchObject({
      state: 'failure',
      detail: expect.stringContaining('Claude Code cannot run commands'),
    });
  });

  test('finds content that was changed on the disk, and names the output', async () => {
    const { artifacts, run, truncate, ids } = await freshWorkspace();
    await truncate(numberedLines(3_000));
    await truncate(numberedLines(3_000, 'other'));
    const [newest = '', oldest = ''] = await ids();
    const db = new DatabaseSync(join(artifacts, 'store.db'));
    db.exec(`UPDATE piece SET data = zeroblob(length(data)) WHERE rowid = (SELECT max(rowid) FROM piece)`);
    db.close();
    const ran = await run(['doctor', '--json']);
    expect(ran.code).toBe(1);
    expect(finding(ran, 'Content')).toMatchObject({
      state: 'failure',
      detail: expect.stringContaining(newest),
    });
    expect(finding(ran, 'Content')?.detail).not.toContain(oldest);
    expect(finding(ran, 'Content')?.fix).toContain('restore it from a backup');
  });

  test('says that a file is no store', async () => {
    const { artifacts, run, truncate } = await freshWorkspace();
    await truncate('x');
    const file = await open(join(artifacts, 'store.db'), 'w');
    await file.write('not a database, but long enough to be taken for one by nobody');
    await file.close();
    const ran = await run(['doctor', '--json'], { env: { SPILLWAY_STORE: artifacts } });
    expect(ran.code).toBe(1);
    expect(finding(ran, 'Store')).toMatchObject({
      state: 'failure',
      fix: expect.stringContaining('move it away'),
    });
  });

  test('warns of a folder that is open to others', async () => {
    const { root, run } = await freshWorkspace();
    const env = { SPILLWAY_STORE: join(root, 'elsewhere') };
    await run(['truncate'], { input: 'x', env });
    await chmod(join(root, 'elsewhere'), 0o755);
    const ran = await run(['doctor', '--json'], { env });
    expect(ran.code).toBe(0);
    expect(finding(ran, 'Store folder')).toMatchObject({
      state: 'warning',
      fix: `Close it: chmod 700 ${join(root, 'elsewhere')}`,
    });
  });

  test('warns of a home that is not there', async () => {
    const { run } = await freshWorkspace();
    const ran = await run(['doctor', '--json'], { env: { HOME: '/nowhere/at/all' } });
    expect(ran.code).toBe(0);
    expect(finding(ran, 'Home')).toMatchObject({ state: 'warning', detail: '/nowhere/at/all is not there' });
  });

  test('says that a folder cannot be written, where nothing could be', async () => {
    const { root, run } = await freshWorkspace();
    await writeFile(join(root, 'a-file'), '');
    const ran = await run(['doctor', '--json'], { env: { SPILLWAY_STORE: '/proc/nowhere' } });
    expect(finding(ran, 'Store folder')?.detail).toContain('/proc/nowhere');
  });
});
