/**
 * A file with settings that a repository brought and that is not valid: the bad line is passed over
 * and named, and the gateway, hooks and commands bound what they are given by all other lines.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf, through } from '../gateway/peer.ts';
import { bash, claudeCall, hooked } from '../hooks/hooked.ts';
import { freshWorkspace, numberedLines, passingFolder, type Workspace } from '../program.ts';

/** More than the limit, and less than what passes where nothing can be stored. */
const CHARS = 944_565;
const LONG = numberedLines(30_000, 'a line of output, number');

/** What is wrong, and whether the file can be read: one that cannot may exclude any tool from storing. */
const BAD: readonly (readonly [string, (root: string) => void, string, 'stored' | 'not stored'])[] = [
  [
    'a value that is none',
    (root) =>
      writeFileSync(join(root, '.acode/config.yml'), 'tools:\n  truncation:\n    inline_limit: much\n'),
    '.acode/config.yml:3: inline_limit must be a whole number',
    'stored',
  ],
  [
    'what is no YAML',
    (root) => writeFileSync(join(root, '.acode/config.yml'), 'tools: [\n'),
    '.acode/config.yml:2: it is not YAML',
    'not stored',
  ],
  [
    'a folder in its place',
    (root) => mkdirSync(join(root, '.acode/config.yml')),
    'Cannot read .acode/config.yml: it is not a file.',
    'not stored',
  ],
  [
    'a link to itself in its place',
    (root) => symlinkSync('config.yml', join(root, '.acode/config.yml')),
    'Cannot read .acode/config.yml (ELOOP)',
    'not stored',
  ],
  [
    'a setting that is not for a workspace',
    (root) => writeFileSync(join(root, '.acode/config.yml'), 'spillway: { store: /tmp/x }\n'),
    '.acode/config.yml:1: spillway says where outputs are stored',
    'stored',
  ],
  [
    'settings that are not valid together',
    (root) =>
      writeFileSync(
        join(root, 'tools.yaml'),
        'Bash: { truncation: { max_lines: 10, head_lines: 9, tail_lines: 9 } }\n',
      ),
    'together must not be above max_lines',
    'stored',
  ],
  [
    'a variable that is none',
    (root) => writeFileSync(join(root, '.env'), 'TRUNCATION_STRATEGY=none\n'),
    '.env:1: TRUNCATION_STRATEGY must not be none',
    'stored',
  ],
];

const HANDLE = /art_\d+_\w+/;
const EXCLUDED = /Full output not stored \(the setting exclude leaves it out\)/;

async function cloneWith(plant: (root: string) => void): Promise<Workspace> {
  const workspace = await freshWorkspace({ TMPDIR: await passingFolder() });
  mkdirSync(join(workspace.root, '.acode'));
  plant(workspace.root);
  return workspace;
}

describe.concurrent('a file of settings with', () => {
  it.each(BAD)(
    '%s is named by the gateway, which bounds and stores results',
    async (_, plant, named, stored) => {
      const { root } = await cloneWith(plant);
      const gateway = through(root);
      await gateway.initialize();
      const text = textOf(await gateway.call('emit', { chars: CHARS }));
      expect(text.length).toBeLessThanOrEqual(8_000);
      expect(text).toMatch(stored === 'stored' ? HANDLE : EXCLUDED);
      await gateway.untilStderr(named);
      expect(gateway.stderr.split('`spillway config validate` tells everything.').length).toBe(2);
      await gateway.close();
    },
  );

  it.each(BAD)('%s stops neither a hook nor exec, and doctor names it', async (_, plant, named, stored) => {
    const workspace = await cloneWith(plant);
    const ran = await hooked(workspace, 'claude-code', claudeCall(workspace, 'Bash', {}, bash(LONG)));
    expect(ran.code).toBe(0);
    expect(ran.stdout.length).toBeLessThan(10_000);
    expect(ran.stdout).toMatch(stored === 'stored' ? HANDLE : EXCLUDED);
    const notes = ran.stdout.split('[Settings: ').length - 1;
    const again = await hooked(workspace, 'claude-code', claudeCall(workspace, 'Bash', {}, bash(LONG)));
    expect([notes, again.stdout.includes('[Settings: ')]).toEqual([1, false]);
    expect(ran.stderr).toContain(named);
    const executed = await workspace.run(['exec', '--', 'seq', '100000']);
    expect(executed.code).toBe(0);
    expect(executed.stdout.length).toBeLessThanOrEqual(8_000);
    expect(executed.stdout).toMatch(stored === 'stored' ? HANDLE : EXCLUDED);
    expect((await workspace.run(['doctor'])).stdout).toContain(named);
  });
});

it("the user's own settings stay in force beside a file of the workspace that is not valid", async () => {
  const workspace = await cloneWith((root) => writeFileSync(join(root, '.acode/config.yml'), '- x\n'));
  mkdirSync(join(workspace.root, '.config/spillway'), { recursive: true });
  writeFileSync(join(workspace.root, '.config/spillway/config.yml'), 'truncation: { inline_limit: 500 }\n');
  const { stdout, stderr } = await workspace.run(['truncate'], { input: LONG });
  expect(stdout.length).toBeLessThanOrEqual(500);
  expect(stdout).toMatch(/art_\d+_\w+/);
  expect(stderr).toContain('.acode/config.yml:1: it must be a map with the key tools.');
});

it('the other lines of a file with a bad one stay in force, exclusions too', async () => {
  const workspace = await cloneWith((root) =>
    writeFileSync(
      join(root, '.acode/config.yml'),
      'truncation:\n  inline_limit: 600\n  page_limit: many\n  overrides:\n    secret: { exclude: everything }\n',
    ),
  );
  const { stdout, stderr } = await workspace.run(['truncate'], { input: LONG });
  expect(stdout.length).toBeLessThanOrEqual(600);
  expect(stdout).toMatch(HANDLE);
  expect(stderr).toContain('.acode/config.yml:3: page_limit must be a whole number');
  expect(stderr).toContain('The rest of .acode/config.yml is used');
  const secret = await workspace.run(['truncate', '--tool', 'secret'], { input: LONG });
  expect(secret.stdout.length).toBeLessThanOrEqual(600);
  expect(secret.stdout).not.toMatch(HANDLE);
  expect(await workspace.ids('--all')).toHaveLength(1);
});
