/**
 * A page of another port of this machine, in the same browser, tries to read and to change what the
 * inspector shows. Browsers give it the inspector's cookie; it gets nothing all the same.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startInspector } from '../../../spillway/test/inspector/visiting.ts';
import { freshWorkspace } from '../../../spillway/test/program.ts';
import { browserPath } from './browsing.ts';

/** A web server of somebody else; the cookies that browsers sent it. */
async function foreignServer() {
  const cookies: string[] = [];
  const server = createServer(({ headers }, response) => {
    cookies.push(headers.cookie ?? '');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Elsewhere</title>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cookies };
}

describe.skipIf(browserPath === undefined)('a page of another port', () => {
  it('is sent the cookie of the inspector, and can neither read nor change anything with it', async () => {
    const workspace = await freshWorkspace();
    await workspace.run(['exec', '--session', 'run', '--', 'echo', 'for the owner only']);
    const { url, base } = await startInspector(workspace);
    const browser = await chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox'] });
    onTestFinished(() => browser.close());
    const page = await (await browser.newContext()).newPage();
    expect((await page.goto(url))?.status()).toBe(200);
    const { url: elsewhere, cookies } = await foreignServer();
    await page.goto(elsewhere);
    // The attack is real: ports share cookies.
    expect(cookies.some((cookie) => cookie.startsWith('spillway-'))).toBe(true);
    const tried = await page.evaluate(async (target) => {
      const attempt = async (path: string, init: RequestInit) => {
        try {
          return await (await fetch(target + path, { credentials: 'include', ...init })).text();
        } catch {
          return 'refused';
        }
      };
      const body = JSON.stringify({ preview: false });
      const form = Object.assign(document.createElement('form'), {
        action: `${target}/api/sessions/run/end`,
        method: 'post',
        enctype: 'text/plain',
        target: 'sink',
      });
      const sink = Object.assign(document.createElement('iframe'), { name: 'sink' });
      document.body.append(sink, form);
      form.submit();
      return [
        await attempt('/api/outputs', {}),
        await attempt('/api/outputs', { headers: { 'x-spillway-key': 'guess' } }),
        await attempt('/api/sessions/run/end', { method: 'POST', mode: 'no-cors', body }),
        await attempt('/api/code', { method: 'POST', mode: 'no-cors' }),
      ];
    }, base);
    expect(tried.join(' ')).not.toContain('art_');
    expect(tried.slice(0, 2)).toEqual(['refused', 'refused']);
    const { stdout } = await workspace.run(['sessions', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ id: 'run', ended: null }] });
    const framed = await page.evaluate(async (target) => {
      const frame = Object.assign(document.createElement('iframe'), { src: `${target}/sessions` });
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      return frame.contentDocument === null;
    }, base);
    expect(framed).toBe(true);
  });
});
