// `spillway config`, and what configuration does to the other commands: through the built program.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, numberedLines, parsed, workspaceWith } from '../program.ts';

const WORKSPACE = '.acode/config.yml';
// The home of a workspace in tests is the workspace itself.
const USER = '.config/spillway/config.yml';

interface Explained {
  readonly tool: string;
  readonly policy_hash: string;
  readonly settings: Readonly<Record<string, { value: unknown; level: string; source: string }>>;
}

const general = (settings: string) => `tools: { truncation: { ${settings} } }\n`;

describe('truncate', () => {
  test('uses the limit of the user with the strategy of the tool; another tool is not touched, and nothing stays when it is gone', async () => {
    const { root, truncate } = await workspaceWith({
      [USER]: general('max_chars: 30000'),
      'tools.yaml': 'x: { truncation: { strategy: tail } }\n',
    });
    const text = numberedLines(10_000);
    const used = async (...flags: string[]) => (await truncate(text, ...flags)).metadata;
    const first = await used('--tool', 'x');
    expect(first).toMatchObject({ strategy_used: 'tail', was_truncated: true });
    expect(first.truncated_size).toBeGreaterThan(29_000);
    expect(await used('--tool', 'y')).toMatchObject({ strategy_used: 'head_tail' });
    expect(await used('--tool', 'x', '--strategy', 'head', '--limit', '500')).toMatchObject({
      strategy_used: 'head',
    });
    expect(await used('--tool', 'x')).toMatchObject({
      strategy_used: 'tail',
      policy_hash: first.policy_hash,
    });
    await writeFile(join(root, 'tools.yaml'), '');
    expect(await used('--tool', 'x')).toMatchObject({ strategy_used: 'head_tail' });
  });

  test('takes a profile, and settings beside it win', async () => {
    const { truncate } = await workspaceWith({ [WORKSPACE]: general('max_chars: 500') });
    const whole = 'x'.repeat(40_000);
    expect((await truncate(whole, '--profile', 'spill')).content).toBe(whole);
    const cut = await truncate(`${whole}y`, '--profile', 'spill', '--set', 'max_chars=900');
    expect(cut.content.length).toBeLessThanOrEqual(900);
  });

  test.each([
    ['your file', { [USER]: general('inline_limit: 0') }, {}, 'spillway/config.yml:1: inline_limit'],
    ['a variable', {}, { TRUNCATION_MAX_CHARS: 'abc' }, 'TRUNCATION_MAX_CHARS must be'],
  ])('does not start on a wrong setting in %s', async (_, files, env, message) => {
    const { run, artifacts } = await workspaceWith(files);
    const { code, stdout, stderr } = await run(['truncate'], { input: 'hello', env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^spillway: [^\n]+\n$/);
    expect(stderr).toContain(message);
    expect(existsSync(artifacts)).toBe(false);
  });

  test("stores where the user's file says, unless SPILLWAY_STORE says otherwise", async () => {
    const { root, run } = await workspaceWith({
      [USER]: 'spillway: { store: ~/outputs, durability: process, max_bytes: 1000000 }\n',
    });
    await run(['truncate'], { input: 'hello' });
    expect(existsSync(join(root, 'outputs', 'store.db'))).toBe(true);
    await run(['truncate'], { input: 'hello', env: { SPILLWAY_STORE: 'documents' } });
    expect(existsSync(join(root, 'documents', 'store.db'))).toBe(true);
    expect(existsSync(join(root, '.acode'))).toBe(false);
  });
});

describe('config show', () => {
  test('tells every setting with its source, those of tools, and the files', async () => {
    const { root, run } = await workspaceWith({
      [WORKSPACE]:
        'tools:\n  truncation:\n    max_chars: 9000\n    overrides:\n      Run: { strategy: tail }\n',
      [USER]: 'spillway: { retention: session }\n',
    });
    const { code, stdout, stderr } = await run(['config', 'show'], { env: { TRUNCATION_SNAP: 'exact' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/│ inline_limit +│ 9,000 +│ user +│ \.acode\/config\.yml:3 +│/);
    expect(stdout).toMatch(/│ snap +│ exact +│ user +│ TRUNCATION_SNAP +│/);
    expect(stdout).toMatch(/│ max_lines +│ off +│ system +│ built-in +│/);
    expect(stdout).toMatch(/│ Run +│ strategy +│ tail +│ tool +│ \.acode\/config\.yml:5 +│/);
    expect(stdout).toMatch(/│ tools\.yaml +│ not there +│/);
    const shown = parsed<Record<string, unknown>>(await run(['config', 'show', '--json']));
    expect(shown).toMatchObject({
      workspace: root,
      settings: { inline_limit: { value: 9_000, level: 'user', source: '.acode/config.yml:3' } },
      tools: { Run: { strategy: { value: 'tail', level: 'tool', source: '.acode/config.yml:5' } } },
      storage: { retention: 'session' },
    });
    expect(shown.files).toContainEqual({ path: join(root, WORKSPACE), read: true });
    expect(existsSync(join(root, '.acode', 'artifacts'))).toBe(false);
  });
});

describe('config explain', () => {
  test('names the true source of each field, from the built-in settings up to the command line', async () => {
    const { run } = await workspaceWith({
      [WORKSPACE]: general('page_limit: 5000'),
      'tools.yaml': 'execute_*:\n  truncation:\n    first_elements: 9\n',
      '.env': 'TRUNCATION_SNAP=exact\n',
    });
    const args = ['config', 'explain', 'Execute_Command', '--profile', 'repl', '--set', 'max_chars=900'];
    const { tool, settings } = parsed<Explained>(
      await run([...args, '--json'], { env: { TRUNCATION_LAST_ELEMENTS: '3' } }),
    );
    expect(tool).toBe('Execute_Command');
    expect(settings).toMatchObject({
      max_depth: { value: null, level: 'system', source: 'built-in' },
      page_limit: { value: 5_000, level: 'user', source: '.acode/config.yml:1' },
      snap: { value: 'exact', level: 'user', source: '.env:1' },
      last_elements: { value: 3, level: 'user', source: 'TRUNCATION_LAST_ELEMENTS' },
      first_elements: { value: 9, level: 'tool', source: 'tools.yaml:3' },
      head_ratio: { value: 0.5, level: 'task', source: 'profile repl (--profile)' },
      inline_limit: { value: 900, level: 'task', source: '--set max_chars' },
    });
    const { stdout } = await run(args);
    expect(stdout).toMatch(/│ head_ratio +│ 0\.5 +│ task +│ profile repl \(--profile\) +│/);
  });

  test('says of a tool with built-in settings that they are built-in', async () => {
    const { run } = await freshWorkspace();
    const { settings } = parsed<Explained>(await run(['config', 'explain', 'execute_command', '--json']));
    expect(settings.strategy).toEqual({ value: 'auto', level: 'system', source: 'built-in' });
  });

  test('says what auto does with the results of a tool', async () => {
    const { run } = await freshWorkspace();
    const { stdout } = await run(['config', 'explain', 'execute_command']);
    expect(stdout).toMatch(/│ a log, a test run, compiler messages or a stack trace +│ smart_summary +│/);
    expect(stdout).toMatch(/│ anything else after a failure +│ tail +│/);
    const { stdout: named } = await run(['config', 'explain', 'build', '--set', 'strategy=tail']);
    expect(named).not.toContain('What auto does');
  });
});

describe('config validate', () => {
  test('says what it read when all is well', async () => {
    const { run } = await workspaceWith({ [WORKSPACE]: general('snap: line'), '.env': '' });
    expect(await run(['config', 'validate'])).toMatchObject({
      code: 0,
      stdout: 'Valid: .acode/config.yml, .env.\n',
      stderr: '',
    });
    expect(parsed(await run(['config', 'validate', '--json']))).toEqual({
      valid: true,
      files: ['.acode/config.yml', '.env'],
    });
    const empty = await freshWorkspace();
    expect((await empty.run(['config', 'validate'])).stdout).toMatch(/^Valid\. There is no file/);
  });

  test('names every problem with file, line and field, and exits with 2', async () => {
    const { run } = await workspaceWith({
      [WORKSPACE]: 'tools:\n  truncation:\n    snap: word\n    colour: red\n',
    });
    const { code, stdout, stderr } = await run(['config', 'validate']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/\.acode\/config\.yml:3: snap must be one of line, exact; it was "word"\./);
    expect(stderr).toMatch(/\.acode\/config\.yml:4: "colour" is not a setting\./);
  });

  test('checks one file by itself, whatever else is wrong', async () => {
    const { run } = await workspaceWith({
      [WORKSPACE]: general('snap: word'),
      'drafts/new.yml': general('max_chars: 60000, artifact_threshold: 50000'),
      'drafts/tools.yaml': 'x:\n  truncation: { strategy: tale }\n',
      'drafts/good.yml': general('snap: exact'),
    });
    expect((await run(['config', 'validate', 'drafts/good.yml'])).stdout).toBe('Valid: drafts/good.yml.\n');
    for (const [file, message] of [
      ['drafts/new.yml', 'inline_limit (60000, from drafts/new.yml:1)'],
      ['drafts/tools.yaml', 'strategy "tale" (from drafts/tools.yaml:2) is not known. Known: auto, head, '],
      ['drafts/none.yml', 'there is no such file'],
    ] as const) {
      const { code, stdout, stderr } = await run(['config', 'validate', file]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(message);
    }
  });
});

describe('config schema', () => {
  test('prints the published schema; its help says how an editor finds it', async () => {
    const { run } = await freshWorkspace();
    const published = await readFile(new URL('../../schema/config.schema.json', import.meta.url), 'utf8');
    expect(JSON.parse((await run(['config', 'schema'])).stdout)).toEqual(JSON.parse(published));
    expect((await run(['config', 'schema', '--help'])).stdout).toContain('# yaml-language-server: $schema=');
  });
});

describe('config set', () => {
  const text = `# The agent's own
x-model: large   # do not change
tools:
  # how much a model reads
  truncation:
    max_chars: 9000 # was 8000

    snap: "line"
    overrides:
      # noisy
      Run:
        strategy: tail
    error_patterns:
    - ^QX-
    - boom
x-list: [1, 2]
`;

  test('changes one value and keeps comments, order, blank lines and lists', async () => {
    const { root, run } = await workspaceWith({ [WORKSPACE]: text });
    expect(await run(['config', 'set', 'inline_limit', '12_000'])).toMatchObject({
      code: 0,
      stdout: 'Set inline_limit to 12000 in .acode/config.yml.\n',
      stderr: '',
    });
    await run(['config', 'set', 'max_lines', 'off', '--tool', 'run']);
    const expected = text
      .replace('max_chars: 9000', 'max_chars: 12000')
      .replace('strategy: tail', 'strategy: tail\n        max_lines: off');
    expect(await readFile(join(root, WORKSPACE), 'utf8')).toBe(expected);
  });

  test('makes what is not there yet, in the workspace or for the user', async () => {
    const { root, run } = await freshWorkspace();
    await run(['config', 'set', 'max_chars', '900', '--tool', 'mcp__*']);
    await run(['config', 'set', 'profile', 'exec']);
    expect(await readFile(join(root, WORKSPACE), 'utf8')).toBe(
      'tools:\n  truncation:\n    overrides:\n      mcp__*:\n        max_chars: 900\n    profile: exec\n',
    );
    await run(['config', 'set', 'strategy', 'none', '--user']);
    const done = await run(['config', 'set', 'spillway.max_bytes', '5000000', '--user', '--json']);
    expect(parsed(done)).toEqual({
      setting: 'max_bytes',
      value: 5_000_000,
      file: join(root, USER),
      hidden_by: null,
      problems: [],
    });
    expect(await readFile(join(root, USER), 'utf8')).toBe(
      'tools:\n  truncation:\n    strategy: none\nspillway:\n  max_bytes: 5000000\n',
    );
    expect((await run(['config', 'validate'])).code).toBe(0);
  });

  test('changes the line of a value that is there, and no other char', async () => {
    const workspace = await freshWorkspace();
    const file = join(workspace.root, '.acode', 'config.yml');
    const text =
      'tools:\n   truncation:\n      max_chars:   8000     # chars\n      strategy : "auto"\n      overrides: {  Bash:  {max_chars: 900 , head_ratio:  0.5 } }\n\n\n#   end\n';
    await mkdir(join(workspace.root, '.acode'), { recursive: true });
    await writeFile(file, text);
    await workspace.run(['config', 'set', 'inline_limit', '4000']);
    const once = text.replace('8000  ', '4000  ');
    expect(await readFile(file, 'utf8')).toBe(once);
    await workspace.run(['config', 'set', 'inline_limit', '700', '--tool', 'Bash']);
    expect(await readFile(file, 'utf8')).toBe(once.replace('900', '700'));
  });

  test('adds a line and takes it out again among lines of blanks, and changes no other char', async () => {
    const before = `tools:
  truncation:
    # Inline limits
    inline_limit: 8000
    
    # Maximum artifact size
    max_artifact_size: 10485760  # 10MB
    
    overrides:
      execute_command:
        strategy: tail
      
      list_directory:
        strategy: element
        inline_limit: 10000
`;
    const { root, run } = await workspaceWith({ [WORKSPACE]: before });
    const now = () => readFile(join(root, WORKSPACE), 'utf8');
    await run(['config', 'set', 'snap', 'exact']);
    expect(await now()).toBe(`${before}    snap: exact\n`);
    await run(['config', 'unset', 'snap']);
    await run(['config', 'set', 'max_lines', '40', '--tool', 'execute_command']);
    expect(await now()).toBe(before.replace('tail\n', 'tail\n        max_lines: 40\n'));
    await run(['config', 'unset', 'max_lines', '--tool', 'execute_command']);
    expect(await now()).toBe(before);
  });

  test('fills empty blocks, keeps comments of an empty file, and repairs what it sets', async () => {
    for (const [before, after] of [
      ['tools:\n  # later\n', 'tools:\n  # later\n  truncation:\n    snap: exact\n'],
      ['# only a comment\n', '# only a comment\n\ntools:\n  truncation:\n    snap: exact\n'],
      [general('snap: word'), 'tools: { truncation: { snap: exact } }\n'],
      ['x-a: 1\r\n', 'x-a: 1\r\ntools:\r\n  truncation:\r\n    snap: exact\r\n'],
    ] as const) {
      const { root, run } = await workspaceWith({ [WORKSPACE]: before });
      expect(await run(['config', 'set', 'snap', 'exact'])).toMatchObject({ code: 0, stderr: '' });
      expect(await readFile(join(root, WORKSPACE), 'utf8')).toBe(after);
    }
  });

  test('changes its own line although others are wrong, and names those', async () => {
    const wrong = 'tools:\n  truncation:\n    strategy: tale\n    head_ratio: 7\n';
    const { root, run } = await workspaceWith({ [WORKSPACE]: wrong });
    const { code, stdout, stderr } = await run(['config', 'set', 'snap', 'exact']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Set snap to exact in .acode/config.yml.\n' });
    expect(stderr).toMatch(/^The configuration has 2 problems:\n/);
    expect(await readFile(join(root, WORKSPACE), 'utf8')).toBe(`${wrong}    snap: exact\n`);
    expect((await run(['config', 'set', 'page_limit', '1'])).code).toBe(2);
    expect(await run(['config', 'unset', 'slack'])).toMatchObject({
      code: 2,
      stderr:
        'spillway: .acode/config.yml does not set slack. `spillway config show` tells where each setting comes from.\n',
    });
  });

  test('says when a stronger source hides what was set', async () => {
    const { run } = await freshWorkspace();
    const { stderr } = await run(['config', 'set', 'snap', 'exact'], { env: { TRUNCATION_SNAP: 'line' } });
    expect(stderr).toBe('It has no effect here: TRUNCATION_SNAP also sets it, and is stronger.\n');
  });

  test('keeps a link a link and the permissions of the file', async () => {
    const { root, run } = await workspaceWith({ 'dotfiles/mine.yml': general('snap: line') });
    await mkdir(join(root, dirname(USER)), { recursive: true });
    await symlink(join(root, 'dotfiles/mine.yml'), join(root, USER));
    await chmod(join(root, 'dotfiles/mine.yml'), 0o600);
    expect((await run(['config', 'set', 'snap', 'exact', '--user'])).code).toBe(0);
    expect(await readFile(join(root, 'dotfiles/mine.yml'), 'utf8')).toContain('snap: exact');
    expect((await stat(join(root, 'dotfiles/mine.yml'))).mode & 0o777).toBe(0o600);
  });

  test.each([
    [
      'what a workspace file may not hold',
      ['strategy', 'none'],
      'must not be none in a file of the workspace',
    ],
    ['where outputs go', ['spillway.store', '/tmp/x'], 'A file of the workspace must not decide that'],
    ['an unknown field', ['colour', 'red'], '"colour" is not a setting'],
    ['a wrong value', ['inline_limit', '5'], 'inline_limit must be a whole number of at least 300'],
    ['a threshold below the limit', ['artifact_threshold', '899'], 'must not be above artifact_threshold'],
    ['an unknown strategy', ['strategy', 'tale'], 'is not known. Known: auto, head, '],
    ['an unknown profile', ['profile', 'huge'], 'is not a profile. Profiles: standard, '],
    [
      'a setting of the store that is none',
      ['spillway.colour', 'red', '--user'],
      'Settings: store, workspace, tenant, password_file, durability, ',
    ],
    ['a store for one tool', ['spillway.store', '/x', '--user', '--tool', 'x'], 'not a setting of a tool'],
  ])('refuses %s and leaves the file as it is', async (_, args, message) => {
    const { root, run } = await workspaceWith({ [WORKSPACE]: text });
    const { code, stdout, stderr } = await run(['config', 'set', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(await readFile(join(root, WORKSPACE), 'utf8')).toBe(text);
    expect(existsSync(join(root, USER))).toBe(false);
  });
});

test('the YAML library is loaded only when there is a YAML file', async () => {
  const spy = `const vm = process.getBuiltinModule('vm'); let loaded = false;
    vm.Script = class extends vm.Script { constructor(source, options) { super(source, options); loaded ||= /[\\\\/]yaml[\\\\/]dist/.test(options.filename); } };
    process.on('exit', () => process.stderr.write(loaded ? 'yaml' : 'no yaml'));`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(spy)}` };
  const { run, root } = await workspaceWith({ '.env': 'TRUNCATION_SNAP=line\n' });
  expect((await run(['truncate'], { input: 'x', env })).stderr).toBe('no yaml');
  await writeFile(join(root, 'tools.yaml'), '');
  expect((await run(['truncate'], { input: 'x', env })).stderr).toBe('yaml');
});

describe('config get and unset', () => {
  test('print one value, and take a setting out again without touching other lines', async () => {
    const before = '# mine\ntools:\n  truncation:\n    strategy:   tail # why\n';
    const { root, run } = await workspaceWith({ [WORKSPACE]: before });
    expect((await run(['config', 'get', 'inline_limit'])).stdout).toBe('8000\n');
    await run(['config', 'set', 'inline_limit', '12000']);
    expect((await run(['config', 'get', 'max_chars'])).stdout).toBe('12000\n');
    expect(parsed(await run(['config', 'get', 'strategy', '--json']))).toMatchObject({
      setting: 'strategy',
      value: 'tail',
    });
    const done = await run(['config', 'unset', 'inline_limit']);
    expect(done.stdout).toBe('Took inline_limit out of .acode/config.yml.\n');
    expect(await readFile(join(root, WORKSPACE), 'utf8')).toBe(before);
    expect((await run(['config', 'get', 'no_such_thing'])).code).toBe(2);
  });
});

describe.concurrent('truncation at the top of a file', () => {
  test.each([WORKSPACE, USER])('holds settings for every tool, and by tool: %s', async (file) => {
    const { run, root } = await workspaceWith({
      [file]: [
        'truncation:',
        '  strategy: "head_tail"',
        '  max_chars: 50000',
        '  max_lines: 1000',
        '  head_lines: 100',
        '  tail_lines: 100',
        '  preserve_errors: true',
        '  preserve_warnings: true',
        '  content_detection: true',
        '  overrides:',
        '    run: { max_chars: 900 }',
      ].join('\n'),
    });
    const name = file === USER ? join(root, USER) : file;
    const settings = async (tool: string) =>
      parsed<Explained>(await run(['config', 'explain', tool, '--json'])).settings;
    expect((await settings('x')).inline_limit).toEqual({ value: 50_000, level: 'user', source: `${name}:3` });
    expect((await settings('x')).tail_lines).toEqual({ value: 100, level: 'user', source: `${name}:6` });
    expect((await settings('run')).inline_limit).toEqual({ value: 900, level: 'tool', source: `${name}:11` });
  });

  test('is where config set goes on', async () => {
    const { run } = await workspaceWith({ [WORKSPACE]: 'truncation:\n  max_chars: 900\n' });
    expect(await run(['config', 'set', 'inline_limit', '1000'])).toMatchObject({ code: 0, stderr: '' });
    const { settings } = parsed<Explained>(await run(['config', 'explain', 'x', '--json']));
    expect(settings.inline_limit).toMatchObject({ value: 1_000, source: `${WORKSPACE}:2` });
  });
});

test('definitions of tools may be a list with names', async () => {
  const { truncate } = await workspaceWith({
    'tools.yaml': 'tools:\n  - name: x\n    truncation: { max_chars: 500 }\n  - name: y\n',
  });
  const text = 'word '.repeat(400);
  expect((await truncate(text, '--tool', 'x')).content.length).toBeLessThanOrEqual(500);
  expect((await truncate(text, '--tool', 'y')).content).toBe(text);
});
