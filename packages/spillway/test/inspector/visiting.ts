/**
 * Starts the inspector as a user does, and visits it as its page does: by the start address, with
 * the cookie and the key.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import { PROGRAM } from '../gateway/peer.ts';
import type { Workspace } from '../program.ts';

const started: ChildProcess[] = [];

afterAll(async () => {
  for (const child of started) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

export interface Started {
  /** The first line that it printed. */
  readonly first: string;
  readonly url: string;
  readonly base: string;
  readonly child: ChildProcess;
  /** The next line that it prints on its standard output. */
  readonly nextLine: () => Promise<string>;
  readonly errors: () => string;
}

export async function startInspector(
  workspace: Workspace,
  args: readonly string[] = ['inspect', '--port', '0'],
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: workspace.root,
    env: { PATH: process.env.PATH, HOME: workspace.root, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value ?? '');
  let first = await nextLine();
  // A gateway says more, and the address of the inspector last.
  while (args[0] === 'serve' && first !== '' && !first.startsWith('Inspector: ')) first = await nextLine();
  const [, url = ''] = /^(?:Inspector: |\{"url":")(http:\/\/[^\s"]+)/.exec(first) ?? [];
  if (url === '') throw new Error(`no address: ${first} ${errors}`);
  return { first, url, base: new URL(url).origin, child, nextLine, errors: () => errors };
}

export interface Visit {
  readonly cookie: string;
  readonly key: string;
  /** The answer of a route, parsed. Fails unless it is 200. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Any request with cookie and key. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Opens the start address, as a browser does. */
export async function visit({ url, base }: Pick<Started, 'url' | 'base'>): Promise<Visit> {
  const page = await fetch(url);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const [, key = ''] = /<meta name="spillway-key" content="([^"]+)">/.exec(await page.text()) ?? [];
  const headers = { cookie, 'x-spillway-key': key };
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${base}${path}`, { ...init, headers: { ...headers, ...init.headers } });
  const parsed = async <T>(path: string, response: Response): Promise<T> => {
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    cookie,
    key,
    send,
    get: async (path) => parsed(path, await send(path)),
    post: async (path, body) =>
      parsed(
        path,
        await send(path, {
          method: 'POST',
          headers: { origin: base, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
  };
}

/** A request with any headers: `fetch` sets some of them itself. */
export function rawRequest(
  base: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<{ readonly status: number; readonly body: string; readonly headers: Record<string, unknown> }> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
      );
    });
    sent.on('error', reject).end();
  });
}
