// A default strategy that a person names decides about text; documents stay valid. One that is named
// for a tool or a call decides about everything.
import { describe, expect, test } from 'vitest';
import { numberedLines, workspaceWith } from '../program.ts';

const json = JSON.stringify({
  hits: Array.from({ length: 3_000 }, (_, i) => ({ id: i, file: `src/${i}.ts` })),
});
const WORKSPACE = '.acode/config.yml';
const settings = (text: string) => `tools:\n  truncation:\n${text.replace(/^/gm, '    ')}\n`;
const DEFAULT = settings('inline_limit: 8000\ndefault_strategy: head_tail\nhead_ratio: 0.6');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a default strategy', () => {
  test.each([
    ["of the workspace's file", { [WORKSPACE]: DEFAULT }, {}],
    ['of a variable', {}, { TRUNCATION_STRATEGY: 'tail' }],
    ['of a profile', { [WORKSPACE]: settings('profile: standard') }, {}],
  ])('%s leaves JSON valid', async (_, files, env) => {
    const { truncate } = await workspaceWith(files, env);
    const { content, metadata } = await truncate(json, '--tool', 'search_files');
    expect([isJson(content), metadata.strategy_used]).toEqual([true, 'element']);
  });

  test('decides about text', async () => {
    const { truncate } = await workspaceWith({ [WORKSPACE]: DEFAULT });
    const { metadata } = await truncate(numberedLines(2_000), '--tool', 'search_files');
    expect(metadata.strategy_used).toBe('head_tail');
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['for the tool', { [WORKSPACE]: settings('overrides:\n  search_files:\n    strategy: head_tail') }, []],
    ['for the call', {}, ['--strategy', 'head_tail']],
    [
      'without detection',
      { [WORKSPACE]: settings('default_strategy: head_tail\ncontent_detection: false') },
      [],
    ],
    [
      'by a profile that cuts whatever there is',
      { [WORKSPACE]: settings('profile: spill\nmax_chars: 8000\nshown: 6000') },
      [],
    ],
  ])('%s cuts JSON as text', async (_, files, flags) => {
    const { truncate } = await workspaceWith(files);
    const { content, metadata } = await truncate(json, '--tool', 'search_files', ...flags);
    expect([isJson(content), metadata.strategy_used]).toEqual([false, 'head_tail']);
  });
});
