/**
 * The official inspector's command line in front of real servers: it prints the same directly and
 * through the gateway, and reads what was cut.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult, ListToolsResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { inspected, inspectedAt } from './inspected.ts';
import { PROGRAM, workspace } from './peer.ts';
import { program, throughGateway } from './recorded.ts';

const EVERYTHING = [program('server-everything')];
const call = (tool: string, ...pairs: string[]) => [
  ...['--method', 'tools/call', '--tool-name', tool],
  ...pairs.flatMap((pair) => ['--tool-arg', pair]),
];

describe("the inspector's command line", () => {
  // Each is a process that mostly waits.
  it.concurrent.each([
    ['a call', call('echo', 'message=hello é😀')],
    ['a call with numbers', call('get-sum', 'a=2', 'b=3')],
    ['a picture', call('get-tiny-image')],
    ['a call that fails', call('get-structured-content', 'location=Nowhere')],
    ['prompts', ['--method', 'prompts/list']],
    ['a prompt', ['--method', 'prompts/get', '--prompt-name', 'args-prompt', '--prompt-args', 'city=Rome']],
    ['templates', ['--method', 'resources/templates/list']],
    ['a resource', ['--method', 'resources/read', '--uri', 'demo://resource/static/document/features.md']],
  ])('prints the same with and without the gateway: %s', async (_what, request) => {
    const root = await workspace();
    const [plain, passed] = await Promise.all(
      [EVERYTHING, throughGateway(EVERYTHING)].map((server) => inspected(root, server, request)),
    );
    expect(Object.keys(plain as object).length).toBeGreaterThan(0);
    expect(passed).toEqual(plain);
  });

  it('finds nothing to complain about in the list of tools, which has one more', async () => {
    const root = await workspace();
    const server = [program('server-memory')];
    const request = ['--method', 'tools/list', '--strict'];
    const [plain, passed] = await Promise.all(
      [server, throughGateway(server)].map((one) => inspected<ListToolsResult>(root, one, request)),
    );
    expect(passed?.tools.slice(0, -1)).toEqual(plain?.tools.map(({ outputSchema: _gone, ...tool }) => tool));
    expect(passed?.tools.at(-1)?.name).toBe('get_artifact');
  });

  it('gets a bounded result, and reads the rest in later runs, by tool and by resource', async () => {
    const root = await workspace();
    await writeFile(
      join(root, 'large.txt'),
      Array.from({ length: 5_000 }, (_, i) => `line ${i + 1} of a file\n`).join(''),
    );
    const server = throughGateway([program('server-filesystem'), '.']);
    const { content } = await inspected<CallToolResult>(
      root,
      server,
      call('read_text_file', `path=${join(root, 'large.txt')}`),
    );
    const [shown, link] = content;
    const [text, uri] = [
      shown?.type === 'text' ? shown.text : '',
      link?.type === 'resource_link' ? link.uri : '',
    ];
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).not.toContain('line 2500 of a file');
    const page = await inspected<CallToolResult>(
      root,
      server,
      call('get_artifact', `artifact_id=${uri.slice('artifact://'.length)}`, 'lines="2500-2501"'),
    );
    expect(JSON.stringify(page.content)).toContain('line 2500 of a file\\nline 2501 of a file');
    const { contents } = await inspected<ReadResourceResult>(root, server, [
      ...['--method', 'resources/read', '--uri', `${uri}?lines=2500-2501`],
    ]);
    expect(JSON.stringify(contents)).toContain('line 2500 of a file\\nline 2501 of a file');
  });

  it('speaks to the gateway over HTTP, with its token', async () => {
    const root = await workspace();
    const token = 'a-token-for-the-tests-only';
    const args = [PROGRAM, 'serve', '--port', '0', '--', process.execPath, ...EVERYTHING];
    const env = { PATH: process.env.PATH, HOME: root, SPILLWAY_TOKEN: token };
    const serving = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(serving.stdout, 'data')) as [Buffer];
      const url = /http:\S+/.exec(line.toString())?.[0] ?? '';
      const request = [...call('echo', 'message=over HTTP'), '--header', `Authorization: Bearer ${token}`];
      const { content } = await inspectedAt<CallToolResult>(root, [url], request);
      expect(content).toEqual([{ type: 'text', text: 'Echo: over HTTP' }]);
    } finally {
      serving.kill();
      await once(serving, 'exit');
    }
  });
});
