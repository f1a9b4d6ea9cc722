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
