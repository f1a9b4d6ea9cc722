// Files of settings that are refused: each refusal names the file, the line and the field.
import { mkdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  ACODE_TOOLS,
  definition,
  general,
  override,
  refusal,
  setupWith,
  TOOLS,
  USER,
  WORKSPACE,
} from './config-files.ts';

describe('a file is refused, naming file, line and field,', () => {
  test.each<[string, string, string, string | RegExp]>([
    [
      'for an unknown field',
      WORKSPACE,
      general('snap: line\ninline_limt: 5000'),
      /^\.acode\/config\.yml:4: "inline_limt" is not a setting\. Did you mean inline_limit\? Settings: strategy, /,
    ],
    [
      'for a field as it is written in code',
      USER,
      general('inlineLimit: 5000'),
      'USER:3: "inlineLimit" is written inline_limit here.',
    ],
    [
      'for a limit of 0',
      WORKSPACE,
      general('inline_limit: 0'),
      '.acode/config.yml:3: inline_limit must be a whole number of at least 300; it was 0.',
    ],
    [
      'for a limit below 0',
      TOOLS,
      definition('x', 'max_chars: -1'),
      'tools.yaml:3: max_chars must be a whole number of at least 300; it was -1.',
    ],
    [
      'for a ratio above 1',
      ACODE_TOOLS,
      definition('x', 'head_ratio: 1.1'),
      '.acode/tools.yaml:3: head_ratio must be a number from 0 to 1; it was 1.1.',
    ],
    [
      'for a number in quotes',
      USER,
      general('inline_limit: "5000"'),
      'USER:3: inline_limit must be a whole number of at least 300; it was "5000".',
    ],
    [
      'for a list',
      WORKSPACE,
      general('snap: [line]'),
      '.acode/config.yml:3: snap must be one of line, exact; it was an object.',
    ],
    [
      'for a value that is missing',
      WORKSPACE,
      general('snap:'),
      '.acode/config.yml:3: snap must be one of line, exact; it was null.',
    ],
    [
      'for a limit above the threshold',
      WORKSPACE,
      general('inline_limit: 60000\nartifact_threshold: 50000'),
      'inline_limit (60000, from .acode/config.yml:3) must not be above artifact_threshold (50000, from .acode/config.yml:4); lower the first or raise the second.',
    ],
    [
      'for ends above the whole',
      TOOLS,
      definition('x', 'max_lines: 10\nhead_lines: 6\ntail_lines: 5'),
      'head_lines (6, from tools.yaml:4) and tail_lines (5, from tools.yaml:5) together must not be above max_lines (10, from tools.yaml:3).',
    ],
    [
      'for an unknown strategy',
      TOOLS,
      definition('x', 'strategy: tale'),
      /^strategy "tale" \(from tools\.yaml:3\) is not known\. Known: auto, head, tail, head_tail, size_limit, lines, reading, smart_summary, none, element/,
    ],
    [
      'for a key that is there twice',
      WORKSPACE,
      general('snap: line\nmax_lines: 9\nsnap: exact'),
      '.acode/config.yml:5: snap is there twice.',
    ],
    [
      'for a field under both its names',
      WORKSPACE,
      general('max_chars: 500\ninline_limit: 600'),
      '.acode/config.yml:4: inline_limit is set twice: .acode/config.yml:3 is the same setting.',
    ],
    [
      'for a tool that is there twice',
      WORKSPACE,
      `${override('Run', 'snap: line')}\n      run: {}\n`,
      '.acode/config.yml:6: run is there twice: also at .acode/config.yml:4.',
    ],
    [
      'for what is not YAML',
      WORKSPACE,
      'a: 1\nb: [1, 2\n',
      /^\.acode\/config\.yml:\d: it is not YAML: .+\.$/,
    ],
    ['for a tab that indents', TOOLS, 'x:\n\ttruncation: {}\n', /^tools\.yaml:2: it is not YAML: .+\.$/],
    [
      'for a list of settings',
      WORKSPACE,
      'tools:\n  truncation: [1]\n',
      '.acode/config.yml:2: truncation must be a map.',
    ],
    ['for tools that are no map', WORKSPACE, 'tools: all\n', '.acode/config.yml:1: tools must be a map.'],
    [
      'for overrides that are no map',
      WORKSPACE,
      general('overrides: 7'),
      '.acode/config.yml:3: overrides must be a map.',
    ],
    [
      'for an override that is no map',
      WORKSPACE,
      general('overrides:\n  x: tail'),
      '.acode/config.yml:4: x must be a map of settings.',
    ],
    [
      'for a definition whose truncation is no map',
      TOOLS,
      'x:\n  name: x\n  truncation: true\n',
      'tools.yaml:3: truncation must be a map of settings.',
    ],
    [
      'for a file that is no map',
      WORKSPACE,
      'hello\n',
      '.acode/config.yml:1: it must be a map with the key tools.',
    ],
    [
      'for a file in UTF-16',
      WORKSPACE,
      'h\0e\0l\0l\0o\0\n\0',
      '.acode/config.yml: it is not YAML in UTF-8: save it in that encoding.',
    ],
    [
      'for overrides within overrides',
      WORKSPACE,
      override('x', 'overrides: {}'),
      '.acode/config.yml:5: overrides stands below tools.truncation, not in the settings of one tool.',
    ],
    ['for nesting without end', WORKSPACE, `a: ${'['.repeat(100_000)}`, /^\.acode\/config\.yml/],
  ])('%s', async (_, file, text, message) => {
    const stderr = await refusal({ [file]: text });
    expect(stderr).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('also where a stronger source hides the wrong name', async () => {
    const files = {
      [TOOLS]: definition('x', 'strategy: tale'),
      [WORKSPACE]: override('x', 'strategy: tail'),
    };
    expect(await refusal(files)).toMatch(/^strategy "tale" \(from tools\.yaml:3\)/);
  });

  test('with all problems of all files at once', async () => {
    const stderr = await refusal(
      {
        [USER]: general('snap: word\nmax_lines: 1'),
        [WORKSPACE]: 'a: [',
        [TOOLS]: definition('x', 'colour: red'),
      },
      { TRUNCATION_HEAD_RATIO: '2' },
    );
    expect(stderr.split('\n').map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
      'The configuration has 5',
      '  USER:3: snap',
      '  USER:4: max_lines',
      expect.stringMatching(/^ {2}\.acode\/config\.yml:\d+: it/),
      '  tools.yaml:3: "colour"',
      '  TRUNCATION_HEAD_RATIO must',
    ]);
  });

  test('when it is a folder', async () => {
    const setup = await setupWith();
    await mkdir(setup.path(WORKSPACE), { recursive: true });
    await expect(setup.load()).rejects.toThrow('Cannot read .acode/config.yml: it is not a file.');
  });
});

describe('a file whose settings stand in the wrong place is refused, naming line and right place, for', () => {
  test.each<[string, string, string, string]>([
    [
      'a misspelt block at its top',
      USER,
      'snap:\nspilway:\n  retention: session\n',
      'USER:2: "spilway" is not a key at the top of this file. Did you mean spillway? Keys: tools, truncation, spillway.',
    ],
    [
      'tools without its s',
      WORKSPACE,
      'tool:\n  truncation:\n    inline_limit: 5000\n',
      `${WORKSPACE}:1: "tool" is not a key at the top of this file. Did you mean tools?`,
    ],
    [
      'a misspelt truncation at its top',
      WORKSPACE,
      'truncatoin: { inline_limit: 5000 }\n',
      `${WORKSPACE}:1: "truncatoin" is not a key at the top of this file. Did you mean truncation?`,
    ],
    [
      'a misspelt truncation below tools',
      WORKSPACE,
      'tools:\n  trunctation: { inline_limit: 5000 }\n',
      `${WORKSPACE}:2: "trunctation" is not a key below tools. Did you mean truncation? Keys: truncation.`,
    ],
    [
      'a key that is near to nothing',
      USER,
      'model: large\n',
      'USER:1: "model" is not a key at the top of this file. Keys: tools, truncation, spillway.',
    ],
    [
      'a setting at its top',
      WORKSPACE,
      'inline_limit: 5000\n',
      `${WORKSPACE}:1: inline_limit stands below tools.truncation, not at the top of this file.`,
    ],
    [
      'a misspelt setting at its top',
      WORKSPACE,
      'inline_limt: 5000\n',
      `${WORKSPACE}:1: "inline_limt" is not a key at the top of this file. Did you mean inline_limit, below tools.truncation?`,
    ],
    [
      'a setting below tools',
      WORKSPACE,
      'tools:\n  max_chars: 5000\n',
      `${WORKSPACE}:2: max_chars stands below tools.truncation, not below tools.`,
    ],
    [
      'overrides below tools',
      WORKSPACE,
      'tools:\n  overrides: { x: { snap: line } }\n',
      `${WORKSPACE}:2: overrides stands below tools.truncation, not below tools.`,
    ],
    [
      'the definition of a tool below tools',
      WORKSPACE,
      'tools:\n  read_file:\n    truncation: { max_chars: 500 }\n',
      `${WORKSPACE}:2: the settings of one tool stand below tools.truncation.overrides.read_file, or in tools.yaml.`,
    ],
    [
      'the definition of a tool at its top',
      USER,
      'command_executor:\n  name: command_executor\n  truncation: { max_chars: 500 }\n',
      'USER:1: the settings of one tool stand below tools.truncation.overrides.command_executor, or in tools.yaml.',
    ],
    [
      'a tool beside the settings for every tool',
      WORKSPACE,
      'tools:\n  truncation:\n    read_file: { max_chars: 500 }\n',
      `${WORKSPACE}:3: the settings of one tool stand below overrides: tools.truncation.overrides.read_file.`,
    ],
    [
      'misspelt overrides',
      WORKSPACE,
      'truncation:\n  override: { x: { snap: line } }\n',
      `${WORKSPACE}:2: "override" is not a setting. Did you mean overrides?`,
    ],
    [
      'a block too many in an override',
      WORKSPACE,
      'truncation:\n  overrides:\n    x: { truncation: { snap: line } }\n',
      `${WORKSPACE}:3: truncation is one level too many here: put its settings directly below the tool.`,
    ],
    [
      'how outputs are stored among the settings',
      USER,
      'tools:\n  truncation:\n    retention: session\n',
      'USER:3: retention stands below spillway in ',
    ],
    [
      'a setting among how outputs are stored',
      USER,
      'spillway:\n  max_chars: 500\n',
      'USER:2: max_chars stands below tools.truncation, not below spillway.',
    ],
    [
      'a setting of the top block and of tools',
      WORKSPACE,
      'truncation: { max_chars: 500 }\ntools: { truncation: { inline_limit: 600 } }\n',
      `${WORKSPACE}:1: max_chars is set twice: ${WORKSPACE}:2 is the same setting.`,
    ],
    [
      'a misspelt setting in a definition',
      TOOLS,
      'x:\n  truncation:\n    max_char: 500\n',
      `${TOOLS}:3: "max_char" is not a setting. Did you mean inline_limit?`,
    ],
    [
      'a misspelt truncation in a definition',
      TOOLS,
      'x:\n  name: x\n  truncaton: { max_chars: 500 }\n',
      `${TOOLS}:3: "truncaton" holds settings. Did you mean truncation?`,
    ],
    [
      'settings for every tool among definitions',
      TOOLS,
      'truncation:\n  max_chars: 500\n',
      `${TOOLS}:1: truncation stands in the definition of a tool here. Settings for every tool stand in ${WORKSPACE}.`,
    ],
    [
      'settings of a tool without a name',
      TOOLS,
      'tools:\n  - truncation: { max_chars: 500 }\n',
      `${TOOLS}:2: truncation is for a tool without a name: give its definition a name.`,
    ],
  ])('%s', async (_, file, text, message) => {
    expect(await refusal({ [file]: text })).toContain(message);
  });
});

describe('a file of the workspace', () => {
  const lifted = 'must not be above max_inline_limit (100000) there';
  const own = 'must be set in your own file';

  test.each<[string, string, string, string]>([
    ['a limit', WORKSPACE, 'truncation: { inline_limit: 2000000000 }\n', lifted],
    ['a limit by its alias', WORKSPACE, 'truncation: { max_chars: 100001 }\n', lifted],
    ['a limit for one tool', WORKSPACE, 'truncation: { overrides: { x: { max_chars: 100001 } } }\n', lifted],
    ['a limit in a definition', 'tools.yaml', 'x: { truncation: { max_chars: 100001 } }\n', lifted],
    [
      'a limit in another definition',
      '.acode/tools.yaml',
      'x: { truncation: { max_chars: 1000000 } }\n',
      lifted,
    ],
    ['a limit in .env', '.env', 'TRUNCATION_INLINE_LIMIT=2000000000\n', lifted],
    ['the size of a page', WORKSPACE, 'truncation: { page_limit: 100001 }\n', lifted],
    ['the size of a page in .env', '.env', 'TRUNCATION_PAGE_LIMIT=2000000000\n', lifted],
    ['the ceiling itself', WORKSPACE, 'truncation: { max_inline_limit: 2000000000 }\n', own],
    ['the ceiling in .env', '.env', 'TRUNCATION_MAX_INLINE_LIMIT=2000000000\n', own],
    ['the ceiling in a definition', 'tools.yaml', 'x: { truncation: { max_inline_limit: 900 } }\n', own],
    [
      'what is refused',
      WORKSPACE,
      'truncation: { on_over_max: reject }\n',
      'must not be reject in a file of the workspace',
    ],
    [
      'the largest size',
      WORKSPACE,
      'truncation: { max_artifact_size: 5 }\n',
      'must not be set in a file of the workspace',
    ],
    ['the largest size in .env', '.env', 'TRUNCATION_MAX_ARTIFACT_SIZE=5\n', 'must not be set in a file'],
    ['none', '.env', 'TRUNCATION_STRATEGY=none\n', 'must not be none in a file of the workspace'],
    ['how long outputs stay', WORKSPACE, 'spillway: { retention: session }\n', 'must not decide that'],
    ['where outputs are', WORKSPACE, 'spillway: { store: /tmp/x }\n', 'must not decide that'],
  ])('must not set %s too high, or at all', async (_, file, text, message) => {
    const refused = await refusal({ [file]: text });
    expect(refused).toContain(message);
    expect(refused).toContain(`${file}:1`);
  });
});
