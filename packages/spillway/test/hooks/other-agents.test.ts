/** Every agent's documented JSON, and what is special about each. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_AGENTS } from '../../src/hook/agents.ts';
import { HOOK_SAMPLES } from '../../src/hook/samples.ts';
import { freshWorkspace, numberedLines, type Workspace } from '../program.ts';
import { hooked, PASSED } from './hooked.ts';

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
  it('is told a reason that says that it is no error, within the marks of what strangers wrote', async () => {
    const workspace = await freshWorkspace();
    const llmContent = `<untrusted_context>\nOutput: ${LONG}Process Group PGID: 5\n</untrusted_context>`;
    const given = call(workspace, 'gemini', { tool_response: { llmContent, returnDisplay: '' } });
    const { decision, reason, ...rest } = await answerTo(workspace, 'gemini', given);
    expect([decision, rest]).toEqual(['deny', {}]);
    const opening =
      '[This is no error: the tool ran, and its long result is shown in part.]\n<untrusted_context>\n[Showing ';
    expect(reason.slice(0, opening.length)).toBe(opening);
    expect(reason.endsWith('\nProcess Group PGID: 5\n</untrusted_context>')).toBe(true);
    expect(reason.length).toBeLessThanOrEqual(8_000);
  });

  it('gets parts of text bounded; what failed, and what holds an image, passes', async () => {
    const workspace = await freshWorkspace();
    const response = (llmContent: unknown, more = {}) =>
      call(workspace, 'gemini', { tool_response: { llmContent, returnDisplay: '', ...more } });
    expect(await answerTo(workspace, 'gemini', response([{ text: LONG }, 'end']))).toMatchObject({
      decision: 'deny',
    });
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
    const workspace = await freshWorkspace();
    const file = join(workspace.root, 'copilot-tool-output.txt');
    await writeFile(file, LONG);
    const text = `Output too large to read at once (164.9 KB). Saved to: ${file}\n\nPreview:\nline 1\n\n<shellId: 1 completed with exit code 3>`;
    const given = call(workspace, 'copilot', {
      toolResult: { resultType: 'success', textResultForLlm: text },
    });
    const { modifiedResult } = await answerTo(workspace, 'copilot', given);
    expect(modifiedResult.resultType).toBe('success');
    expect(modifiedResult.textResultForLlm).toContain('line 3000');
    expect(modifiedResult.textResultForLlm.endsWith('<shellId: 1 completed with exit code 3>')).toBe(true);
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
  it('kept all of a long result in a file: it is read there, with the exit code', async () => {
    for (const agent of ['opencode', 'pi']) {
      const workspace = await freshWorkspace();
      await mkdir(join(workspace.root, 'out'));
      const file = join(workspace.root, 'out', 'tool_1');
      await writeFile(file, LONG);
      const given = call(workspace, agent, { file, exitCode: 3, isError: true }, LONG.slice(-9_000));
      const shown = String(sampleOf(agent).shown(await answerTo(workspace, agent, given)));
      expect(shown).toMatch(/^\[Exit code 3\. /);
      expect(shown).toContain('line 3000');
      expect(shown.length).toBeLessThanOrEqual(8_000);
      expect(await stored(workspace)).toBe(LONG);
    }
  });

  it('opencode puts the file that was read between marks: they stay, and the next call is the right one', async () => {
    const workspace = await freshWorkspace();
    const lines = Array.from({ length: 1_200 }, (_, i) => `${i + 200}: line ${i + 200}`).join('\n');
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
