// A name that was typed wrong, wherever names are taken: the answer tells the right one.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace } from './program.ts';

describe.concurrent('the nearest right name is told for a wrong', () => {
  test.each([
    ['strategy', ['truncate', '--strategy', 'smart_sumary'], {}, 'smart_summary'],
    ['profile', ['truncate', '--profile', 'spil'], {}, 'spill'],
    ['dialect', ['truncate', '--set', 'dialect=standart'], {}, 'standard'],
    ['value of a setting', ['truncate', '--set', 'notice=emebdded'], {}, 'embedded'],
    ['strategy in a variable', ['truncate'], { TRUNCATION_STRATEGY: 'tial' }, 'tail'],
    ['profile in a variable', ['truncate'], { TRUNCATION_PROFILE: 'mpc' }, 'mcp'],
    ['name of a variable', ['truncate'], { TRUNCATION_STRATGEY: 'tail' }, 'strategy'],
    ['value for config set', ['config', 'set', 'notice', 'blok'], {}, 'block'],
    ['profile for config set', ['config', 'set', 'profile', 'exce'], {}, 'exec'],
    ['shell', ['completion', 'bsh'], {}, 'bash'],
    ['shape', ['sessions', 'export', 'cli', '--as', 'openai-chta'], {}, 'openai_chat'],
    ['client', ['mcp', 'install', '--client', 'curser'], {}, 'cursor'],
    ['level of the log', ['truncate'], { SPILLWAY_LOG: 'inof' }, 'info'],
  ])('%s', async (_what, args, env, right) => {
    const { run } = await freshWorkspace();
    const { code, stdout, stderr } = await run(args, { input: 'x', env });
    expect(stderr).toContain(` Did you mean ${right}?`);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('name or value in a file, each in its line', async () => {
    const { run, root } = await freshWorkspace();
    await mkdir(join(root, '.acode'));
    const settings = ['notice: blok', 'profile: spil', 'inline_limt: 9000', 'overides: {}'];
    await writeFile(
      join(root, '.acode', 'config.yml'),
      `tools:\n  truncation:\n${settings.map((line) => `    ${line}\n`).join('')}`,
    );
    const { code, stderr } = await run(['config', 'validate']);
    expect(code).toBe(2);
    for (const [line, right] of [
      [3, 'block'],
      [4, 'spill'],
      [5, 'inline_limit'],
      [6, 'overrides'],
    ])
      expect(stderr).toMatch(new RegExp(`config\\.yml:${line}: .* Did you mean ${right}\\?`));
  });

  test('strategy in a file', async () => {
    const { run, root } = await freshWorkspace();
    await writeFile(
      join(root, 'tools.yaml'),
      'tools:\n  read_file:\n    truncation:\n      strategy: head_tial\n',
    );
    const { code, stderr } = await run(['config', 'validate']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean head_tail?');
  });

  test('name of a setting of the store, or its value', async () => {
    const { run, root } = await freshWorkspace();
    await mkdir(join(root, '.config', 'spillway'), { recursive: true });
    await writeFile(
      join(root, '.config', 'spillway', 'config.yml'),
      'spillway:\n  durabilty: power\n  retention: durabel\n',
    );
    const { code, stderr } = await run(['config', 'validate']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean durability?');
    expect(stderr).toContain('Did you mean durable?');
  });
});
