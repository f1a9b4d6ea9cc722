/** Every agent's documented JSON, and what is special about each. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_AGENTS } from '../../src/hook/agents.ts';
import { HOOK_SAMPLES } from '../../src/hook/samples.ts';
import { freshWorkspace, numberedLines, passingFolder, type Workspace } from '../program.ts';
import { COPILOT_FILE, copilotPreview, hooked, PASSED } from './hooked.ts';

const LONG = numberedLines(3_000);

function sampleOf(agent: string) {
  const sample = HOOK_SAMPLES[agent];
  if (sample === undefined) throw new Error(`no sample of ${agent}`);
  return sample;
}

/** A documented call with some fields changed. */
function call(workspace: Workspace, agent: string, change: object = {}, text = LONG) {
  return { ...sampleOf(agent).call(text, workspace.root), ...change };
}

async function answerTo(workspace: Workspace, agent: string, given: object) {
  const { code, stdout, stderr } = await hooked(workspace, agent, given);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** All outputs, also those whose handle was not told. */
async function storedIds(workspace: Workspace): Promise<unknown[]> {
  return JSON.parse((await workspace.run(['artifacts', 'list', '--all', '--json'])).stdout).artifacts;
}

async function stored(workspace: Workspace): Promise<string> {
  const [id = ''] = await workspace.ids();
  return (await workspace.run(['artifacts', 'show', id, '--raw'])).stdout;
}

describe.concurrent.each(Object.keys(HOOK_AGENTS))('the hook of %s', (agent) => {
  it('shows a long result within the limit, and keeps all of it', async () => {
    const workspace = await freshWorkspace();
    const shown = sampleOf(agent).shown(await answerTo(workspace, agent, call(workspace, agent)));
    expect(typeof shown).toBe('string');
    expect(String(shown).length).toBeLessThanOrEqual(8_000);
    expect(String(shown)).toContain('line 3000');
    expect(await stored(workspace)).toBe(LONG);
  });

  it('lets a short one pass, and what it cannot read', async () => {
    const workspace = await freshWorkspace();
    expect(await hooked(workspace, agent, call(workspace, agent, {}, 'short'))).toMatchObject(PASSED);
    expect(await hooked(workspace, agent, { hello: 'world' })).toMatchObject(PASSED);
    expect(await hooked(workspace, agent, '{')).toMatchObject({ code: 0, stdout: '' });
  });
});

describe.concurrent('Gemini CLI', () => {
  const content = `<untrusted_context>\nOutput: ${LONG}Process Group PGID: 5\n</untrusted_context>`;

  it('is asked to read the text in a file, whose result is no error and passes; the file goes', async () => {
    const workspace = await freshWorkspace();
    const given = call(workspace, 'gemini', { tool_response: { llmContent: content, returnDisplay: '' } });
    const { hookSpecificOutput, ...rest } = await answerTo(workspace, 'gemini', given);
    const { name, args } = hookSpecificOutput.tailToolCallRequest;
    expect([rest, hookSpecificOutput.hookEventName, name]).toEqual([{}, 'AfterTool', 'read_file']);
    const shown = await readFile(args.file_path, 'utf8');
    expect(shown.startsWith('<untrusted_context>\n[Showing ')).toBe(true);
    expect(shown.endsWith('\nProcess Group PGID: 5\n</untrusted_context>')).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(8_000);
    const tail = { tool_name: 'read_file', tool_input: args, tool_response: { llmContent: shown } };
    expect(await hooked(workspace, 'gemini', call(workspace, 'gemini', tail))).toMatchObject(PASSED);
    expect(existsSync(args.file_path)).toBe(false);
    expect(await workspace.ids()).toHaveLength(1);
  });

  it.each([
    ['its settings choose the tools', LONG, '{ "tools": { "exclude": ["read_file"] } }'],
    ['a line is longer than its reading tool returns', `${'x'.repeat(3_000)}\n${LONG}`, '{}'],
  ])('is told a reason that says that it is no error where %s', async (_, text, settings) => {
    const workspace = await freshWorkspace();
    await mkdir(join(workspace.root, '.gemini'));
    await writeFile(join(workspace.root, '.gemini', 'settings.json'), settings);
    const given = call(workspace, 'gemini', {}, text);
    const { decision, reason, ...rest } = await answerTo(workspace, 'gemini', given);
    expect([decision, rest]).toEqual(['deny', {}]);
    const opening = '[This is no error: the tool ran, and its long result is shown in part.]\n[Showing ';
    expect(reason.slice(0, opening.length)).toBe(opening);
    expect(reason.length).toBeLessThanOrEqual(8_000);
  });

  it('gets parts of text bounded; what failed, and what holds an image, passes', async () => {
    const workspace = await freshWorkspace();
    const response = (llmContent: unknown, more = {}) =>
      call(workspace, 'gemini', { tool_response: { llmContent, returnDisplay: '', ...more } });
    expect(await answerTo(workspace, 'gemini', response([{ text: LONG }, 'end']))).toHaveProperty(
      'hookSpecificOutput.tailToolCallRequest',
    );
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    for (const passing of [response([{ text: LONG }, image]), response(LONG, { error: { message: 'x' } })])
      expect(await hooked(workspace, 'gemini', passing)).toMatchObject(PASSED);
  });
});

describe.concurrent('Codex', () => {
  it('is told what takes the place of the result, and that Codex had cut it', async () => {
    const workspace = await freshWorkspace();
    const tool_response = `Warning: truncated output (original token count: 42224)\nTotal output lines: 30000\n\n${LONG}`;
    const answer = await answerTo(workspace, 'codex', call(workspace, 'codex', { tool_response }));
    expect(Object.keys(answer).sort()).toEqual(['decision', 'reason']);
    expect(answer.decision).toBe('block');
    expect(answer.reason.slice(0, 600)).toContain('cut before');
  });

  it('has the exit code in its transcript: it opens the text; without it the result is stored and passes', async () => {
    const workspace = await freshWorkspace();
    const transcript_path = join(workspace.root, 'rollout.jsonl');
    const item = { type: 'CommandExecution', id: 'call_0', exit_code: 2 };
    const other = { ...item, id: 'call_1', exit_code: 0 };
    const lines = [item, other].map((one) => JSON.stringify({ payload: { item: one } }));
    await writeFile(transcript_path, `${lines.join('\n')}\n`);
    const { reason } = await answerTo(workspace, 'codex', call(workspace, 'codex', { transcript_path }));
    expect(reason.startsWith('[Exit code 2. Showing ')).toBe(true);
    const running = call(workspace, 'codex', { transcript_path, tool_use_id: 'call_2' });
    expect(await hooked(workspace, 'codex', running)).toMatchObject(PASSED);
    expect(await storedIds(workspace)).toHaveLength(2);
  });

  it('reads what Codex cut in its transcript, which keeps up to 64 KB', async () => {
    const workspace = await freshWorkspace();
    const steps = numberedLines(500, 'step of a build that goes on');
    const whole = `${steps}ERROR: refused at db.ts:77\n${steps}`;
    const transcript_path = join(workspace.root, 'rollout.jsonl');
    const item = { type: 'CommandExecution', id: 'call_0', exit_code: 2, aggregated_output: whole };
    await writeFile(transcript_path, `${JSON.stringify({ payload: { item } })}\n`);
    const head = 'Warning: truncated output (original token count: 9000)\nTotal output lines: 1001\n\n';
    const shown = `${head}${whole.slice(0, 12_000)}…2000 tokens truncated…${whole.slice(-12_000)}`;
    const cut = call(workspace, 'codex', { transcript_path, tool_response: shown });
    const { reason } = await answerTo(workspace, 'codex', cut);
    expect(reason).toContain('501: ERROR: refused at db.ts:77\n');
    expect(reason).not.toContain('cut before');
    // The transcript may be about something else.
    const other = call(workspace, 'codex', { transcript_path, tool_response: `${head}${LONG}` });
    expect((await answerTo(workspace, 'codex', other)).reason).toContain('cut before');
  });

  it('gives a result to a script of its model as it is (code mode), and it is stored', async () => {
    const workspace = await freshWorkspace();
    const tool_use_id = 'exec-a004b381-0ee5-4609-9443-adaec64434f3';
    const content = [{ type: 'text', text: LONG }];
    const mcp = {
      tool_use_id: tool_use_id.replace('a', 'b'),
      tool_name: 'mcp__x__y',
      tool_response: { content },
    };
    for (const change of [{ tool_use_id }, mcp])
      expect(await hooked(workspace, 'codex', call(workspace, 'codex', change))).toMatchObject(PASSED);
    expect(await workspace.ids()).toEqual([]);
    expect(await storedIds(workspace)).toHaveLength(2);
  });

  it('names the program by its path where a login shell does not find it', async () => {
    const workspace = await freshWorkspace();
    const given = call(workspace, 'codex');
    const { stdout } = await hooked(workspace, 'codex', given, '--by-path');
    expect(JSON.parse(stdout).reason).toContain(`More: ${process.execPath} `);
  });

  it('gets texts of MCP bounded; with an image among them they pass', async () => {
    const workspace = await freshWorkspace();
    const content = [{ type: 'text', text: LONG }];
    const of = (blocks: object[]) =>
      call(workspace, 'codex', {
        tool_name: 'mcp__x__y',
        tool_response: { content: blocks, isError: false },
      });
    expect((await answerTo(workspace, 'codex', of(content))).reason.length).toBeLessThanOrEqual(8_000);
    const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
    expect(await hooked(workspace, 'codex', of([...content, image]))).toMatchObject(PASSED);
  });
});

describe.concurrent('Copilot CLI', () => {
  it('kept a long result in a file: it is read there, and how the command ended stays', async () => {
    const temporary = await passingFolder();
    const workspace = await freshWorkspace({ TMPDIR: temporary });
    const file = join(temporary, COPILOT_FILE);
    await writeFile(file, LONG);
    const given = call(workspace, 'copilot', {
      toolResult: { resultType: 'success', textResultForLlm: copilotPreview(file, LONG) },
    });
    const { modifiedResult } = await answerTo(workspace, 'copilot', given);
    expect(modifiedResult.resultType).toBe('success');
    expect(modifiedResult.textResultForLlm).toContain('line 3000');
    expect(modifiedResult.textResultForLlm.endsWith('<shellId: 0 completed with exit code 3>')).toBe(true);
    expect(modifiedResult.textResultForLlm.length).toBeLessThanOrEqual(8_000);
    expect(await stored(workspace)).toBe(LONG);
  });

  it('gives arguments as JSON in some versions, and results that failed pass', async () => {
    const workspace = await freshWorkspace();
    const toolArgs = JSON.stringify({ command: 'spillway artifacts show art_1' });
    const failed = { resultType: 'failure', textResultForLlm: LONG };
    for (const change of [{ toolArgs }, { toolResult: failed }])
      expect(await hooked(workspace, 'copilot', call(workspace, 'copilot', change))).toMatchObject(PASSED);
  });
});

describe.concurrent('Cursor', () => {
  it('can replace results of MCP alone: all others pass', async () => {
    const workspace = await freshWorkspace();
    const shell = { tool_name: 'Shell', tool_output: JSON.stringify({ output: LONG, exitCode: 0 }) };
    const error = { tool_output: JSON.stringify({ isError: true, content: [{ type: 'text', text: LONG }] }) };
    for (const change of [shell, error, { tool_output: LONG }])
      expect(await hooked(workspace, 'cursor', call(workspace, 'cursor', change))).toMatchObject(PASSED);
    const { updated_mcp_tool_output: shown } = await answerTo(workspace, 'cursor', call(workspace, 'cursor'));
    expect(shown.content).toEqual([{ type: 'text', text: expect.any(String) }]);
  });
});

describe.concurrent('opencode and pi', () => {
  it.each(['opencode', 'pi'])('%s kept all of a long result in a file: it is read there', async (agent) => {
    const workspace = await freshWorkspace();
    await mkdir(join(workspace.root, 'out'));
    const file = join(workspace.root, 'out', 'tool_1');
    await writeFile(file, LONG);
    const given = call(workspace, agent, { file, exitCode: 3 }, LONG.slice(-9_000));
    const shown = String(sampleOf(agent).shown(await answerTo(workspace, agent, given)));
    if (agent === 'opencode') expect(shown).toMatch(/^\[Exit code 3\. /);
    expect(shown).toContain('line 3000');
    expect(shown.length).toBeLessThanOrEqual(8_000);
    expect(await stored(workspace)).toBe(LONG);
  });

  it('opencode puts the file that was read between marks: they stay, and the next call is the right one', async () => {
    const workspace = await freshWorkspace();
    const lines = Array.from({ length: 3_000 }, (_, i) => `${i + 200}: line ${i + 200}`).join('\n');
    const [before, after] = ['<path>/x/a.txt</path>\n<type>file</type>\n<content>\n', '\n</content>'];
    const given = call(workspace, 'opencode', {
      tool: 'read',
      input: { filePath: '/x/a.txt', offset: 200 },
      result: { output: `${before}${lines}${after}` },
    });
    const { output } = await answerTo(workspace, 'opencode', given);
    expect(output.startsWith(before) && output.endsWith(after)).toBe(true);
    const next = Number(/Next: read\(filePath="\/x\/a.txt", offset=(\d+)\)/.exec(output)?.[1]);
    expect(output).toContain(`\n${next - 1}: line ${next - 1}\n`);
    expect(output).not.toContain(`\n${next}: line`);
  });
});
