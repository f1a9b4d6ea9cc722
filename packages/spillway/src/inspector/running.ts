/**
 * The inspector that runs for a workspace, as a small file of the user says: its port, its process
 * and a token. Another process of the same account can so ask it for a new start address. A file
 * whose process has ended is passed over: anybody may listen on its port by now. Beside it lies the
 * page that leads a browser to a start address. Only somebody who sits at a terminal of this machine
 * has a browser to be opened: not over SSH, and not in CI.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpillwayError } from '@spillway/core';
import { ownFileFor } from '../gateway/http-guard.ts';
import { isTerminal } from '../terminal.ts';
import type { InspectorServer } from './server.ts';

export interface Running {
  readonly port: number;
  readonly pid: number;
  readonly token: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ASK_MS = 2_000;

/** Notes that an inspector runs. If nothing can be written, the next one starts its own. */
export function noteRunning(root: string, env: Environment, running: Running): void {
  writeOwn(fileOf(root, env, 'json'), JSON.stringify(running));
}

/**
 * A page that leads to a start address, which only this account can read: what a program is started
 * with can be read by everybody. Null if it cannot be written.
 */
export function writeRedirect(root: string, env: Environment, url: string): string | null {
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${url}"><a href="${url}">Spillway inspector</a>\n`;
  return writeOwn(fileOf(root, env, 'html'), page);
}

function writeOwn(file: string | null, text: string): string | null {
  if (file === null) return null;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return file;
  } catch {
    // No folder of the user can be written: the printed address is all there is.
    return null;
  }
}

export function forgetRunning(root: string, env: Environment, { token }: Running): void {
  if (readRunning(root, env)?.token !== token) return;
  for (const kind of ['json', 'html'] as const) rmSync(fileOf(root, env, kind) ?? '', { force: true });
}

export function readRunning(root: string, env: Environment): Running | null {
  try {
    const json = readFileSync(fileOf(root, env, 'json') ?? '', 'utf8');
    const { port, pid, token } = JSON.parse(json) as Partial<Running>;
    if (!Number.isInteger(port) || pid === undefined || pid < 1 || typeof token !== 'string') return null;
    // Throws unless that process runs, and is one's own.
    process.kill(pid, 0);
    return { port, pid, token } as Running;
  } catch {
    // There is none, it was left half-written, or its inspector was killed.
    return null;
  }
}

/** A start address of the inspector that runs; null if none answers. */
export async function askRunning({ port, token }: Running, open: string | null): Promise<string | null> {
  try {
    const address = `http://127.0.0.1:${port}`;
    const response = await fetch(`${address}/api/code`, {
      method: 'POST',
      headers: {
        origin: address,
        'x-spillway-owner': token,
        ...(open === null ? {} : { 'x-spillway-open': open }),
      },
      signal: AbortSignal.timeout(ASK_MS),
    });
    const { url } = (await response.json()) as { readonly url?: unknown };
    // Only an address of that inspector is believed: it will be opened.
    const isStart =
      typeof url === 'string' && url.startsWith(`${address}/start/`) && /^[\w:/.-]{1,200}$/.test(url);
    return response.status === 200 && isStart ? url : null;
  } catch {
    // It has ended, or something else listens there.
    return null;
  }
}

function fileOf(root: string, env: Environment, kind: 'json' | 'html'): string | null {
  const file = ownFileFor(root, env, 'inspectors');
  return file && `${file}.${kind}`;
}

const STDOUT = 1;

export function hasBrowser(env: Readonly<Record<string, string | undefined>>): boolean {
  const isRemote = ['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY', 'CI'].some((name) => (env[name] ?? '') !== '');
  return isTerminal(STDOUT) && !isRemote;
}

/** `file`: a page on disk. Never an address with a secret, which every account could read. */
export function openBrowser(file: string): void {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open', file]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', file]
        : ['xdg-open', file];
  const child = spawn(program as string, args, { stdio: 'ignore', detached: true });
  // The address was printed: without a browser nothing is lost.
  child.on('error', () => undefined);
  child.unref();
}

export const USUAL_PORT = 8_809;
const TRIES = 50;

/** The port; one that was asked for and is taken is an error. */
export async function listenOn(server: InspectorServer, asked: number | undefined): Promise<number> {
  if (asked !== undefined) {
    const port = await unlessTaken(server, asked);
    if (port !== null) return port;
    throw new SpillwayError(
      'store_unavailable',
      `Port ${asked} is in use: give another with --port, or leave --port out to take the next free one.`,
    );
  }
  for (let port = USUAL_PORT; port < USUAL_PORT + TRIES; port++)
    if ((await unlessTaken(server, port)) !== null) return port;
  return server.listen(0);
}

async function unlessTaken(server: InspectorServer, port: number): Promise<number | null> {
  try {
    return await server.listen(port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return null;
    throw error;
  }
}
