// Secrets are replaced in what a model reads, or before anything is stored: proven on the program.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Workspace, workspaceWith } from '../program.ts';

// Put together here, so that no scanner takes this file for a leak.
const AWS = `AKIA${'QX7MZ2LT4WRV9KDP'}`;
const GITHUB = `ghp_${'a8Kd03mZq7Lw2Xc9Vb4Nn6Tt1Yy5Uu0Ii3Oo'}`;
const KEY = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIEpAIBAAKCAQEA7',
  'x9d8f7g6h5',
  '-----END RSA PRIVATE KEY-----',
];
const ENV = 'q8Zt2Lw9Xc4Vb7Nm1Kd6';
const OUTPUT = [
  `aws_access_key_id = ${AWS}`,
  `remote: https://x-access-token:${GITHUB}@example.org/a.git`,
  ...KEY,
  `export SERVICE_API_TOKEN=${ENV}`,
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
].join('\n');
const SECRETS = [AWS, GITHUB, 'MIIEpAIBAAKCAQEA7', ENV];

describe('redact', () => {
  test('off, the default, changes nothing', async () => {
    const workspace = await workspaceWith({ in: OUTPUT });
    const { stdout } = await workspace.shell('cat in | spillway truncate');
    expect(stdout.trimEnd()).toBe(OUTPUT);
  });

  test('projection: the model reads kinds in place of secrets, and the stored output is exact', async () => {
    const workspace = await workspaceWith({ in: OUTPUT });
    const shown = await run(workspace, 'projection');
    expect(shown).toContain('aws_access_key_id = [redacted: aws_key]');
    expect(shown).toContain('x-access-token:[redacted: github_token]@example.org');
    expect(shown).toContain('[redacted: private_key]\n\n\n\nexport SERVICE_API_TOKEN=[redacted: secret]\n');
    expect(shown).toContain('commit 3f786850e387550fdab836ed7e6dc881de23001b');
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
    // What stands in place of a key was not written by the tool.
    const { stdout: long } = await workspace.shell('(cat in; seq 1 9000) | spillway truncate', {
      env: { TRUNCATION_REDACT: 'projection' },
    });
    expect(long).toContain('[Redacted: 4 secrets.');
    expect(long).not.toContain('came from the tool');
    const { stdout: listed } = await workspace.shell('spillway artifacts list --json');
    const [{ id }] = JSON.parse(listed).artifacts ?? JSON.parse(listed);
    for (const how of ['show ID', 'show ID --lines 1-3', 'grep aws ID']) {
      const { stdout } = await workspace.shell(`spillway artifacts ${how.replace('ID', id)}`);
      expect(stdout).toContain('[redacted: aws_key]');
      expect(stdout).not.toContain(AWS);
    }
    const { stdout: raw } = await workspace.shell(`spillway artifacts show ${id} --raw`);
    expect(raw).toContain(AWS);
    const env = { CLAUDECODE: '1', TRUNCATION_REDACT: 'projection' };
    const teed = await workspace.shell('spillway exec --tee -- cat in', { env });
    expect(teed.stderr).toContain('--tee shows exact bytes');
    expect(teed.stdout + teed.stderr).not.toContain(AWS);
    for (const how of ['show ID --raw', 'show ID --interleaved', 'export ID']) {
      const refused = await workspace.shell(`spillway artifacts ${how.replace('ID', id)}`, {
        env: { CLAUDECODE: '1' },
      });
      expect(refused.stderr).toContain('secrets of art_');
      expect(refused.stderr).toContain('were redacted, and exact bytes are not for agents.');
      expect(refused.stdout).not.toContain(AWS);
    }
    expect(await stored(workspace)).toContain(AWS);
  });

  test('stored: no secret reaches the disk, and the record says so', async () => {
    const workspace = await workspaceWith({ in: OUTPUT });
    const shown = await run(workspace, 'stored');
    expect(shown).toContain('[redacted: aws_key]');
    const bytes = await stored(workspace);
    expect(bytes).toContain('[redacted: github_token]');
    for (const secret of SECRETS) expect(bytes).not.toContain(secret);
  });

  test('a workspace tightens it and never loosens it', async () => {
    const tight = await workspaceWith({ in: OUTPUT, ...settings('projection') });
    expect((await tight.shell('cat in | spillway truncate')).stdout).toContain('[redacted: aws_key]');
    const loose = await workspaceWith({ in: OUTPUT, ...settings('"off"') });
    expect(await run(loose, 'stored')).not.toContain(AWS);
  });

  test("the user's own patterns count, also in a text that is cut", async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => `row ${i} badge ACME-${100_000 + i} ok`);
    const own = settings("projection\n    redact_patterns: ['ACME-\\d+']");
    const workspace = await workspaceWith({ in: rows.join('\n'), ...own });
    const { stdout } = await workspace.shell('cat in | spillway truncate');
    expect(stdout).toContain('badge [redacted: own] ok');
    expect(stdout).not.toMatch(/ACME-\d/);
    expect(stdout).toContain('[Redacted: 3,000 secrets. Do not write this text back to a file.]');
  });
});

function settings(redact: string): Record<string, string> {
  return { '.acode/config.yml': `tools:\n  truncation:\n    redact: ${redact}\n` };
}

async function run(workspace: Workspace, mode: string): Promise<string> {
  const ran = await workspace.shell('cat in | spillway truncate --tool read_file', {
    env: { TRUNCATION_REDACT: mode },
  });
  expect(ran.code).toBe(0);
  return ran.stdout;
}

/** Everything below the store's folder. */
async function stored(workspace: Workspace): Promise<string> {
  const folder = join(workspace.root, '.acode', 'artifacts');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}
