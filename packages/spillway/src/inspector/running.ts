/**
 * The inspector that runs for a workspace, as a small file of the user says: its port, its process
 * and a token. Another process of the same account can so ask it for a new start address. A file
 * that nobody answers for is passed over.
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

/** Notes that an inspector runs. Where no folder of the user can be written, nobody is told. */
export function noteRunning(root: string, env: Environment, running: Running): void {
  const file = fileOf(root, env);
  if (file === null) return;
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    rmSync(file, { force: true });
    writeFileSync(file, JSON.stringify(running), { mode: 0o600, flag: 'wx' });
  } catch {
    // The next one starts an inspector of its own.
  }
}

export function forgetRunning(root: string, env: Environment, { token }: Running): void {
  if (readRunning(root, env)?.token === token) rmSync(fileOf(root, env) ?? '', { force: true });
}

export function readRunning(root: string, env: Environment): Running | null {
  try {
    const { port, pid, token } = JSON.parse(
      readFileSync(fileOf(root, env) ?? '', 'utf8'),
    ) as Partial<Running>;
    const isWhole = Number.isInteger(port) && Number.isInteger(pid) && typeof token === 'string';
    return isWhole ? ({ port, pid, token } as Running) : null;
  } catch {
    // There is none, or it was left half-written.
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
    return response.status === 200 && typeof url === 'string' ? url : null;
  } catch {
    // It has ended, or something else listens there.
    return null;
  }
}

function fileOf(root: string, env: Environment): string | null {
  const folder = writableFolder(ownFolders(env, homeOf(env)));
  if (folder === undefined) return null;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32);
  return join(folder, 'inspectors', `${name}.json`);
}
