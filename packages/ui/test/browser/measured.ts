/**
 * A workspace with something to tell: real runs whose results were cut, fetched again or lost a
 * failure, in sessions of which one has ended, under a file of settings with comments.
 */
import { expect } from 'vitest';
import { type Workspace, workspaceWith } from '../../../spillway/test/program.ts';
import { executed } from './recorded.ts';

export const CONFIG = `# Ours.
tools:
  truncation:
    inline_limit: 6000 # enough for most
    overrides:
      run_build:
        preserve_errors: false # too chatty
`;

const SEARCH = `
for (let i = 1; i <= 160; i++)
  console.log('src/module_' + i + '.ts:' + i * 3 + ': const value = resize(' + i + ', "call ' + process.argv[2] + '");');
`;

/** Line 901 of 1801 tells of a failure, which the beginning alone does not show. */
const BUILD = `
for (let i = 1; i <= 900; i++) console.log('12:00:01 INFO step ' + i);
console.log('12:00:02 ERROR TypeError: resize is not a function');
for (let i = 901; i <= 1800; i++) console.log('12:00:03 INFO step ' + i);
process.exitCode = 1;
`;

export interface Measured {
  readonly workspace: Workspace;
  /** Six results of run_search in the session find-callers, each cut and fetched again. */
  readonly searches: readonly string[];
  /** The result of run_build of which the failure was left out. */
  readonly build: string;
}

export async function measuredWorkspace(): Promise<Measured> {
  const workspace = await workspaceWith({
    'search.mjs': SEARCH,
    'build.mjs': BUILD,
    '.acode/config.yml': CONFIG,
  });
  const searched = async (call: number) => {
    const flags = ['--tool', 'run_search', '--session', 'find-callers'];
    const id = await executed(workspace, flags, ['node', 'search.mjs', String(call)]);
    expect((await workspace.run(['artifacts', 'show', id, '--lines', '60-140'])).code).toBe(0);
    return id;
  };
  const searches = await Promise.all([1, 2, 3, 4, 5, 6].map(searched));
  const flags = ['--tool', 'run_build', '--session', 'nightly', '--strategy', 'head'];
  const build = await executed(workspace, flags, ['node', 'build.mjs']);
  await executed(workspace, ['--session', 'old'], ['node', 'search.mjs', '9']);
  expect((await workspace.run(['sessions', 'end', 'old'])).code).toBe(0);
  return { workspace, searches, build };
}
