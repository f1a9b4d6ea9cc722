/**
 * A client that speaks line by line, to a server directly or through the gateway, and keeps every
 * message as it came. Needs a build.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { PROGRAM, passingFolder } from '../program.ts';

export { PROGRAM };
export const RAW_SERVER = fileURLToPath(new URL('raw-server.mjs', import.meta.url));
const open: Peer[] = [];

afterAll(() => Promise.all(open.map((peer) => peer.close())));

export interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape are looked at
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class Peer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly cwd: string;
  /** Every line that came, as it came. */
  readonly lines: string[] = [];
  stderr = '';
  readonly #waiting = new Map<string, (line: string) => void>();
  /** It has ended, and all that it said is here. */
  readonly #closed: Promise<void>;
  /** Told of all that comes. */
  readonly #watchers = new Set<() => void>();
  #last = 0;

  constructor(
    command: string,
    args: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.cwd = cwd;
    this.child = spawn(command, args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } });
    let held: Buffer[] = [];
    this.child.stdout.on('data', (chunk: Buffer) => {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        this.#arrived(Buffer.concat([...held, chunk.subarray(from, at)]).toString());
        held = [];
        from = at + 1;
      }
      held.push(chunk.subarray(from));
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      for (const look of [...this.#watchers]) look();
    });
    this.child.stdin.on('error', () => undefined);
    this.#closed = new Promise((resolve) => this.child.once('close', () => resolve()));
    open.push(this);
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  /** Sends a request and returns the line that answers it. */
  async line(method: string, params: unknown = {}, id: unknown = ++this.#last): Promise<string> {
    const answered = new Promise<string>((resolve) => this.#waiting.set(JSON.stringify(id), resolve));
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answered;
  }

  async request(method: string, params: unknown = {}): Promise<Answer> {
    return JSON.parse(await this.line(method, params)) as Answer;
  }

  async call(name: string, args: unknown = {}, meta?: unknown): Promise<Answer> {
    return this.request('tools/call', {
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    });
  }

  /** Waits for a line that a test is true of. */
  async until(test: (line: string) => boolean): Promise<string> {
    await this.#when(() => this.lines.some(test));
    return this.lines.find(test) ?? '';
  }

  /** Waits until standard error says so. */
  async untilStderr(text: string): Promise<void> {
    await this.#when(() => this.stderr.includes(text));
  }

  /** Looks at whatever comes; fails if it ends before that. */
  #when(test: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!test()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      this.child.once('close', () => reject(new Error(`it ended without that: ${this.stderr}`)));
      look();
    });
  }

  async initialize(protocolVersion = '2025-11-25', more: Record<string, unknown> = {}): Promise<Answer> {
    const clientInfo = { name: 'peer', version: '1' };
    const answer = await this.request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo,
      ...more,
    });
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return answer;
  }

  async close(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    this.child.stdin.end();
    return this.ended();
  }

  /** Waits until it ends by itself. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  #arrived(line: string): void {
    this.lines.push(line);
    for (const look of [...this.#watchers]) look();
    const id = /"id":("[^"]*"|\d+)/.exec(
      line.length > 5_000 ? line.slice(0, 300) + line.slice(-300) : line,
    )?.[1];
    const waiting = id === undefined || line.includes('"method"') ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    waiting(line);
  }
}

export async function workspace(): Promise<string> {
  const root = await passingFolder();
  await mkdir(join(root, '.git'));
  return root;
}

/** The raw server, directly. */
export function direct(root: string, ...flags: string[]): Peer {
  return new Peer(process.execPath, [RAW_SERVER, ...flags], root);
}

/** The same through the gateway. */
export function through(
  root: string,
  flags: readonly string[] = [],
  server: readonly string[] = [],
  env = {},
): Peer {
  const args = [PROGRAM, 'mcp', '--name', 'raw', ...flags, '--', process.execPath, RAW_SERVER, ...server];
  return new Peer(process.execPath, args, root, env);
}

/** All text of a result. */
export function textOf({ result }: Answer): string {
  return (result.content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}
