// The benchmark in bench/retention: any command can be scored, and every need is in its fixture.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const RUN = fileURLToPath(new URL('../../../bench/retention/run.mjs', import.meta.url));

interface Result {
  readonly method: string;
  readonly kept: number;
  readonly over_limit: number;
  readonly scores: readonly { readonly id: string; readonly lost: readonly string[] }[];
}

function scored(...args: string[]): readonly Result[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [RUN, '--json', ...args], {
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return JSON.parse(stdout).results;
}

test('a command that cuts nothing shows every need of every fixture', () => {
  const [whole] = scored('--tool', 'cat', '--limit', '10000000');
  expect(whole).toMatchObject({ method: 'cat', kept: 1, over_limit: 0 });
  expect(whole?.scores.length).toBeGreaterThanOrEqual(24);
});

test('a text over the limit keeps nothing, and what a cut loses is named', () => {
  const only = ['--only', 'log-one-error', '--limit', '4000'];
  expect(scored('--tool', 'cat', ...only)).toMatchObject([{ kept: 0, over_limit: 1 }]);
  expect(scored('--tool', 'tail -c {limit}', ...only)).toMatchObject([
    { kept: 0, scores: [{ lost: ['could not write /api/refunds_20: disk quota exceeded (EDQUOT)'] }] },
  ]);
  expect(scored(...only)[0]).toMatchObject({ method: 'spillway, the default', kept: 1 });
});

test('a flag that is not known, and a tool that fails, are named in a sentence', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [RUN, ...args], { encoding: 'utf8' });
  expect(run('--cmd', 'cat')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^Unknown option '--cmd'/),
  });
  expect(run('--tool', 'exit 3')).toMatchObject({
    status: 2,
    stderr: 'exit 3 ended with 3.\nSee --help.\n',
  });
});

test('a tool may end before it has read everything', () => {
  const [nothing] = scored('--tool', 'true');
  expect(nothing).toMatchObject({ method: 'true', kept: 0, over_limit: 0 });
});
