// Limits as people set them, through the built program: what one limit does to another, and which
// source may raise one.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, parsed, type Workspace } from './program.ts';

const WORKSPACE = '.acode/config.yml';
// The home of a workspace in tests is the workspace itself.
const USER = '.config/spillway/config.yml';

type Files = Readonly<Record<string, string>>;

async function workspaceWith(files: Files, env: Files = {}): Promise<Workspace> {
  const workspace = await freshWorkspace(env);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace.root, name)), { recursive: true });
    await writeFile(join(workspace.root, name), text);
  }
  return workspace;
}

const general = (settings: string) => `tools: { truncation: { ${settings} } }\n`;

interface Explained {
  readonly settings: Readonly<Record<string, { value: unknown; source: string }>>;
}

describe('a limit above the built-in threshold', () => {
  const text = numberedLines(8_000);

  test.each<[string, Files, Files, string[]]>([
    ['a variable', {}, { TRUNCATION_MAX_CHARS: '100000' }, []],
    ['--limit', {}, {}, ['--limit', '100000']],
    ['--set', {}, {}, ['--set', 'max_chars=100000']],
    ["the user's file", { [USER]: general('inline_limit: 100000') }, {}, []],
    ["the workspace's file", { [WORKSPACE]: general('inline_limit: 100000') }, {}, []],
    ['.env', { '.env': 'TRUNCATION_MAX_CHARS=100000\n' }, {}, []],
    ['a tool', { 'tools.yaml': 'truncate: { truncation: { max_chars: 100000 } }\n' }, {}, []],
  ])('from %s holds, and the threshold moves with it', async (_, files, env, flags) => {
    const { run, truncate } = await workspaceWith(files, env);
    expect(text.length).toBeGreaterThan(50_000);
    expect((await truncate(text, ...flags)).content).toBe(text);
    const set = flags.length === 0 ? [] : ['--set', 'inline_limit=100000'];
    const { settings } = parsed<Explained>(await run(['config', 'explain', 'truncate', ...set, '--json']));
    expect(settings.artifact_threshold).toMatchObject({
      value: 100_000,
      source: 'built-in, raised to inline_limit',
    });
  });

  test('is refused where a person set the threshold too, naming both places', async () => {
    const { run } = await workspaceWith({ [WORKSPACE]: general('artifact_threshold: 50000') });
    const { code, stdout, stderr } = await run(['truncate', '--limit', '60000'], { input: 'x' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('inline_limit (60000, from call)');
    expect(stderr).toContain('artifact_threshold (50000, from .acode/config.yml:1)');
  });
});

test('a threshold below the built-in limit holds: above it the projection opens with the card', async () => {
  const { truncate } = await workspaceWith({});
  const cut = await truncate('word '.repeat(1_200), '--set', 'artifact_threshold=5000');
  expect(cut.content).toMatch(/^\[Artifact: art_/);
  expect(cut.content.length).toBeLessThanOrEqual(5_000);
});
