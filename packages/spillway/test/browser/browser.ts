/**
 * A browser for tests, driven by Playwright's MCP server, and a page for it on this machine.
 * Debian's `chromium`, or another that is on PATH.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { workspace } from '../gateway/peer.ts';

const require = createRequire(import.meta.url);
const SERVER = join(require.resolve('@playwright/mcp/package.json'), '..', 'cli.js');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Nothing of the browser's own is to be fetched or kept. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The browser's program; undefined where there is none. */
export function browserProgram(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

/** The words that start the server with that browser. */
export async function browserServer(program: string): Promise<string[]> {
  const quiet = join(await workspace(), 'browser');
  await writeFile(quiet, `#!/bin/sh\nexec '${program}' ${QUIET.join(' ')} "$@"\n`, { mode: 0o700 });
  return [SERVER, '--headless', '--no-sandbox', '--isolated', '--executable-path', quiet];
}

export interface Pages {
  readonly url: string;
  readonly server: Server;
}

export const ROWS = 1_500;

/** A small page, and one with a table that no model should read whole. */
export async function servedPages(): Promise<Pages> {
  const rows = Array.from({ length: ROWS }, (_, i) => `<tr><td>row ${i}</td><td>value ${i * 7}</td></tr>`);
  // Browsers ask for an icon by themselves, sooner or later.
  const head = '<link rel="icon" href="data:,">';
  const small = `${head}<title>Small</title><h1>A small page</h1><button>Press</button>`;
  const large = `${head}<title>Large</title><table>${rows.join('')}</table>`;
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(url === '/large' ? large : small);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
