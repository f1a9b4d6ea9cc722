// Handles as people type them: `last`, beginnings, both ends of an output, a session, an age; and
// what is cleaned by them.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/open.ts';
import { freshWorkspace, handleOf, numberedLines, parsed, type Workspace } from '../program.ts';

const LONG = numberedLines(3_000);
const DAY_MS = 86_400_000;

/** Stores a cut output in the workspace as if its call had been made a while ago. */
async function planted({ root }: Workspace, daysAgo: number, session = 'cli'): Promise<string> {
  const clock = () => Date.now() - daysAgo * DAY_MS;
  const { spillway, workspace } = await open({ workspace: root, env: { HOME: root }, clock });
  const call = { tool: 'planted', session, scope: workspace.scope };
  const { projection } = await spillway.process(call, { kind: 'text', text: `${daysAgo}\n${LONG}` });
  await spillway.sealed({ projection });
  await spillway.close();
  return projection.metadata.artifact_id ?? '';
}

/** A beginning of the handle that no other has. */
function unique(id: string, others: readonly string[]): string {
  const lengths = Array.from({ length: id.length }, (_, i) => i + 8);
  const fit = lengths.find((length) => !others.some((other) => other.startsWith(id.slice(0, length))));
  return id.slice(0, fit);
}

describe.concurrent('a handle may be given', () => {
  test('as last: the newest that was cut, wherever a handle is taken', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate(`older\n${LONG}`);
    const id = handleOf(await truncate(`newer\n${LONG}`));
    await truncate('shown whole');
    expect((await run(['artifacts', 'show', 'last', '--lines', '1'])).stdout).toBe('newer\n');
    expect(parsed(await run(['artifacts', 'show', 'last', '--lines', '1', '--json']))).toMatchObject({ id });
    expect((await run(['artifacts', 'grep', 'newer|older', 'last'])).stdout).toBe('1:newer\n');
    expect(parsed(await run(['artifacts', 'export', 'last', '--json']))).toMatchObject({
      exported: [{ id }],
    });
  });

  test('as last where nothing was cut: the newest output', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate('one\n');
    await truncate('two\n');
    expect((await run(['artifacts', 'show', 'last'])).stdout).toBe('two\n');
  });

  test('as last where nothing is stored: refused, and nothing is made', async () => {
    const { run, artifacts } = await freshWorkspace();
    expect(await run(['artifacts', 'show', 'last'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'spillway: There is no artifact here: nothing has been stored yet.\n',
    });
    await expect(access(artifacts)).rejects.toThrow('ENOENT');
  });

  test('by a beginning that only one has, of the handle or of its random part', async () => {
    const workspace = await freshWorkspace();
    const old = await planted(workspace, 400);
    const id = handleOf(await workspace.truncate(LONG));
    for (const typed of [unique(old, [id]), old.slice(0, -1), old.split('_')[2]?.slice(0, 6) ?? '']) {
      const { code, stdout, stderr } = await workspace.run(['artifacts', 'show', typed, '--lines', '1']);
      expect([typed, code, stdout]).toEqual([typed, 0, '400\n']);
      expect(stderr).toContain(`[${old}: `);
    }
    const grepped = await workspace.run(['artifacts', 'grep', '^400$', unique(old, [id])]);
    expect(grepped.stdout).toBe('1:400\n');
  });

  test('by a beginning that several have: refused, and they are listed', async () => {
    const { run, truncate } = await freshWorkspace();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(handleOf(await truncate(`${i}\n${LONG}`)));
    for (const command of [['show'], ['grep', 'x'], ['export'], ['clean']]) {
      const { code, stdout, stderr } = await run(['artifacts', ...command, ids[0]?.slice(0, 10) ?? '']);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `spillway: ${ids[0]?.slice(0, 10)} is the beginning of 3 handles: ${ids.join(', ')}. Give more of it.\n`,
      );
    }
  });

  test.each([
    ['art_', 'at least 4 characters after art_'],
    ['art_17', 'at least 4 characters after art_'],
    ['zz', 'not an artifact id'],
    ['art_../../etc/passwd', 'not an artifact id'],
    ['', 'not an artifact id'],
    ['zzzzzz', 'not an artifact id'],
    ['art_9999999999', 'not an artifact id'],
    ['art_1699234567_a1b2c3d4', 'There is no artifact art_1699234567_a1b2c3d4 here.'],
  ])('but not as %j', async (typed, why) => {
    const { run, truncate } = await freshWorkspace();
    await truncate(LONG);
    const { code, stdout, stderr } = await run(['artifacts', 'show', typed]);
    expect(stdout).toBe('');
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
  });
});

describe.concurrent('both ends of an output', () => {
  test('--tail and --head give so many lines, as text, as JSON and raw', async () => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(LONG));
    const tail = await run(['artifacts', 'show', id, '--tail', '2']);
    expect(tail.stdout).toBe('line 2999\nline 3000\n');
    expect(tail.stderr).toContain('lines 2,999-3,000 of 3,000');
    expect((await run(['artifacts', 'show', id, '--head', '2'])).stdout).toBe('line 1\nline 2\n');
    expect((await run(['artifacts', 'show', id, '--tail', '9999', '--raw'])).stdout).toBe(LONG);
    expect(parsed(await run(['artifacts', 'show', id, '--tail', '1', '--json']))).toMatchObject({
      content: 'line 3000\n',
      lines: [3_000, 3_000],
    });
  });

  test('a last line without an end counts, and an empty output has none', async () => {
    const { run, truncate, ids } = await freshWorkspace();
    await truncate('one\ntwo\nthree');
    const [id = ''] = await ids('--all');
    expect((await run(['artifacts', 'show', id, '--tail', '1'])).stdout).toBe('three');
    await truncate('');
    const [empty = ''] = await ids('--all');
    expect(await run(['artifacts', 'show', empty, '--tail', '3'])).toMatchObject({ code: 0, stdout: '' });
  });

  test('of a command are those of each stream, or of the one that is named', async () => {
    const { run } = await freshWorkspace();
    await run(['exec', '--', 'sh', '-c', 'seq 1 9; seq 11 19 >&2']);
    expect((await run(['artifacts', 'show', 'last', '--tail', '2'])).stdout).toBe('8\n9\n18\n19\n');
    const one = await run(['artifacts', 'show', 'last', '--head', '2', '--part', 'stderr']);
    expect(one.stdout).toBe('11\n12\n');
    const { stdout } = await run(['artifacts', 'show', 'last', '--tail', '1', '--json']);
    const pages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(pages).toMatchObject([
      { part: 'stdout', content: '9\n' },
      { part: 'stderr', content: '19\n' },
    ]);
  });

  test.each([
    [['--tail', '0']],
    [['--tail', 'x']],
    [['--tail', '']],
    [['--tail', '3', '--head', '3']],
    [['--tail', '3', '--lines', '1-2']],
    [['--tail', '3', '--grep', 'x']],
    [['--tail', '3', '--interleaved']],
  ])('%j is refused', async (flags) => {
    const { run, truncate } = await freshWorkspace();
    const id = handleOf(await truncate(LONG));
    expect(await run(['artifacts', 'show', id, ...flags])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe.concurrent('artifacts list', () => {
  test('tells how old each is; in JSON when it was made', async () => {
    const workspace = await freshWorkspace();
    const ages = [400, 3, 1 / 24, 0].map(async (days) => planted(workspace, days));
    await Promise.all(ages);
    const { stdout } = await workspace.run(['artifacts', 'list']);
    expect(stdout).toMatch(/│ Age +│/);
    for (const age of [/│ \d{4}-\d\d-\d\d +│/, /│ 3 days +│/, /│ 1 h +│/, /│ now +│/])
      expect(stdout).toMatch(age);
    const { artifacts } = parsed<{ artifacts: { created: string }[] }>(
      await workspace.run(['artifacts', 'list', '--json']),
    );
    for (const { created } of artifacts) expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('--limit shows only the newest', async () => {
    const workspace = await freshWorkspace();
    await Promise.all([400, 3, 0].map(async (days) => planted(workspace, days)));
    const listed = parsed<{ artifacts: { created: string }[] }>(
      await workspace.run(['artifacts', 'list', '--json', '--limit', '2']),
    );
    expect(listed.artifacts).toHaveLength(2);
    expect(Date.parse(listed.artifacts[1]?.created ?? '')).toBeGreaterThan(Date.now() - 4 * 86_400_000);
    expect((await workspace.run(['artifacts', 'list', '--limit', '0'])).code).toBe(2);
  });

  test('--session and --tool show only what belongs there', async () => {
    const { run, truncate, ids } = await freshWorkspace();
    const mine = handleOf(await truncate(LONG, '--session', 'run-1', '--tool', 'a'));
    const other = handleOf(await truncate(LONG, '--session', 'run-1', '--tool', 'b'));
    await truncate(LONG, '--session', 'run-2', '--tool', 'a');
    await truncate('whole', '--session', 'run-1', '--tool', 'a');
    expect(await ids('--session', 'run-1')).toEqual([other, mine]);
    expect(await ids('--session', 'run-1', '--tool', 'a')).toEqual([mine]);
    expect(await ids('--session', 'run-1', '--tool', 'a', '--all')).toHaveLength(2);
    const { code, stderr } = await run(['artifacts', 'list', '--session', 'run-11']);
    expect([code, stderr]).toEqual([
      1,
      'spillway: There is no session of that name here. Did you mean run-1?\n',
    ]);
  });
});

describe.concurrent('artifacts clean', () => {
  test('of handles ends those and no others', async () => {
    const { root, run, truncate, ids } = await freshWorkspace();
    const first = await truncate(`1\n${LONG}`);
    const second = await truncate(`2\n${LONG}`);
    const third = handleOf(await truncate(`3\n${LONG}`));
    const dry = await run(['artifacts', 'clean', handleOf(first), 'last', '--dry-run', '--json']);
    expect(dry.stderr).toMatch(/^Would remove the handles of 2 outputs;/);
    expect(parsed(dry)).toMatchObject({ outputs: 2, dry_run: true });
    expect(await ids()).toHaveLength(3);
    expect((await run(['artifacts', 'clean', handleOf(first), third])).code).toBe(0);
    expect(await ids()).toEqual([handleOf(second)]);
    expect(await ids('--all')).toHaveLength(3);
    await expect(access(join(root, first.metadata.saved_path ?? ''))).rejects.toThrow('ENOENT');
    await access(join(root, second.metadata.saved_path ?? ''));
    await run(['artifacts', 'clean', handleOf(first), '--purge']);
    expect(await ids('--all')).toHaveLength(2);
  });

  test('of a handle that is not there removes nothing', async () => {
    const { run, truncate, ids } = await freshWorkspace();
    const id = handleOf(await truncate(LONG));
    const { code } = await run(['artifacts', 'clean', id, 'art_1699234567_a1b2c3d4', '--purge']);
    expect(code).toBe(1);
    expect(await ids()).toEqual([id]);
  });

  test('--older-than ends what is older, after showing it with --dry-run', async () => {
    const workspace = await freshWorkspace();
    const old = await planted(workspace, 8);
    const recent = await planted(workspace, 6);
    const dry = await workspace.run(['artifacts', 'clean', '--older-than', '7d', '--purge', '--dry-run']);
    expect(dry.stderr).toMatch(/^Would remove 1 stored output \(29 KB\)\.$/m);
    expect(await workspace.ids()).toEqual([recent, old]);
    await workspace.run(['artifacts', 'clean', '--older-than', '7d', '--purge']);
    expect(await workspace.ids('--all')).toEqual([recent]);
    const gone = await workspace.run(['artifacts', 'show', old]);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('no longer kept');
  });

  test.each([[['--older-than', '7']], [['--older-than', 'week']], [['last', '--older-than', '7d']]])(
    '%j is refused and removes nothing',
    async (flags) => {
      const { run, truncate, ids } = await freshWorkspace();
      await truncate(LONG);
      expect(await run(['artifacts', 'clean', ...flags])).toMatchObject({ code: 2, stdout: '' });
      expect(await ids()).toHaveLength(1);
    },
  );
});
