/**
 * The gateway inside agents: results that a hook sees behind it, results that programs and views
 * read, and the name by which a client calls the tool that fetches more.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCall, hooked, PASSED } from '../hooks/hooked.ts';
import { freshWorkspace, type Workspace } from '../program.ts';
import { type Answer, Peer, PROGRAM, RAW_SERVER } from './peer.ts';

const ROWS = Array.from({ length: 900 }, (_, i) => ({ id: i, name: `row ${i}`, note: `a note on ${i}` }));

/** A server with a tool for each kind of result, one of which feeds a view. */
const SERVER = `
const rows = ${JSON.stringify(ROWS)};
const lines = rows.map(({ id, note }) => 'line ' + id + ' ' + note).join('\\n');
const text = (text) => [{ type: 'text', text }];
const RESULTS = {
  json: { content: text(JSON.stringify({ rows })) },
  mixed: { content: text('900 rows'), structuredContent: { rows } },
  view: { content: text('900 rows are shown in a view.'), structuredContent: { rows } },
  talkative: { content: text(lines), structuredContent: { rows } },
  lines: { content: text(lines) },
};
const schema = { type: 'object' };
const tools = Object.keys(RESULTS).map((name) => ({ name, inputSchema: schema, outputSchema: schema }));
for (const tool of tools)
  if (['view', 'talkative'].includes(tool.name)) tool._meta = { ui: { resourceUri: 'ui://rows' } };
const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = { initialize: info, 'tools/list': { tools }, 'tools/call': RESULTS[params?.name] }[method];
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

async function started(flags: readonly string[] = [], client = 'peer') {
  const workspace = await freshWorkspace();
  const server = join(workspace.root, 'server.cjs');
  writeFileSync(server, SERVER);
  const args = [PROGRAM, 'mcp', '--name', 'my.rows', ...flags, '--', process.execPath, server];
  const gateway = new Peer(process.execPath, args, workspace.root);
  await gateway.initialize('2025-11-25', { clientInfo: { name: client, version: '1' } });
  const { tools } = (await gateway.request('tools/list')).result;
  return { workspace, gateway, tools: tools as { name: string; outputSchema?: object }[] };
}

const texts = ({ result }: Answer): string[] =>
  result.content.flatMap((block: { text?: string }) => (block.text === undefined ? [] : [block.text]));
const handleIn = (answer: Answer) => /art_\d+_\w+/.exec(texts(answer).join('\n'))?.[0] ?? '';

describe.concurrent('a program that reads results', () => {
  it('reads JSON where it reads it without the gateway; the notice is behind it', async () => {
    const { gateway } = await started();
    const cut = await gateway.call('json');
    const [body = '', notice = ''] = texts(cut);
    expect(JSON.parse(body).rows[0]).toEqual(ROWS[0]);
    expect(notice).toMatch(/^\[Showing /);
    const [first, data = '', more = ''] = texts(await gateway.call('mixed'));
    expect(first).toBe('900 rows');
    expect(JSON.parse(data).rows[0]).toEqual(ROWS[0]);
    expect(more).toMatch(/^\[(?:Showing|Artifact: art_)/);
  });

  it('gets everything with --uncut, and what it got is stored', async () => {
    const { workspace, gateway, tools } = await started(['--uncut']);
    expect(tools.find(({ name }) => name === 'mixed')).toHaveProperty('outputSchema');
    for (const tool of ['json', 'mixed', 'lines']) {
      const { result } = await gateway.call(tool);
      expect(Object.keys(result)).not.toContain('_meta');
      if (tool === 'json') expect(JSON.parse(result.content[0].text).rows).toHaveLength(900);
      if (tool === 'mixed') expect(result.structuredContent.rows).toHaveLength(900);
    }
    await gateway.close();
    expect(await workspace.ids('--all')).toHaveLength(3);
  });
});

describe.concurrent('a tool that feeds a view', () => {
  it('keeps its data, and the model reads its short text', async () => {
    const { workspace, gateway, tools } = await started();
    expect(tools.find(({ name }) => name === 'view')).toHaveProperty('outputSchema');
    expect(tools.find(({ name }) => name === 'mixed')).not.toHaveProperty('outputSchema');
    const { result } = await gateway.call('view');
    expect(result).toEqual({
      content: [{ type: 'text', text: '900 rows are shown in a view.' }],
      structuredContent: { rows: ROWS },
    });
    const long = await gateway.call('talkative');
    expect(long.result.structuredContent).toEqual({ rows: ROWS });
    expect(texts(long).join('').length).toBeLessThanOrEqual(8_000);
    await gateway.close();
    const [id = ''] = (await workspace.ids('--all')).slice(-1);
    const stored = await workspace.run(['artifacts', 'show', id, '--raw', '--part', 'structured']);
    expect(JSON.parse(stored.stdout)).toEqual({ rows: ROWS });
  });
});

describe.concurrent('the name of the tool that fetches more', () => {
  it.each([
    ['claude-code', 'mcp__my_rows__get_artifact'],
    ['codex-mcp-client', 'mcp__my_rows__get_artifact'],
    ['opencode', 'my_rows_get_artifact'],
    ['another client', 'get_artifact'],
  ])('is spelled as %s does: %s', async (client, name) => {
    const { gateway } = await started([], client);
    expect(texts(await gateway.call('lines'))[0]).toContain(`More: ${name}(artifact_id="art_`);
  });

  it('is the plain one where the client may call the server otherwise', async () => {
    const { root } = await freshWorkspace();
    const gateway = new Peer(process.execPath, [PROGRAM, 'mcp', '--', process.execPath, RAW_SERVER], root);
    await gateway.initialize('2025-11-25', { clientInfo: { name: 'claude-code', version: '1' } });
    expect(texts(await gateway.call('emit', { chars: 9_000 }))[0]).toContain('More: get_artifact(');
  });
});

/** Blocks as Claude Code hands them to a hook: a link becomes a text. */
function asClaudeCode({ result }: Answer): { type: string; text: string }[] {
  return result.content.map((block: { type: string; text: string; name: string; uri: string }) =>
    block.type === 'resource_link'
      ? { type: 'text', text: `[Resource link: ${block.name}] ${block.uri}` }
      : block,
  );
}

describe.concurrent('a hook behind a gateway', () => {
  const call = (workspace: Workspace, response: unknown) =>
    hooked(workspace, 'claude-code', claudeCall(workspace, 'mcp__my_rows__x', {}, response));

  it('passes what the gateway showed, and stores it no second time', async () => {
    const { workspace, gateway } = await started([], 'claude-code');
    for (const tool of ['json', 'mixed', 'lines']) {
      const blocks = asClaudeCode(await gateway.call(tool));
      // Room is left for what the host adds.
      expect(blocks.map(({ text }) => text).join('\n').length, tool).toBeLessThanOrEqual(8_000);
      expect(await call(workspace, blocks), tool).toMatchObject(PASSED);
    }
    await gateway.close();
    expect(await workspace.ids('--all')).toHaveLength(3);
  });

  it('passes it where the limit of the hook is lower, and where it comes as one text', async () => {
    const { workspace, gateway } = await started();
    const blocks = asClaudeCode(await gateway.call('lines'));
    await workspace.run(['config', 'set', 'inline_limit', '2000']);
    expect(await call(workspace, blocks)).toMatchObject(PASSED);
    expect(await call(workspace, blocks.map(({ text }) => text).join('\n'))).toMatchObject(PASSED);
  });

  it('passes it between the marks that Gemini CLI puts around it', async () => {
    const { workspace, gateway } = await started();
    const given = {
      hook_event_name: 'AfterTool',
      tool_name: 'mcp_rows_lines',
      session_id: 's',
      tool_input: {},
    };
    for (const tool of ['lines', 'json', 'mixed']) {
      const { result } = await gateway.call(tool);
      const llmContent = result.content.map(({ text, name, uri }: Readonly<Record<string, string>>) => ({
        text:
          text === undefined
            ? `Resource Link: ${name} at ${uri}`
            : `<untrusted_context>\n${text}\n</untrusted_context>`,
      }));
      expect(llmContent.map(({ text }: { text: string }) => text).join('').length).toBeLessThanOrEqual(8_000);
      const call = { ...given, cwd: workspace.root, tool_response: { llmContent } };
      expect(await hooked(workspace, 'gemini', call), tool).toMatchObject(PASSED);
    }
  });

  it('bounds what only names a handle, or has more than its projection', async () => {
    const { workspace, gateway } = await started();
    const shown = await gateway.call('lines');
    const [text = ''] = texts(shown);
    const more = ROWS.map(({ note }) => note).join('\n');
    for (const forged of [
      `${text}\n${more}`,
      `${text.split('\n')[0]}\n${more}`,
      `${handleIn(shown)} ${more}`,
    ]) {
      const { stdout } = await call(workspace, [{ type: 'text', text: forged }]);
      expect(stdout).toContain('updatedToolOutput');
    }
    expect(await workspace.ids('--all')).toHaveLength(4);
  });
});
