/**
 * A real browser behind the gateway: Playwright's server with Chromium. Without a browser installed
 * everything here is skipped, and says so.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspected } from '../gateway/inspected.ts';
import { workspace } from '../gateway/peer.ts';
import { compared, connected, isList, sorted, throughGateway, type Work } from '../gateway/recorded.ts';
import { browserProgram, browserServer, type Pages, ROWS, servedPages } from './browser.ts';

const browser = browserProgram();
if (browser === undefined)
  console.warn(
    'SKIPPED: the gateway in front of a browser was not tested, none is installed. Install one (apt-get install chromium) and run this file again.',
  );

let pages: Pages;
beforeAll(async () => {
  pages = await servedPages();
});
afterAll(() => {
  pages.server.close().closeAllConnections();
});

describe.skipIf(browser === undefined)('a browser behind the gateway', () => {
  it('hears and says the same, message by message, pictures included; only what is large is cut', async () => {
    const work: Work = async (client) => {
      const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
      await client.listTools();
      await call('browser_navigate', { url: `${pages.url}/` });
      await call('browser_snapshot');
      await call('browser_click', { element: 'the button', target: 'e3' });
      await call('browser_take_screenshot');
      await call('browser_evaluate', { function: '() => document.title.repeat(3)' });
      await call('browser_navigate', { url: `${pages.url}/large` });
      await call('browser_snapshot');
      await call('browser_close');
    };
    const { direct, client, upstream } = await compared(await browserServer(browser as string), work);
    expect(sorted(upstream)).toEqual(sorted(direct));
    const isLarge = (line: string) => line.startsWith('< ') && line.includes('cell \\"row 0\\"');
    const changed = (line: string) => isList(line) || isLarge(line) || line.includes('"capabilities"');
    const same = direct.filter((line) => !changed(line));
    expect(sorted(client.filter((line) => !changed(line)))).toEqual(sorted(same));
    expect(same.join('\n')).toContain('SmallSmallSmall');
    expect(same.filter((line) => line.includes('"mimeType":"image/png"'))).toHaveLength(1);
    const [long = '', short = ''] = [direct, client].map((log) => log.find(isLarge));
    expect(long.length).toBeGreaterThan(100_000);
    expect(short.length).toBeLessThan(12_000);
  });

  it('shows both ends of a large page; the rest of it is fetched by tool and by resource, to the last row', async () => {
    const root = await workspace();
    const client = await connected(throughGateway(await browserServer(browser as string)), root);
    const call = async (name: string, args = {}) =>
      (await client.callTool({ name, arguments: args })) as CallToolResult;
    const text = ({ content }: CallToolResult) => (content[0]?.type === 'text' ? content[0].text : '');
    await call('browser_navigate', { url: `${pages.url}/large` });
    const shown = await call('browser_snapshot');
    expect(text(shown).length).toBeLessThanOrEqual(8_000);
    expect(text(shown)).toContain('cell "row 0"');
    expect(text(shown)).toContain(`cell "row ${ROWS - 1}"`);
    expect(text(shown)).not.toContain('cell "row 700"');
    const link = shown.content.at(-1);
    const uri = link?.type === 'resource_link' ? link.uri : '';
    const found = await call('get_artifact', {
      artifact_id: uri.slice('artifact://'.length),
      pattern: '"row 700"',
    });
    expect(text(found)).toContain('cell "row 700"');
    let whole = '';
    for (let next: string | null = uri; next !== null; ) {
      const { contents } = await client.readResource({ uri: next });
      const [page] = contents as unknown as {
        text: string;
        _meta: { 'spillway/page': { next_uri: string | null } };
      }[];
      whole += page?.text ?? '';
      next = page?._meta['spillway/page'].next_uri ?? null;
    }
    for (let i = 0; i < ROWS; i++) expect(whole.includes(`cell "value ${i * 7}"`)).toBe(true);
    await call('browser_close');
    await client.close();
  });

  it("is driven by the inspector's command line", async () => {
    const root = await workspace();
    const server = throughGateway(await browserServer(browser as string));
    const { content } = await inspected<CallToolResult>(root, server, [
      ...['--method', 'tools/call', '--tool-name', 'browser_navigate'],
      ...['--tool-arg', `url=${pages.url}/`],
    ]);
    expect(JSON.stringify(content)).toContain('Page Title: Small');
  });
});
