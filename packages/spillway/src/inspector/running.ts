/**
 * The inspector that runs for a workspace, as a small file of the user says: its port, its process
 * and a token. Another process of the same account can so ask it for a new start address. A file
 * whose process has ended is passed over: anybody may listen on its port by now. Beside it lies the
 * page that leads a browser to a start address.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../config/locations.ts';
import { ownFolders, writableFolder } from '../own-folders.ts';

export interface Running {
  readonly port: number;
  readonly pid: number;
  readonly token: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ASK_MS = 2_000;

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

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
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
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
    const { port, pid, token } = JSON.parse(
      readFileSync(fileOf(root, env, 'json') ?? '', 'utf8'),
    ) as Partial<Running>;
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
  const folder = writableFolder(ownFolders(env, homeOf(env)));
  if (folder === undefined) return null;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32);
  return join(folder, 'inspectors', `${name}.${kind}`);
}
