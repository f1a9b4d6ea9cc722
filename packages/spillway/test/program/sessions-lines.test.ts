// Sessions out of one workspace and into another, by the program.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace } from '../program.ts';

const LONG = 'a line of a long result\n'.repeat(2_000);
const CHAT = [
  { role: 'user', content: 'look' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: LONG },
  { role: 'assistant', content: 'done' },
];

describe('a session', () => {
  test('is taken in from a framework, exported as lines, taken in elsewhere, and written as it was', async () => {
    const [one, other] = [await freshWorkspace(), await freshWorkspace()];
    await writeFile(join(one.root, 'chat.json'), JSON.stringify({ messages: CHAT }));
    const args = ['sessions', 'import', 'chat.json', '--as', 'openai_chat', '--session', 'run-1'];
    for (let again = 0; again < 2; again++) {
      const { code, stdout } = await one.run(args);
      const what = again === 0 ? '4 messages and 1 output' : '0 messages and 0 outputs';
      expect([code, stdout]).toEqual([0, `Imported ${what} into session run-1.\n`]);
    }
    const { stdout: lines } = await one.run(['sessions', 'export', 'run-1']);
    for (const [outputs, messages] of [
      [1, 4],
      [0, 0],
    ]) {
      const taken = await other.run(['sessions', 'import', '--json'], { input: lines });
      expect(JSON.parse(taken.stdout)).toEqual({
        session: 'run-1',
        outputs,
        messages,
        summaries: 0,
        losses: [],
        legacy: 0,
        missing: 0,
      });
    }
    const { stdout } = await other.run(['sessions', 'export', 'run-1', '--as', 'openai_chat']);
    expect(JSON.parse(stdout)).toEqual(CHAT);
    const anthropic = await other.run(['sessions', 'export', 'run-1', '--as', 'anthropic']);
    expect(JSON.parse(anthropic.stdout)[2]).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: LONG }],
    });
  });

  test('that cannot be taken in or written says why, without what it holds', async () => {
    const workspace = await freshWorkspace();
    const cases: [string[], string, string][] = [
      [['import', '--as', 'openai_chat'], '[]', 'Into which session? Name it with --session.'],
      [['import', '--as', 'smoke', '--session', 'x'], '[]', '--as takes one of ai_ui, ai_model,'],
      [['import', '--as', 'anthropic', '--session', 'x'], 'secret words', 'This is not JSON'],
      [['import', '--session', 'x'], 'secret words', 'Line 1 is not a line of an exported session'],
      [['import'], 'secret words', 'The first line does not name a session'],
      [['import'], '', 'There is nothing to import: the file is empty.'],
      [['import', '--session', 'x'], '', 'The file is empty.'],
      [['import', 'nowhere.jsonl'], '', 'Cannot read "nowhere.jsonl": there is no such file or folder.'],
      [['export', 'nobody'], '', 'There is no session of that name here.'],
    ];
    for (const [args, input, message] of cases) {
      const { code, stderr, stdout } = await workspace.run(['sessions', ...args], { input });
      expect(code).not.toBe(0);
      expect(stderr).toContain(message);
      expect(stderr + stdout).not.toContain('secret');
    }
  });

  test('whose file was cut is no success: it says what is missing, what was imported, and what to do', async () => {
    const source = await freshWorkspace();
    const chat = JSON.stringify(CHAT);
    await source.run(['sessions', 'import', '--as', 'openai_chat', '--session', 'run-1'], { input: chat });
    const { stdout } = await source.run(['sessions', 'export', 'run-1']);
    const lines = stdout.trimEnd().split('\n');
    const end = lines.findIndex((line) => line.startsWith('{"type":"end"'));
    expect(end).toBeGreaterThan(2);
    const joined = (some: readonly string[]) => `${some.join('\n')}\n`;
    // In one workspace: what an earlier file brought stays, so the number of outputs only grows.
    const cases: [cut: string, message: RegExp, outputs: number][] = [
      [joined(lines.slice(0, 1)), /its end is missing\. Imported so far: 0 outputs and 0 messages\./, 0],
      [
        stdout.slice(0, 3_000),
        /^spillway: Line \d+ is not a line of an exported session, or only a piece/,
        0,
      ],
      [joined(lines.slice(0, end)), /^spillway: The file ends inside output art_\w+: it was cut\./, 0],
      [joined(lines.toSpliced(end, 1)), /^spillway: Lines of output art_\w+ are missing\./, 0],
      [joined(lines.slice(0, end + 1)), /its end is missing\. Imported so far: 1 output and 0 messages\./, 1],
      [joined(lines.toSpliced(end + 2, 1)), /should have 4 messages and has 3: lines are missing\./, 1],
      [joined(lines.slice(0, -1)), /^spillway: The file has no closing line: its end is missing\./, 1],
      [stdout.slice(0, -20), /^spillway: Line \d+ is not a line of an exported session, or only a piece/, 1],
    ];
    const other = await freshWorkspace();
    for (const [cut, message, outputs] of cases) {
      const { run, ids } = other;
      const taken = await run(['sessions', 'import'], { input: cut });
      expect(taken).toMatchObject({ code: 1, stdout: '' });
      expect(taken.stderr).toMatch(message);
      expect(taken.stderr).toContain('Export the session again and import the whole file');
      expect(await ids('--all')).toHaveLength(outputs);
    }
    expect((await other.run(['sessions', 'import'], { input: stdout })).stdout).toBe(
      'Imported 0 messages and 0 outputs into session run-1.\n',
    );
    const { stdout: again } = await other.run(['sessions', 'export', 'run-1']);
    expect(again.length).toBe(stdout.length);
  });

  test('that comes with results that were cut elsewhere, or without some, says how many', async () => {
    const { run } = await freshWorkspace();
    const call = (id: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
    });
    const cut = 'the beginning\n... [12,345 characters truncated] ...\nthe end';
    const chat = [call('a'), { role: 'tool', tool_call_id: 'a', content: cut }, call('b'), call('c')];
    const args = ['sessions', 'import', '--as', 'openai_chat', '--session', 'run-1'];
    expect(await run(args, { input: JSON.stringify(chat) })).toMatchObject({
      code: 0,
      stdout: 'Imported 4 messages and 1 output into session run-1.\n',
      stderr:
        'Legacy results: 1, cut before they came here; kept as given.\nMissing results: 2; the model is told so in their place.\n',
    });
    const lines = (await run(['sessions', 'export', 'run-1'])).stdout;
    const other = await freshWorkspace();
    const taken = await other.run(['sessions', 'import', '--json'], { input: lines });
    expect(JSON.parse(taken.stdout)).toMatchObject({ outputs: 1, messages: 4, legacy: 1, missing: 2 });
    expect((await other.run(['sessions', 'show', 'run-1'])).stdout).toContain(
      'Legacy results, cut before they came here: 1.\nMissing results: 2.\n',
    );
    // An output that was purged is not in the export: where it goes, its result is missing.
    const [id = ''] = lines.match(/art_\d+_\w+/) ?? [];
    await run(['artifacts', 'clean', id, '--purge']);
    const without = (await run(['sessions', 'export', 'run-1'])).stdout;
    const third = await freshWorkspace();
    const again = await third.run(['sessions', 'import', '--json'], { input: without });
    expect(JSON.parse(again.stdout)).toMatchObject({ outputs: 0, messages: 4, missing: 3 });
  });

  test('that was deleted is gone: it is neither listed nor shown, and its handles do not come back', async () => {
    const { run } = await freshWorkspace();
    const chat = JSON.stringify(CHAT);
    for (const id of ['kept', 'gone', 'done'])
      await run(['sessions', 'import', '--as', 'openai_chat', '--session', id], { input: chat });
    const lines = (await run(['sessions', 'export', 'gone'])).stdout;
    await run(['sessions', 'end', 'done']);
    await run(['sessions', 'delete', 'gone']);
    const listed = JSON.parse((await run(['sessions', 'list', '--all', '--json'])).stdout);
    expect(listed.sessions.map(({ id }: { id: string }) => id).sort()).toEqual(['done', 'kept']);
    expect(await run(['sessions', 'show', 'gone'])).toMatchObject({ code: 1, stdout: '' });
    expect(await run(['sessions', 'delete', 'gone'])).toMatchObject({ code: 1 });
    expect((await run(['sessions', 'import'], { input: lines })).stderr).toMatch(
      /^spillway: art_\w+ was deleted from this store, and a deleted handle does not come back: import the session into another workspace\.\n$/,
    );
  });
});
