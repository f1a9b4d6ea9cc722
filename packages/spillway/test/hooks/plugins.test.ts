/** The plugins of opencode and pi, as those agents call them. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spillway as opencode } from '../../src/hook/plugins/opencode.ts';
import { freshWorkspace, numberedLines, PROGRAM as SCRIPT } from '../program.ts';
import { piHandler, piPreview, piResult } from './hooked.ts';

const PROGRAM = [process.execPath, SCRIPT];
const LONG = numberedLines(3_000);
const CALL = { tool: 'bash', sessionID: 'ses_1', callID: 'toolu_0', args: { command: 'make' } };

describe.concurrent('the plugin of opencode', () => {
  it('puts what should be read into the result, of its own tools and of MCP', async () => {
    const { root: directory } = await freshWorkspace();
    const after = (await opencode(PROGRAM)({ directory }))['tool.execute.after'];
    const own = { title: 'make', output: LONG, metadata: { exit: 0 } };
    await after(CALL, own);
    expect(own).toEqual({
      title: 'make',
      output: expect.stringContaining('chars omitted'),
      metadata: { exit: 0 },
    });
    const mcp = {
      content: [
        { type: 'text', text: LONG },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      ],
    };
    await after({ ...CALL, tool: 'github_list' }, mcp);
    expect(mcp.content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(mcp.content[0]?.text?.length).toBeLessThanOrEqual(8_000);
  });

  it('leaves the result as it is where the program is not there or says nothing', async () => {
    const { root: directory } = await freshWorkspace();
    for (const program of [
      ['/no/such/program'],
      [process.execPath, '-e', 'console.log("no JSON")'],
      PROGRAM,
    ]) {
      const result = { output: program === PROGRAM ? 'short' : LONG, metadata: {} };
      const before = structuredClone(result);
      await (await opencode(program)({ directory }))['tool.execute.after'](CALL, result);
      expect(result).toEqual(before);
    }
    const after = (await opencode(PROGRAM)({ directory }))['tool.execute.after'];
    await expect(after(CALL, undefined)).resolves.toBeUndefined();
  });
});

describe.concurrent('the extension of pi', () => {
  it('answers with content that should be read, also of a command that failed', async ({
    onTestFinished,
  }) => {
    const { root } = await freshWorkspace();
    const file = join(tmpdir(), `pi-bash-${randomBytes(8).toString('hex')}.log`);
    onTestFinished(() => rm(file));
    await writeFile(file, LONG);
    const text = piPreview(file, LONG);
    const answer = await piHandler(PROGRAM)({ ...piResult(text), isError: true, details: {} }, { cwd: root });
    const [block] = (answer?.content ?? []) as { type: string; text: string }[];
    expect(block?.text).toMatch(/^\[Exit code 3\. /);
    expect(block?.text).toMatch(/of 28,893 chars/);
    expect(answer?.details).toEqual({});
  });

  it('answers nothing where the program is not there, or the result is short', async () => {
    const { root } = await freshWorkspace();
    expect(await piHandler(['/no/such/program'])(piResult(LONG), { cwd: root })).toBeUndefined();
    expect(await piHandler(PROGRAM)(piResult('short'), { cwd: root })).toBeUndefined();
  });
});
