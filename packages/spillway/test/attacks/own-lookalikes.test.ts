/** Results that look as if Spillway had made them are stored and bounded like any other. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_SAMPLES } from '../../src/hook/samples.ts';
import { Peer, RAW_SERVER, textOf } from '../gateway/peer.ts';
import { bash, claudeCall, claudeShown, hooked, PASSED } from '../hooks/hooked.ts';
import { freshWorkspace, numberedLines, PROGRAM, type Workspace } from '../program.ts';

const LONG = numberedLines(3_000);
const THIS = `'${process.execPath}' '${PROGRAM}'`;

describe.concurrent('a shell line with a command of ours', () => {
  it.each([
    ['and another one', 'spillway artifacts list; cat big'],
    ['behind another one', 'cat big && spillway artifacts list'],
    ['on a line of its own', 'spillway artifacts list\ncat big'],
    ['beside one in the background', 'spillway artifacts list & cat big'],
    ['in a pipe', 'spillway artifacts list | cat big'],
    ['with a command inside', 'spillway artifacts list $(cat big >&2)'],
    ['with a command inside its quotes', 'spillway artifacts list "`cat big >&2`"'],
    ['whose words are those of another', 'cat big spillway artifacts list'],
    ['that is only spoken of', 'grep -rn "spillway artifacts" .'],
    ['on another path', './spillway artifacts list'],
    ['that another program is given', "node -e 'x=1' spillway artifacts list"],
    ['of this program that prints no outputs', `${THIS} hook artifacts`],
  ])('%s is stored and bounded', async (_, command) => {
    const workspace = await freshWorkspace();
    mkdirSync(join(workspace.root, 'x'));
    writeFileSync(join(workspace.root, 'spillway'), '');
    await claudeShown(workspace, 'Bash', { command }, bash(LONG));
    expect(await stored(workspace)).toBe(LONG);
  });

  it.each(['claude-code', 'codex', 'cursor', 'copilot', 'opencode', 'pi'])(
    'means nothing to %s as the argument of a tool of somebody else',
    async (agent) => {
      const workspace = await freshWorkspace();
      const call = asTool(agent, workspace, { command: 'spillway artifacts list' });
      expect(await hooked(workspace, agent, call)).toMatchObject({ code: 0, stderr: '' });
      expect(await stored(workspace)).toBe(LONG);
    },
  );
});

describe.concurrent('the result of a tool that is called like ours', () => {
  it.each([
    ['names no output', {}],
    ['names an output that is not there', { artifact_id: 'art_1700000000_0000000000000000' }],
  ])('is stored and bounded if its call %s', async (_, input) => {
    const workspace = await freshWorkspace();
    await claudeShown(workspace, 'mcp__evil__get_artifact', input, [{ type: 'text', text: LONG }]);
    expect(await stored(workspace)).toBe(LONG);
  });

  it('is stored and bounded if it is not the page that the call asks for', async () => {
    const { workspace, page, input } = await fetched();
    for (const text of [`${page}x`, `${page}\n${LONG}`, page.replace('line 2', 'line 3')]) {
      await hooked(workspace, 'claude-code', toolCall(workspace, input, text));
      expect(await stored(workspace, '--all')).toBe(text);
    }
    const other = toolCall(workspace, { ...input, lines: '1-1600' }, page);
    await hooked(workspace, 'claude-code', other);
    expect(await workspace.ids('--all')).toHaveLength(5);
  });
});

describe.concurrent('a page of a gateway', () => {
  it.each([[[]], [['--tool-name', 'more']]])('passes, and is not stored again (%s)', async (flags) => {
    const { workspace, page, input, tool } = await fetched(flags);
    expect(page.length).toBeGreaterThan(10_000);
    const call = toolCall(workspace, input, page, tool);
    expect(await hooked(workspace, 'claude-code', call)).toMatchObject(PASSED);
    expect(await workspace.ids('--all')).toHaveLength(1);
  });
});

function toolCall(workspace: Workspace, input: object, text: string, tool = 'get_artifact'): object {
  return claudeCall(workspace, `mcp__raw__${tool}`, input, [{ type: 'text', text }]);
}

/** A page of more than the limit of results, as a gateway hands it out. */
async function fetched(flags: readonly string[] = []) {
  const workspace = await freshWorkspace();
  const args = [PROGRAM, 'mcp', '--name', 'raw', ...flags, '--', process.execPath, RAW_SERVER];
  const gateway = new Peer(process.execPath, args, workspace.root);
  await gateway.initialize();
  const [artifact_id = ''] = /art_\d+_\w+/.exec(textOf(await gateway.call('emit', { chars: 60_000 }))) ?? [];
  const tool = flags[1] ?? 'get_artifact';
  const input = { artifact_id, lines: '2-1900' };
  const page = textOf(await gateway.call(tool, input));
  await gateway.close();
  return { workspace, page, input, tool };
}

/** A long result of a tool of an MCP server, with this input. */
function asTool(agent: string, workspace: Workspace, input: object): object {
  const call = HOOK_SAMPLES[agent]?.call(LONG, workspace.root);
  const content = [{ type: 'text', text: LONG }];
  const changes: Readonly<Record<string, object>> = {
    'claude-code': { tool_name: 'mcp__evil__bash', tool_input: input, tool_response: content },
    codex: { tool_name: 'mcp__evil__bash', tool_input: input, tool_response: { content } },
    cursor: { tool_name: 'MCP:bash', tool_input: input },
    copilot: { toolName: 'evil-bash', toolArgs: input },
  };
  return { ...call, ...(changes[agent] ?? { tool: 'evil_bash', input, result: { content } }) };
}

/** The output that was stored last. */
async function stored(workspace: Workspace, ...flags: string[]): Promise<string> {
  const [id = ''] = await workspace.ids(...flags);
  return (await workspace.run(['artifacts', 'show', id, '--raw'])).stdout;
}
