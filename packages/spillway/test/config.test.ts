// Settings from files and variables: which one wins, what explain says of it, and what is refused.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from 'spillway';
import { describe, expect, test } from 'vitest';
import { openSpillway } from '../../core/test/opening.ts';
import {
  ACODE_TOOLS,
  DOTENV,
  definition,
  explainer,
  type Files,
  general,
  override,
  refusal,
  setupWith,
  TOOLS,
  USER,
  WORKSPACE,
} from './config-files.ts';

describe('without any file', () => {
  test('the built-in settings apply, and the places that were looked at are told', async () => {
    const setup = await setupWith();
    const { layers, files, storage } = await setup.load();
    expect({ layers, storage }).toEqual({ layers: [], storage: {} });
    expect(files.map(({ path, found }) => [path, found])).toEqual(
      [USER, WORKSPACE, DOTENV, TOOLS, ACODE_TOOLS].map((name) => [setup.path(name), false]),
    );
    expect((await setup.explain())('inline_limit')).toEqual({
      value: 8_000,
      level: 'system',
      source: 'built-in',
    });
  });

  test.each([
    ['an empty file', ''],
    ['only comments', '# later\n'],
    ['empty blocks', 'tools:\n  truncation:\ntruncation:\n'],
    ['what only holds anchors', 'x-shared: &shared { snap: exact }\n'],
  ])('%s is as good as none', async (_, text) => {
    const setup = await setupWith({ [USER]: text, [WORKSPACE]: text, [TOOLS]: text });
    expect((await setup.load()).layers).toEqual([]);
  });

  test.each([
    ['empty overrides', 'tools:\n  truncation:\n    overrides:\n'],
    ['an empty override', 'tools:\n  truncation:\n    overrides:\n      x:\n'],
  ])('%s is as good as none', async (_, text) => {
    const setup = await setupWith({ [USER]: text, [WORKSPACE]: text });
    expect((await setup.load()).layers).toEqual([]);
  });

  test('tool definitions without settings are as good as none', async () => {
    const text = 'model: large\ntools:\n  read_file: { enabled: true, translation: { de: lesen } }\n';
    const setup = await setupWith({ [TOOLS]: text, [ACODE_TOOLS]: 'tools: [{ name: x }, read_file]\n' });
    expect((await setup.load()).layers).toEqual([]);
  });

  test('a folder .env, a Python environment, is passed over', async () => {
    const setup = await setupWith();
    await mkdir(setup.path(DOTENV));
    expect((await setup.load()).layers).toEqual([]);
  });
});

describe('settings for a tool', () => {
  test('that name only a strategy leave the limit of the user as it is', async () => {
    const setup = await setupWith({
      [USER]: general('max_chars: 30000'),
      [WORKSPACE]: override('x', 'strategy: tail'),
    });
    const explain = await setup.explain('x');
    expect(explain('inline_limit')).toEqual({ value: 30_000, level: 'user', source: `${setup.userFile}:3` });
    expect(explain('strategy')).toEqual({ value: 'tail', level: 'tool', source: `${WORKSPACE}:5` });
  });

  test('do not touch another tool', async () => {
    const setup = await setupWith({ [TOOLS]: definition('x', 'strategy: tail\nmax_chars: 500') });
    expect((await setup.explain('y'))('strategy')).toMatchObject({ value: 'auto', source: 'built-in' });
    expect((await setup.explain('y'))('inline_limit')).toMatchObject({ value: 8_000, source: 'built-in' });
  });

  test('are found by name and pattern in any case, the closer one winning', async () => {
    const setup = await setupWith({
      [WORKSPACE]: override('MCP__*', 'first_elements: 1\nlast_elements: 1'),
      [TOOLS]: definition('mcp__GitHub__*', 'first_elements: 2'),
    });
    expect((await setup.explain('mcp__github__search'))('first_elements').value).toBe(2);
    expect((await setup.explain('mcp__github__search'))('last_elements').value).toBe(1);
    expect((await setup.explain('mcp__files'))('first_elements').value).toBe(1);
    expect((await setup.explain('other'))('first_elements').value).toBe(5);
  });

  test('stand in a definition whose other keys are tolerated, at the top or below tools', async () => {
    const text =
      'command_executor:\n  name: "command_executor"\n  description: "Execute system commands"\n  parameters: [a, b]\n' +
      '  truncation:\n    strategy: "head_tail"\n    max_chars: 40000\n    max_lines: 1000\n    head_lines: 100\n    tail_lines: 100\n' +
      '    preserve_errors: true\n    preserve_warnings: true\n    content_detection: true\n' +
      'version: 3\ntools:\n  browser:\n    truncation: { strategy: head }\n  other: x\n';
    const setup = await setupWith({ [TOOLS]: text });
    expect((await setup.explain('Command_Executor'))('inline_limit')).toMatchObject({
      value: 40_000,
      source: 'tools.yaml:7',
    });
    expect((await setup.explain('browser'))('strategy')).toMatchObject({
      value: 'head',
      source: 'tools.yaml:17',
    });
  });

  test('may be shared by anchors, aliases and merge keys', async () => {
    const text =
      'base: &base\n  truncation: &limits\n    max_chars: 900\n    head_lines: 3\n' +
      'a:\n  truncation: *limits\nb:\n  truncation:\n    <<: *limits\n    max_chars: 950\nc:\n  <<: *base\n';
    const setup = await setupWith({ [TOOLS]: text });
    for (const [tool, limit, line] of [
      ['a', 900, 3],
      ['b', 950, 10],
      ['c', 900, 3],
    ] as const) {
      const explain = await setup.explain(tool);
      expect(explain('inline_limit')).toMatchObject({ value: limit, source: `tools.yaml:${line}` });
      expect(explain('head_lines').value).toBe(3);
    }
  });

  test('are passed over in a tools.yaml of another program', async () => {
    const setup = await setupWith({ [TOOLS]: '- hammer\n- saw\n' });
    expect((await setup.load()).layers).toEqual([]);
  });
});

describe('a profile', () => {
  const cases: readonly [string, Files, Readonly<Record<string, string>>, string, string][] = [
    ["the user's file", { [USER]: general('profile: mcp\nmax_lines: 700') }, {}, 'USER:3', 'USER:4'],
    [
      "the workspace's file",
      { [WORKSPACE]: general('max_lines: 700\nprofile: mcp') },
      {},
      `${WORKSPACE}:4`,
      `${WORKSPACE}:3`,
    ],
    ['.env', { [DOTENV]: 'TRUNCATION_PROFILE=mcp\nTRUNCATION_MAX_LINES=700' }, {}, '.env:1', '.env:2'],
    [
      'the environment',
      {},
      { TRUNCATION_PROFILE: 'mcp', TRUNCATION_MAX_LINES: '700' },
      'TRUNCATION_PROFILE',
      'TRUNCATION_MAX_LINES',
    ],
    [
      'tools.yaml',
      { [TOOLS]: definition('x', 'profile: mcp\nmax_lines: 700') },
      {},
      'tools.yaml:3',
      'tools.yaml:4',
    ],
    [
      "an override of the user's file",
      { [USER]: override('X', 'profile: mcp\nmax_lines: 700') },
      {},
      'USER:5',
      'USER:6',
    ],
    [
      "an override of the workspace's file",
      { [WORKSPACE]: override('x*', 'profile: mcp\nmax_lines: 700') },
      {},
      `${WORKSPACE}:5`,
      `${WORKSPACE}:6`,
    ],
  ];

  test.each(cases)(
    'in %s goes just below what stands beside it, and is named as the source',
    async (_, files, env, profileAt, ownAt) => {
      const setup = await setupWith(files);
      const explain = await setup.explain('x', env);
      const source = (setting: string) => explain(setting).source.replace(setup.userFile, 'USER');
      expect([explain('inline_limit').value, source('inline_limit')]).toEqual([
        50_000,
        `profile mcp (${profileAt})`,
      ]);
      expect([explain('max_lines').value, source('max_lines')]).toEqual([700, ownAt]);
    },
  );

  test('of a nearer source wins over settings of a farther one, and takes the place of its profile', async () => {
    const setup = await setupWith({ [USER]: general('profile: mcp\npage_limit: 1234\ninline_limit: 900') });
    const explain = await setup.explain('', { TRUNCATION_PROFILE: 'tail' });
    expect(explain('inline_limit')).toMatchObject({
      value: 8_000,
      source: 'profile tail (TRUNCATION_PROFILE)',
    });
    expect(explain('page_limit').value).toBe(1_234);
    expect(explain('max_lines').value).toBeNull();
  });

  test('for every tool is below what is set for one', async () => {
    const setup = await setupWith({ [TOOLS]: definition('x', 'max_chars: 600') });
    const explain = await setup.explain('x', { TRUNCATION_PROFILE: 'spill' });
    expect(explain('inline_limit')).toMatchObject({ value: 600, level: 'tool' });
    expect(explain('dialect')).toMatchObject({ value: 'spill', level: 'user' });
  });

  test.each([
    [
      'that does not exist',
      'profile: huge',
      /^\.acode\/config\.yml:3: profile "huge" is not a profile\. Profiles: standard, /,
    ],
    ['that is no name', 'profile: 7', /^\.acode\/config\.yml:3: profile must be the name of a profile\.$/],
  ])('%s is refused', async (_, text, message) => {
    expect(await refusal({ [WORKSPACE]: general(text) })).toMatch(message);
  });
});

describe('a file of the workspace', () => {
  const where = 'Set it in USER, in the environment (TRUNCATION_STRATEGY=none) or for one call.';

  test.each([
    [WORKSPACE, general('strategy: none'), '.acode/config.yml:3: strategy'],
    [WORKSPACE, general('default_strategy: none'), '.acode/config.yml:3: default_strategy'],
    [WORKSPACE, override('x', 'strategy: none'), '.acode/config.yml:5: strategy'],
    [TOOLS, definition('x', 'strategy: none'), 'tools.yaml:3: strategy'],
    [ACODE_TOOLS, definition('x', 'strategy: none'), '.acode/tools.yaml:3: strategy'],
    [DOTENV, 'TRUNCATION_STRATEGY=none', '.env:1: TRUNCATION_STRATEGY'],
  ])('(%s) must not allow none', async (file, text, label) => {
    expect(await refusal({ [file]: text })).toBe(
      `${label} must not be none in a file of the workspace. ${where}`,
    );
  });

  test('must not move the store or change how long outputs stay', async () => {
    for (const text of [
      'spillway: { store: /tmp/elsewhere }',
      'spillway:\n  retention: session\n',
      'spillway:\n',
    ])
      expect(await refusal({ [WORKSPACE]: text })).toBe(
        '.acode/config.yml:1: spillway says where outputs are stored and how long they stay. A file of the workspace must not decide that; set it in USER.',
      );
  });
});

describe("the user's file", () => {
  test('may allow none and say how outputs are stored', async () => {
    const setup = await setupWith({
      [USER]: `${general('strategy: none')}\nspillway:\n  store: ~/outputs\n  durability: process\n  retention: session\n  max_bytes: 1000000\n  max_age_days: 90\n`,
    });
    expect((await setup.explain())('strategy').value).toBe('none');
    expect((await setup.load()).storage).toEqual({
      store: join(setup.home, 'outputs'),
      durability: 'process',
      retention: 'session',
      maxBytes: 1_000_000,
      maxAgeDays: 90,
    });
  });

  test.each([
    [
      'store: outputs',
      'USER:2: spillway.store must be an absolute folder, one that begins with ~/, or an address as postgres://USER@HOST/DATABASE.',
    ],
    ['durability: none', 'USER:2: spillway.durability must be one of power, process.'],
    ['retention: 5', 'USER:2: spillway.retention must be one of durable, session.'],
    ['max_bytes: 0', 'USER:2: spillway.max_bytes must be a whole number of at least 1.'],
    ['max_age_days: 1.5', 'USER:2: spillway.max_age_days must be a whole number of at least 1.'],
    [
      'path: /x',
      'USER:2: "path" is not a setting of spillway. Settings: store, workspace, tenant, password_file, durability, retention, max_bytes, max_age_days',
    ],
  ])('with spillway.%s is refused', async (text, message) => {
    expect(await refusal({ [USER]: `spillway:\n  ${text}\n` })).toContain(message);
  });

  test('is below XDG_CONFIG_HOME where that is an absolute folder', async () => {
    const setup = await setupWith({
      '../xdg/spillway/config.yml': general('snap: exact'),
      [USER]: general('snap: line'),
    });
    expect((await setup.explain('', { XDG_CONFIG_HOME: setup.path('../xdg') }))('snap').value).toBe('exact');
    expect((await setup.explain('', { XDG_CONFIG_HOME: '../xdg' }))('snap').value).toBe('line');
  });
});

test('text that is read from somewhere else makes the same settings', async () => {
  const setup = await setupWith();
  const read = ({ name }: { name: string }) => (name === WORKSPACE ? general('snap: exact') : null);
  const config = await loadConfig({ workspace: setup.root, env: {}, home: null, read });
  expect(explainer(config, '')('snap')).toMatchObject({ value: 'exact', source: `${WORKSPACE}:3` });
});

test('a change at run time that does not go with what a file says for one tool is refused, and nothing changes', async () => {
  const setup = await setupWith({ [TOOLS]: definition('x', 'max_chars: 40000') });
  const { settings } = openSpillway({ store: null });
  settings.replace('configuration', (await setup.load()).layers);
  expect(() => settings.set({ artifact_threshold: 30_000 })).toThrow(
    'inline_limit (40000, from tools.yaml:3) must not be above artifact_threshold (30000, from api)',
  );
  expect(settings.effective('x').policy.artifactThreshold).toBe(50_000);
  settings.set({ max_lines: 'off' });
  expect(settings.effective('x').origins.maxLines).toEqual({ level: 'user', source: 'api' });
});

describe('own patterns', () => {
  const settings = (lines: string) => `tools:\n  truncation:\n${lines}`;

  test('of both files count together', async () => {
    const setup = await setupWith({
      [USER]: settings("    error_patterns: ['^QX-\\d+']\n    inline_limit: 9000\n"),
      [WORKSPACE]: settings("    error_patterns: ['(a|b)c']\n    warning_patterns:\n      - '(?i)slowly'\n"),
    });
    const { own, layers } = await setup.load();
    expect(own.errors.map(({ source }) => source)).toEqual(['^QX-\\d+', '(a|b)c']);
    expect(['QX-12 x', 'bc', 'x QX-1'].map((line) => own.errors.some((one) => one.test(line)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(own.warnings[0]?.test('it went SLOWLY')).toBe(true);
    expect(layers).toHaveLength(1);
  });

  test.each([
    ["    error_patterns: ['(']\n", 'error_patterns, item 1'],
    [
      "    error_patterns: ['x*']\n",
      'error_patterns, item 1 matches every line: it must need at least one character.',
    ],
    ['    warning_patterns: [ok, 3]\n', 'warning_patterns, item 2 must be a pattern in quotes.'],
    ['    error_patterns: boom\n', 'error_patterns must be a list of at most 50 patterns.'],
    [
      `    error_patterns: ['${'x'.repeat(201)}']\n`,
      'error_patterns, item 1 has 201 chars, at most 200 are allowed.',
    ],
    [
      `    warning_patterns: [${Array.from({ length: 50 }, (_, i) => `'a${i}(b?){30}c'`).join(', ')}]\n`,
      'the patterns are too large together',
    ],
  ])('that cannot be used are refused with their place: %j', async (lines, message) => {
    const text = await refusal({ [WORKSPACE]: settings(lines) });
    expect(text).toContain(`config.yml:3: ${message}`);
  });
});
