// Settings that stand in the wrong place or under a wrong name: through the built program, which
// must not call such a file valid, and must not run on it.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsed, workspaceWith } from '../program.ts';

const WORKSPACE = '.acode/config.yml';
// The home of a workspace in tests is the workspace itself.
const USER = '.config/spillway/config.yml';
const TOOLS = 'tools.yaml';

describe.concurrent('a file is refused, naming line and right place, for', () => {
  test.each<[string, string, string, string]>([
    [
      'a misspelt block at its top',
      USER,
      'snap:\nspilway:\n  retention: session\n',
      'config.yml:2: "spilway" is not a key at the top of this file. Did you mean spillway? Keys: tools, truncation, spillway.',
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
      'config.yml:1: "model" is not a key at the top of this file. Keys: tools, truncation, spillway.',
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
      'config.yml:1: the settings of one tool stand below tools.truncation.overrides.command_executor, or in tools.yaml.',
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
      'config.yml:3: retention stands below spillway in ',
    ],
    [
      'a setting among how outputs are stored',
      USER,
      'spillway:\n  max_chars: 500\n',
      'config.yml:2: max_chars stands below tools.truncation, not below spillway.',
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
    const { run } = await workspaceWith({ [file]: text });
    const validated = await run(['config', 'validate']);
    expect(validated).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(await run(['truncate'], { input: 'hello' })).toMatchObject(
      file === USER ? { code: 2, stdout: '' } : { code: 0, stdout: 'hello' },
    );
  });
});

describe.concurrent('truncation at the top of a file', () => {
  interface Explained {
    readonly settings: Readonly<Record<string, { value: unknown; level: string; source: string }>>;
  }

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
    [TOOLS]: 'tools:\n  - name: x\n    truncation: { max_chars: 500 }\n  - name: y\n',
  });
  const text = 'word '.repeat(400);
  expect((await truncate(text, '--tool', 'x')).content.length).toBeLessThanOrEqual(500);
  expect((await truncate(text, '--tool', 'y')).content).toBe(text);
});
