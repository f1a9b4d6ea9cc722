import { History, textOf } from '@spillway/core/history';
import { describe, expect, test } from 'vitest';
import type { Stats } from '../../src/observe/stats.ts';
import { open } from '../../src/open.ts';
import { freshWorkspace, numberedLines, parsed } from '../program.ts';
import { onTerminal } from '../terminal.ts';

describe.concurrent('the program', () => {
  test('shows statistics as a table, with what it recommends and how to follow that', async () => {
    const { root, run } = await freshWorkspace();
    const { spillway, workspace } = await open({ workspace: root, env: { HOME: root } });
    const call = { tool: 'search', session: 'cli', scope: workspace.scope };
    for (let i = 0; i < 6; i++) {
      const text = numberedLines(1_100, `result ${i}`);
      const { artifact_id } = (await spillway.process(call, { kind: 'text', text })).projection.metadata;
      for (const lines of ['1-600', '600-1100'])
        await spillway.retrieve({ artifact_id, lines }, workspace.scope);
    }
    await spillway.close();
    const { code, stdout, stderr } = await run(['stats']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^6 outputs with \d+ KB: 6 cut \(100 %\)\.\nModels were shown [\d,]+ of [\d,]+ chars and fetched [\d,]+ later: about [\d,]+ tokens (?:saved|more)\.\nOf the cuts 0 were never followed up; 0 calls were made again\.\n\n┌/,
    );
    expect(stdout).toMatch(/^│ search │ 6 +│ 6 \(100 %\) │ -?[\d,]+ +│ 0 +│ 6 \(100 %\) │ \d+ KB │$/m);
    expect(stdout).toContain(
      'search: 100 % of cut results were fetched again; inline_limit 14,500 instead of 8,000 would have avoided 100 %: spillway config set inline_limit 14500 --tool search\n',
    );
  });

  test('tells by day, session and tool what was saved, and where it cost more', async () => {
    const { root, run } = await freshWorkspace();
    const { spillway, workspace } = await open({ workspace: root, env: { HOME: root } });
    const text = numberedLines(1_100, 'line');
    for (const tool of ['quiet', 'greedy']) {
      const call = { tool, session: `of ${tool}`, scope: workspace.scope };
      const { artifact_id } = (await spillway.process(call, { kind: 'text', text })).projection.metadata;
      for (let i = 0; tool === 'greedy' && i < 3; i++)
        await spillway.retrieve({ artifact_id, lines: '1-1100' }, workspace.scope);
    }
    await spillway.close();
    const gain = async (by: string) =>
      parsed<{ groups: { group: string; saved_chars: number; host_chars: number; shown_chars: number }[] }>(
        await run(['stats', '--by', by, '--json']),
      ).groups;
    expect(await gain('tool')).toMatchObject([{ group: 'quiet' }, { group: 'greedy' }]);
    const [quiet, greedy] = await gain('session');
    expect(quiet?.saved_chars).toBe((quiet?.host_chars ?? 0) - (quiet?.shown_chars ?? 0));
    expect(greedy).toMatchObject({ group: 'of greedy' });
    expect(greedy?.saved_chars).toBeLessThan(0);
    expect((await gain('day')).map(({ group }) => group)).toEqual([new Date().toISOString().slice(0, 10)]);
    const { total } = parsed<Stats>(await run(['stats', '--json']));
    const saved = (quiet?.saved_chars ?? 0) + (greedy?.saved_chars ?? 0);
    expect(total.estimated_tokens_saved).toBe(Math.round(saved / 4));
    const { stdout } = await run(['stats', '--by', 'tool']);
    expect(stdout).toMatch(/^│ quiet +│ 1 +│ 1 +│ 0 +│ [\d,]+ +│ █+ +│$/m);
    expect(stdout).toMatch(/^│ greedy +│ 1 +│ 1 +│ [\d,]+ +│ -[\d,]+ +│ -+ +│$/m);
    expect(stdout).toMatch(/^Models read [\d,]+ chars (?:less|more) than their agents would have shown/m);
    const refused = await run(['stats', '--by', 'dy']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--by takes day, week, session, tool, agent. Did you mean day?');
  });

  test('tells by agent: those that hooks name, and those that run our commands', async () => {
    const { root, run } = await freshWorkspace();
    const input = numberedLines(1_100, 'line');
    await run(['truncate'], { input, env: { CODEX_SANDBOX: 'x' } });
    await run(['exec', '--', 'echo', 'short'], { env: { CLAUDECODE: '1' } });
    const call = {
      hook_event_name: 'AfterTool',
      session_id: 'run-1',
      cwd: root,
      tool_name: 'run_shell_command',
      tool_input: {},
      tool_response: { llmContent: input, returnDisplay: '' },
    };
    await run(['hook', 'gemini'], { input: JSON.stringify(call) });
    await run(['truncate'], { input });
    const { groups } = parsed<{ groups: { group: string; outputs: number }[] }>(
      await run(['stats', '--by', 'agent', '--json']),
    );
    expect(groups.map(({ group, outputs }) => `${group} ${outputs}`).sort()).toEqual([
      'claude-code 1',
      'codex 1',
      'gemini 1',
      'not known 1',
    ]);
  });

  test('names the outputs of which something may have been lost, and the setting that would have shown it', async () => {
    const { root, run } = await freshWorkspace();
    const { spillway, workspace } = await open({ workspace: root, env: { HOME: root } });
    const call = { tool: 'build', session: 'cli', scope: workspace.scope };
    const policy = { contentDetection: false, preserveErrors: false };
    const quiet = numberedLines(900, '12:00:01 INFO step');
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      const text = `${quiet}12:00:02 ERROR TypeError: x${i} is not a function\n${quiet}`;
      const { projection } = await spillway.process(call, { kind: 'text', text }, { policy });
      ids.push(String(projection.metadata.artifact_id));
    }
    await spillway.close();
    const last = ids.toSorted().at(-1) ?? '';
    const { stdout } = await run(['stats']);
    expect(stdout).toContain(
      `Suspected loss: ${last} (build): line 901 speaks of a failure and was left out. See spillway artifacts show ${last} --part text --lines 896-906\n`,
    );
    expect(stdout).toContain('… and 1 more: spillway stats --json names them.\n');
    expect(stdout).toContain(
      'build: of 6 places that were fetched later or held a failure, 0 had been shown; preserve_errors true instead of false would have shown 6 (6 stored outputs replayed): spillway config set preserve_errors true --tool build\n',
    );
    const stats = parsed<{ tools: { suspected: { artifact_id: string }[] }[] }>(
      await run(['stats', '--json']),
    );
    expect(stats.tools[0]?.suspected.map(({ artifact_id }) => artifact_id).sort()).toEqual(ids.toSorted());
    const shown = await run(['artifacts', 'show', last, '--part', 'text', '--lines', '896-906']);
    expect(shown.stdout).toContain(`TypeError: x${ids.indexOf(last)} is not a function`);
  });

  test('counts what the histories of sessions went through, whichever process it was in', async () => {
    const { root, run } = await freshWorkspace();
    for (let process = 0; process < 2; process++) {
      const { spillway, store, workspace } = await open({ workspace: root, env: { HOME: root } });
      if (store === null) throw new Error('no store');
      const history = new History({ spillway, store, invariants: 'count' });
      const session = history.session({ scope: workspace.scope, session: 'run-1' });
      const say = (callId: string) =>
        session.say({
          id: callId,
          at: 1,
          role: 'assistant',
          parts: [{ type: 'call', callId, tool: 'read', input: '{}' }],
        });
      await say('a');
      await say('b');
      const text = numberedLines(3_000);
      // Ten times the same result is one write.
      for (let i = 0; i < 10; i++)
        await session.result({ callId: 'a', tool: 'read' }, { kind: 'text', text });
      for (let i = 0; i < 3; i++) await session.prepare();
      const prepared = await session.prepare();
      if (prepared.verdict === 'refused') throw new Error('refused');
      const sent = prepared.messages.flatMap(({ parts }) => parts).find((part) => part.type === 'result');
      if (process === 0 && sent?.type === 'result')
        await session.result({ callId: 'a', tool: 'read' }, { kind: 'text', text: textOf(sent) });
      expect(await session.prepare({ window: 500 })).toMatchObject({ verdict: 'refused' });
      await spillway.close();
    }
    expect(parsed(await run(['stats', '--json']))).toMatchObject({
      total: { outputs: 1, cut: 1, rendered_writes: 1, missing_results: 1 },
      history: {
        canonical_writes: 1,
        rendered_writes: 1,
        missing_results: 1,
        missing_rate: 0.5,
        refetches: 0,
        reexecutions: 0,
        overflows_avoided: 2,
      },
    });
    expect((await run(['stats'])).stdout).toContain(
      'Canonical writes: 1, rendered by Spillway: 1. Missing results: 1 (50 %). Refetches: 0. Re-executions: 0. Overflows avoided: 2.\n',
    );
  });

  test('tells how often a setting that is not the default was in force', async () => {
    const { run, truncate } = await freshWorkspace({ TRUNCATION_MAX_LINES: '500' });
    await truncate('x', '--tool', 'a');
    await truncate('y', '--tool', 'a', '--limit', '600', '--strategy', 'tail');
    // A value that is the default changes nothing, whoever gave it.
    await truncate('z', '--tool', 'b', '--limit', '600', '--set', 'head_ratio=0.6');
    const { total, tools } = parsed<{ total: object; tools: { tool: string; settings: object }[] }>(
      await run(['stats', '--json']),
    );
    expect(total).toMatchObject({ settings: { inline_limit: 2, max_lines: 3, strategy: 1 } });
    expect(tools.find(({ tool }) => tool === 'b')?.settings).toEqual({ inline_limit: 1, max_lines: 3 - 2 });
    expect((await run(['stats'])).stdout).toContain(
      'Outputs under settings that are not the default: max_lines 3 (100 %), inline_limit 2 (67 %), strategy 1 (33 %).\n',
    );
  });

  test('in a narrow window leaves out columns, never a tool', async () => {
    const { root, truncate } = await freshWorkspace();
    const long = 'mcp__github__search_repositories_by_topic';
    await truncate(numberedLines(3_000), '--tool', long);
    await truncate(numberedLines(3_000, 'row'), '--tool', 'b');
    const headers: string[] = [];
    for (const columns of [40, 80, 90, 200]) {
      const session = onTerminal(['stats'], { cwd: root, columns });
      expect(await session.ended).toBe(0);
      const table = session
        .seen()
        .split('\r\n')
        .filter((line) => /^[┌│├└]/.test(line));
      for (const line of table) expect(line.length).toBeLessThanOrEqual(columns);
      for (const tool of [long.slice(0, 8), 'b ', 'all tools'])
        expect(table.join('\n')).toContain(`│ ${tool}`);
      headers.push(table.find((line) => line.includes('Tool')) ?? '');
    }
    const names = headers.map((line) =>
      line
        .split('│')
        .map((cell) => cell.trim())
        .filter((cell) => cell !== ''),
    );
    expect(names).toEqual([
      ['Tool', 'Outputs', 'Cut'],
      ['Tool', 'Outputs', 'Cut', 'Tokens saved', 'Losses?'],
      ['Tool', 'Outputs', 'Cut', 'Tokens saved', 'Losses?', 'Fetched', 'Size'],
      ['Tool', 'Outputs', 'Cut', 'Tokens saved', 'Losses?', 'Fetched', 'Size'],
    ]);
  });

  test('as JSON has the numbers, since a time', async () => {
    const { run, truncate } = await freshWorkspace();
    await truncate(numberedLines(3_000), '--tool', 'a');
    const stats = parsed<{ total: { outputs: number }; tools: { tool: string; cut: number }[] }>(
      await run(['stats', '--json', '--since', '1h']),
    );
    const size = numberedLines(3_000).length;
    expect(stats).toMatchObject({
      total: { outputs: 1, bytes: size },
      tools: [{ tool: 'a', cut: 1, bytes: size, chars: { total: size, median: size, p95: size, max: size } }],
    });
    expect(parsed(await run(['stats', '--json', '--since', '2999-01-01']))).toMatchObject({ tools: [] });
    expect(await run(['stats', '--since', 'yesterday'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('says when there is nothing, and which tool was meant', async () => {
    const { run, truncate } = await freshWorkspace();
    expect(await run(['stats'])).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing was captured.\n' });
    await truncate('x', '--tool', 'search_files');
    expect((await run(['stats', '--tool', 'serch_files'])).stderr).toBe(
      'Nothing was captured. Did you mean search_files?\n',
    );
  });
});
