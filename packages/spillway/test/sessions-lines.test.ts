// Sessions out of one workspace and into another, by the program.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace } from './program.ts';

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
      expect([code, stdout]).toEqual([0, `Took ${again === 0 ? 4 : 0} messages into session run-1.\n`]);
    }
    const { stdout: lines } = await one.run(['sessions', 'export', 'run-1']);
    const taken = await other.run(['sessions', 'import', '--json'], { input: lines });
    expect(JSON.parse(taken.stdout)).toEqual({ session: 'run-1', outputs: 1, messages: 4, summaries: 0 });
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
      [['import', '--as', 'anthropic', '--session', 'x'], 'secret words', 'That is no JSON'],
      [['import', '--session', 'x'], 'secret words', 'Line 1 is not a line of a session'],
      [['import', 'nowhere.jsonl'], '', 'The system refused to open (ENOENT).'],
      [['export', 'nobody'], '', 'There is no session of that name here.'],
    ];
    for (const [args, input, message] of cases) {
      const { code, stderr, stdout } = await workspace.run(['sessions', ...args], { input });
      expect(code).not.toBe(0);
      expect(stderr).toContain(message);
      expect(stderr + stdout).not.toContain('secret');
    }
  });
});
