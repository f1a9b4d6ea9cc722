import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { removed } from '../../../core/test/folders.ts';
import { freshWorkspace, numberedLines, parsed } from '../program.ts';

const ERROR = 'ERROR: connection refused at src/db.ts:77';
const WHOLE = `${numberedLines(2_000, '[12:00:01] step')}${ERROR}\n${numberedLines(2_000, '[12:00:02] step')}`;
const START = WHOLE.slice(0, 2_000);
const END = WHOLE.slice(-40_000);

interface Found {
  readonly total: Readonly<Record<string, number>>;
  readonly missed: readonly { agent: string; command: string; line: string; shown_by_default: boolean }[];
  readonly habits: readonly { command: string; shown_chars: number }[];
  readonly unreadable_lines: number;
  readonly unreadable_files: readonly string[];
  readonly sentence: string;
}

const tool = { failed: { command: 'npm test' }, at: '2026-05-04T10:00:00.000Z' };
const outside: string[] = [];
afterAll(() => Promise.all(outside.map(removed)));

/** What each agent leaves on disk of one long output that it cut; `file`: where the whole text is. */
const LEFT: Readonly<Record<string, (home: string) => Promise<void>>> = {
  'claude-code': async (home) => {
    const file = join(home, '.claude/projects/-work/s1/tool-results/b1.txt');
    await write(file, WHOLE);
    const shown = `<persisted-output>\nOutput too large (297.7KB). Full output saved to: ${file}\n\nPreview (first 2KB):\n${START}\n...\n</persisted-output>`;
    await writeLines(join(home, '.claude/projects/-work/s1.jsonl'), [
      { type: 'user', message: { content: 'please run the tests' }, timestamp: tool.at },
      {
        message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: tool.failed }] },
        timestamp: tool.at,
      },
      {
        message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: shown, is_error: false }] },
        toolUseResult: { stdout: START, persistedOutputPath: file },
        timestamp: tool.at,
      },
    ]);
  },
  codex: async (home) => {
    const whole = `${numberedLines(300, 'step')}${ERROR}\n${numberedLines(300, 'step')}`;
    await writeLines(join(home, '.codex/sessions/2026/05/04/rollout-a.jsonl'), [
      {
        payload: {
          type: 'function_call',
          name: 'exec_command',
          arguments: '{"cmd":"npm test"}',
          call_id: 'c1',
        },
      },
      {
        payload: {
          type: 'item_completed',
          item: { type: 'CommandExecution', id: 'c1', aggregated_output: whole, exit_code: 1 },
        },
      },
      {
        timestamp: tool.at,
        payload: {
          type: 'function_call_output',
          call_id: 'c1',
          output: `Process exited with code 1\nOutput:\nWarning: truncated output (original token count: 9000)\n${whole.slice(0, 900)}…8000 tokens truncated…`,
        },
      },
    ]);
  },
  gemini: async (home) => {
    const file = join(home, '.gemini/tmp/ws/tool-outputs/s/run_1.txt');
    await write(file, `<untrusted_context>\nOutput: ${WHOLE}\n</untrusted_context>`);
    const output = `Output too large. Showing first 8,000 and last 32,000 characters. For full output see: ${file}\n${START}${END}`;
    const call = { id: 'g1', name: 'run_shell_command', args: tool.failed, status: 'success' };
    const answered = { ...call, result: [{ functionResponse: { response: { output } } }] };
    // Gemini CLI writes a message again when its results have come.
    await writeLines(join(home, '.gemini/tmp/ws/chats/session-1.jsonl'), [
      { id: 'm', type: 'gemini', timestamp: tool.at, toolCalls: [call] },
      { id: 'm', type: 'gemini', timestamp: tool.at, toolCalls: [answered] },
      { id: 'm', type: 'gemini', timestamp: tool.at, toolCalls: [answered] },
    ]);
  },
  opencode: async (home) => {
    const folder = join(home, '.local/share/opencode');
    await write(join(folder, 'tool-output/tool_1'), WHOLE);
    const database = new DatabaseSync(join(folder, 'opencode.db'));
    database.exec(
      'CREATE TABLE session (id text); CREATE TABLE part (id text, session_id text, time_created integer, time_updated integer, data text)',
    );
    database.exec("INSERT INTO session VALUES ('ses_1')");
    const state = {
      status: 'completed',
      input: tool.failed,
      output: `...output truncated...\n\n${END}`,
      metadata: { exit: 1, truncated: true, outputPath: join(folder, 'tool-output/tool_1') },
    };
    database
      .prepare("INSERT INTO part VALUES ('p', 'ses_1', 1, ?, ?)")
      .run(Date.parse(tool.at), JSON.stringify({ type: 'tool', tool: 'bash', callID: 'o1', state }));
    database.close();
  },
  pi: async (home) => {
    const file = join(tmpdir(), `pi-bash-${process.pid.toString(16)}ab.log`);
    outside.push(file);
    await write(file, WHOLE);
    await writeLines(join(home, '.pi/agent/sessions/--work--/s.jsonl'), [
      {
        message: {
          role: 'assistant',
          content: [{ type: 'toolCall', id: 'p1', name: 'bash', arguments: tool.failed }],
        },
      },
      {
        timestamp: tool.at,
        message: {
          role: 'toolResult',
          toolCallId: 'p1',
          toolName: 'bash',
          content: [
            {
              type: 'text',
              text: `${END}\n[Showing lines 3000-4001 of 4001 (50.0KB limit). Full output: ${file}]\n\nCommand exited with code 1`,
            },
          ],
          details: {},
          isError: true,
        },
      },
    ]);
  },
  copilot: async (home) => {
    const file = join(tmpdir(), `1794919902174-copilot-tool-output-${process.pid}-ab.txt`);
    outside.push(file);
    await write(file, WHOLE);
    const content = `Output too large to read at once (297.7 KB). Saved to: ${file}\nConsider using tools like grep.\n\nPreview (first 500 chars):\n${START.slice(0, 500)}`;
    await writeLines(join(home, '.copilot/session-state/s/events.jsonl'), [
      {
        type: 'tool.execution_start',
        data: { toolCallId: 'k1', toolName: 'bash', arguments: tool.failed },
      },
      {
        type: 'tool.execution_complete',
        timestamp: tool.at,
        data: { toolCallId: 'k1', success: true, shellExecution: { exitCode: 1 }, result: { content } },
      },
    ]);
  },
};

describe.concurrent('spillway discover', () => {
  for (const [agent, leave] of Object.entries(LEFT))
    test(`names the error that ${agent} was never shown`, async () => {
      const { root, run } = await freshWorkspace();
      await leave(root);
      const found = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
      expect(found.missed).toMatchObject([
        { agent, command: 'npm test', line: ERROR, shown_by_default: true },
      ]);
      expect(found.total).toMatchObject({ sessions: 1, results: 1, cut: 1, cut_unknown: 0 });
      expect(found.habits).toMatchObject([{ command: 'npm test' }]);
    });

  test('prints a table, the missed errors and a sentence of numbers', async () => {
    const { root, run } = await freshWorkspace();
    await LEFT['claude-code']?.(root);
    const { code, stdout } = await run(['discover'], { env: { HOME: root } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^│ claude-code │ 1 +│ 1 +│ [\d,]+ +│ 1 +│ 1 +│ [\d,]+ +│$/m);
    expect(stdout).toContain(
      "In 1 result the cut of the agent removed an error that it was never shown; Spillway's default shows 1 of them:\n  claude-code s1: npm test\n    line 2,001: ERROR: connection refused at src/db.ts:77\n",
    );
    expect(stdout).toMatch(
      /^To share: In 1 session with 1 tool result my agents cut away errors in 1 result that they were never shown; Spillway's default shows 1 of them, in \d+ % (?:fewer|more) chars\.$/m,
    );
  });

  test('reads no file that the history may not name, and calls its content unknown', async () => {
    const { root, run } = await freshWorkspace();
    const secret = join(root, 'secret.txt');
    await write(secret, WHOLE);
    const folder = join(root, '.claude/projects/-work');
    await mkdir(join(folder, 'tool-results'), { recursive: true });
    await symlink(secret, join(folder, 'tool-results/link.txt'));
    await write(join(folder, 'tool-results/other.txt'), `${ERROR}\nquite another text\n`);
    const files = [secret, join(folder, 'tool-results/link.txt'), join(folder, 'tool-results/other.txt')];
    await writeLines(
      join(folder, 's.jsonl'),
      files.map((path, i) => ({
        message: {
          content: [
            {
              type: 'tool_result',
              tool_use_id: `t${i}`,
              content: `<persisted-output>\nsaved to: ${path}\n${START}`,
            },
          ],
        },
        timestamp: tool.at,
      })),
    );
    const found = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(found.missed).toEqual([]);
    expect(found.total).toMatchObject({ results: 3, cut: 3, cut_unknown: 3 });
    expect(found.sentence).toMatch(/^In 1 session with 3 tool results Spillway's default would have shown /);
  });

  test('makes control characters visible and leaves secrets out', async () => {
    const { root, run } = await freshWorkspace();
    const file = join(root, '.claude/projects/-work/s/tool-results/b.txt');
    const line = `ERROR: bad token ghp_${'a1B2'.repeat(9)} \u001b]0;title\u0007`;
    await write(file, `${numberedLines(2_000, 'step')}${line}\n${numberedLines(2_000, 'step')}`);
    await writeLines(join(root, '.claude/projects/-work/s.jsonl'), [
      {
        message: {
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't',
              content: `<persisted-output>\nsaved to: ${file}\n${numberedLines(40, 'step')}`,
            },
          ],
        },
        timestamp: tool.at,
      },
    ]);
    const { stdout } = await run(['discover'], { env: { HOME: root } });
    expect(stdout).toContain('bad token [redacted: github_token]');
    for (const hidden of ['ghp_', '\u001b', '\u0007']) expect(stdout).not.toContain(hidden);
  });

  test('knows an error line that the default shows without its time stamp or line end', async () => {
    const { root, run } = await freshWorkspace();
    const file = join(root, '.claude/projects/-work/s/tool-results/b.txt');
    const lines = [...Array(4_000).keys()].map(
      (i) => `2022-05-11T19:02:05.${1_000 + i}Z ${i === 2_000 ? 'error: no such image' : `step ${i}`}`,
    );
    await write(file, lines.join('\r\n'));
    const content = `<persisted-output>\nsaved to: ${file}\n${lines.slice(0, 40).join('\n')}`;
    await writeLines(join(root, '.claude/projects/-work/s.jsonl'), [
      { message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] }, timestamp: tool.at },
    ]);
    const found = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(found.missed).toMatchObject([{ line: lines[2_000], shown_by_default: true }]);
  });

  test('counts long results of a habit that it does not project by the mean of the others', async () => {
    const { root, run } = await freshWorkspace();
    const shown = (i: number) => `${numberedLines(600, `run ${i} of many, step`)}`;
    await writeLines(
      join(root, '.claude/projects/-work/s.jsonl'),
      [...Array(60).keys()].flatMap((i) => [
        { message: { content: [{ type: 'tool_use', id: `t${i}`, name: 'Bash', input: tool.failed }] } },
        {
          timestamp: tool.at,
          message: { content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: shown(i) }] },
        },
      ]),
    );
    const { total, habits } = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(total).toMatchObject({ results: 60, shown_chars: habits[0]?.shown_chars });
    const mean = (total.default_chars ?? 0) / 60;
    expect(mean).toBeGreaterThan(200);
    expect(mean).toBeLessThanOrEqual(8_000);
  });

  test('leaves what Spillway has shown already as it is', async () => {
    const { root, run } = await freshWorkspace();
    const page = `[art_1795043586_pwn2n2ryggqpbhct: lines 2-454 of 2,028]\n${numberedLines(1_200, 'step')}`;
    const read = `${numberedLines(1_200, 'step')}1201\t[Showing the first 31,900 of 99,000 chars (9,000 lines). Next: Read]\n`;
    await writeLines(
      join(root, '.claude/projects/-work/s.jsonl'),
      [page, read].map((content, i) => ({
        message: { content: [{ type: 'tool_result', tool_use_id: `t${i}`, content }] },
        timestamp: tool.at,
      })),
    );
    const { total, sentence } = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(total.default_chars).toBe(page.length + read.length);
    expect(sentence).toMatch(/ would have shown as many chars as my agents did\.$/);
  });

  test('passes over lines it cannot read, and what is older than --since', async () => {
    const { root, run } = await freshWorkspace();
    await LEFT.codex?.(root);
    await write(join(root, '.codex/sessions/rollout-b.jsonl'), 'no JSON\n{"payload":3}\n{"payload":{"ty');
    const all = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(all).toMatchObject({ unreadable_lines: 1, total: { results: 1 } });
    const none = await run(['discover', '--since', '2026-06-01'], { env: { HOME: root } });
    expect(none.stderr).toContain('No results of tools were found since then. Looked in ~/.claude/projects,');
    expect(none.stderr).toContain('\nNot readable: 1 line.\n');
  });

  test('counts no error as missed that a later result showed', async () => {
    const { root, run } = await freshWorkspace();
    await LEFT['claude-code']?.(root);
    const grep = { command: 'grep -n ERROR out.txt' };
    await appendLines(join(root, '.claude/projects/-work/s1.jsonl'), [
      {
        message: { content: [{ type: 'tool_use', id: 't2', name: 'Bash', input: grep }] },
        timestamp: tool.at,
      },
      {
        message: { content: [{ type: 'tool_result', tool_use_id: 't2', content: `2001:${ERROR}` }] },
        timestamp: tool.at,
      },
    ]);
    const found = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(found.missed).toEqual([]);
    expect(found.total).toMatchObject({ results: 2, cut: 1, cut_unknown: 0 });
  });

  test('reads on past a history that it cannot read, and names it', async () => {
    const { root, run } = await freshWorkspace();
    await LEFT['claude-code']?.(root);
    const database = join(root, '.local/share/opencode/opencode.db');
    await write(database, 'this is no database');
    const env = { HOME: root };
    const found = parsed<Found>(await run(['discover', '--json'], { env }));
    expect(found).toMatchObject({ unreadable_files: [database], total: { results: 1 } });
    const { stdout } = await run(['discover'], { env });
    expect(stdout).toContain(`\nNot readable: 1 file (${database}).\n`);
    const none = await run(['discover', '--agent', 'opencode'], { env });
    expect(none.stderr).toContain(`\nNot readable: 1 file (${database}).\n`);
  });

  test('looks where a variable of an agent says', async () => {
    const { root, run } = await freshWorkspace();
    await LEFT['claude-code']?.(root);
    await LEFT.opencode?.(root);
    const env = {
      HOME: join(root, 'nothing'),
      CLAUDE_CONFIG_DIR: join(root, '.claude'),
      XDG_DATA_HOME: join(root, '.local/share'),
    };
    const found = parsed<Found>(await run(['discover', '--json'], { env }));
    expect(found.missed.map(({ agent }) => agent)).toEqual(['claude-code', 'opencode']);
  });

  test('leaves a secret out of a command before it cuts the command', async () => {
    const { root, run } = await freshWorkspace();
    const command = `run ${'x'.repeat(180)} ghp_${'a1B2'.repeat(9)}`;
    await LEFT['claude-code']?.(root);
    const file = join(root, '.claude/projects/-work/s1.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"npm test"', JSON.stringify(command)));
    const found = parsed<Found>(await run(['discover', '--json'], { env: { HOME: root } }));
    expect(found.missed).toMatchObject([{ command: `run ${'x'.repeat(180)} [redacted: gith` }]);
  });

  test('compares results since then with what else was said since then', async () => {
    const { root, run } = await freshWorkspace();
    await LEFT['claude-code']?.(root);
    await appendLines(join(root, '.claude/projects/-work/s1.jsonl'), [
      { message: { content: 'x'.repeat(9_000) }, timestamp: '2026-04-01T10:00:00.000Z' },
    ]);
    const { total } = parsed<Found>(
      await run(['discover', '--json', '--since', '2026-05-01'], { env: { HOME: root } }),
    );
    expect(total.other_chars).toBeLessThan(200);
  });

  test('refuses an agent whose histories it does not know', async () => {
    const { run } = await freshWorkspace();
    const { code, stderr } = await run(['discover', '--agent', 'codexx']);
    expect(code).toBe(2);
    expect(stderr).toContain('--agent takes claude-code, codex, gemini, opencode, pi, copilot.');
    expect(stderr).toContain('Did you mean codex?');
  });
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function appendLines(file: string, lines: readonly object[]): Promise<void> {
  await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

async function writeLines(file: string, lines: readonly object[]): Promise<void> {
  await write(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
