// Limits as people set them, through the built program: what one limit does to another, and which
// source may raise one.
import { describe, expect, test } from 'vitest';
import { numberedLines, parsed, workspaceWith } from '../program.ts';

const WORKSPACE = '.acode/config.yml';
// The home of a workspace in tests is the workspace itself.
const USER = '.config/spillway/config.yml';

type Files = Readonly<Record<string, string>>;

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

describe.concurrent('a file of the workspace', () => {
  test("may set limits up to the ceiling that the user's file sets", async () => {
    const allowed = 'truncation: { max_inline_limit: 150000 }\n';
    const { run, truncate } = await workspaceWith({
      [USER]: allowed,
      [WORKSPACE]: general('inline_limit: 150000'),
    });
    const text = 'x'.repeat(150_000);
    expect((await truncate(text)).content).toBe(text);
    const { stderr } = await run(['config', 'set', 'inline_limit', '150001']);
    expect(stderr).toContain('must not be above max_inline_limit (150000) there');
    expect((await run(['config', 'set', 'max_inline_limit', '200000', '--user'])).code).toBe(0);
    expect((await run(['config', 'set', 'inline_limit', '150001'])).code).toBe(0);
  });

  test('may name a profile only within the ceiling', async () => {
    const { run } = await workspaceWith({
      [USER]: 'truncation: { max_inline_limit: 20000 }\n',
      [WORKSPACE]: general('profile: mcp'),
    });
    const { code, stdout, stderr } = await run(['truncate'], { input: 'x'.repeat(30_000) });
    expect(code).toBe(0);
    expect(stdout.length).toBeLessThanOrEqual(8_000);
    expect(stderr).toContain(
      'inline_limit (50000, from profile mcp (.acode/config.yml:1)) must not be above',
    );
    expect(stderr).toContain('The rest of the workspace is used');
  });

  test('may repeat the built-in size, which does not weaken what the user set', async () => {
    const { run } = await workspaceWith({
      [USER]: general('max_artifact_size: 5000'),
      [WORKSPACE]: general('max_artifact_size: 10485760'),
    });
    const { settings } = parsed<Explained>(await run(['config', 'explain', 'x', '--json']));
    expect(settings.max_artifact_size?.value).toBe(5_000);
  });

  test('does not show more than the limit by any other setting', async () => {
    const huge = 2_000_000_000;
    const settings = ['shown', 'per_part_limit', 'preview_limit', 'max_lines', 'max_tokens', 'head_lines']
      .concat('first_elements', 'last_elements', 'max_depth', 'artifact_threshold')
      .map((name) => `${name}: ${huge}`)
      .join(', ');
    const { run, truncate } = await workspaceWith({
      [WORKSPACE]: general(`${settings}, inline_limit: 100000, failing_factor: 10`),
    });
    const text = numberedLines(40_000);
    expect((await truncate(text)).content.length).toBeLessThanOrEqual(100_000);
    const failing = await run(['exec', '--json', '--', 'sh', '-c', 'seq 1 90000; exit 3']);
    expect(failing.code).toBe(3);
    expect(JSON.parse(failing.stdout).content.length).toBeLessThanOrEqual(100_000);
    expect(JSON.parse(failing.stdout).metadata.was_truncated).toBe(true);
  });
});

test.concurrent("flags, the environment and the user's file may go beyond the ceiling", async () => {
  const text = 'x'.repeat(120_000);
  const { truncate } = await workspaceWith({});
  expect((await truncate(text, '--limit', '200000')).content).toBe(text);
  const byVariable = await workspaceWith({}, { TRUNCATION_MAX_CHARS: '200000' });
  expect((await byVariable.truncate(text)).content).toBe(text);
  const byFile = await workspaceWith({ [USER]: general('max_chars: 200000') });
  expect((await byFile.truncate(text)).content).toBe(text);
  const ceiling = await byFile.run(['truncate'], { env: { TRUNCATION_MAX_INLINE_LIMIT: '500' }, input: 'x' });
  expect(ceiling.stderr).toContain('TRUNCATION_MAX_INLINE_LIMIT must be set in your own file');
});
