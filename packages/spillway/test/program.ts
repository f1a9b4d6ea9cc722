/**
 * Runs the built program as a user does: a process of its own, in a workspace of its own, with no
 * settings from outside. Needs a build. Workspaces go when the file that made them is done.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { removed, temporaryFolder } from '../../core/test/folders.ts';

export const PROGRAM = fileURLToPath(new URL('../bin/spillway.js', import.meta.url));
const made: string[] = [];

// What starts processes imports this module, so this is registered before they end their own, and
// runs after it.
afterAll(() => Promise.all(made.map(removed)));

/** A folder that goes when the file of tests is done. */
export async function passingFolder(): Promise<string> {
  const folder = await temporaryFolder();
  made.push(folder);
  return folder;
}

interface RunOptions {
  /** What is piped in. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** Default: the root of the workspace. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Close our end of its standard output before it has written anything. */
  readonly closeOutput?: true;
}

export interface Ran {
  /** The exit code; null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly bytes: Buffer;
  readonly stderr: string;
}

export interface Workspace {
  readonly root: string;
  /** Where its store lives. */
  readonly artifacts: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs a shell script that may call `spillway`. */
  shell(script: string, options?: RunOptions): Promise<Ran>;
  /** Runs `truncate --json` and reads its answer; fails unless it exits with 0. */
  truncate(input: string | Uint8Array, ...flags: string[]): Promise<Truncated>;
  /** The ids that `artifacts list` tells. */
  ids(...flags: string[]): Promise<string[]>;
}

export interface Truncated {
  readonly content: string;
  readonly notice: string | null;
  readonly metadata: {
    readonly original_size: number;
    readonly truncated_size: number;
    readonly notice_size: number;
    readonly strategy_used: string;
    readonly artifact_id: string | null;
    readonly was_truncated: boolean;
    readonly estimated_tokens: number;
    readonly omitted: readonly { readonly bytes: { readonly start: number; readonly end: number } }[];
    readonly saved_path: string | null;
    readonly exceeds_max: boolean;
    readonly source_truncated: boolean;
    readonly lookalikes: number;
    readonly policy_hash: string;
  };
  readonly artifact: { readonly id: string; readonly size: number; readonly hash: string } | null;
}

/** A page as `artifacts show --json` prints it. */
export interface ShownPage {
  readonly content: string;
  readonly total_chars: number;
  readonly total_lines: number;
  readonly next_cursor: string | null;
  readonly next_call: string | null;
}

/** A workspace with these files in it, named from its root. */
export async function workspaceWith(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Workspace> {
  const workspace = await freshWorkspace(env);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace.root, name)), { recursive: true });
    await writeFile(join(workspace.root, name), text);
  }
  return workspace;
}

export async function freshWorkspace(env: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const root = await passingFolder();
  // The mark of a workspace: without it a store above the temporary folder would be found.
  await mkdir(join(root, '.git'));
  const inHere = (options: RunOptions) => ({
    cwd: root,
    ...options,
    env: { HOME: root, ...env, ...options.env },
  });
  const run = (args: readonly string[], options: RunOptions = {}) =>
    runProgram(process.execPath, [PROGRAM, ...args], inHere(options));
  return {
    root,
    artifacts: join(root, '.acode', 'artifacts'),
    run,
    shell: (script, options = {}) =>
      runProgram(
        'sh',
        ['-c', `spillway() { '${process.execPath}' '${PROGRAM}' "$@"; }\n${script}`],
        inHere(options),
      ),
    truncate: async (input, ...flags) => parsed(await run(['truncate', '--json', ...flags], { input })),
    async ids(...flags) {
      const listed: { artifacts: { id: string }[] } = parsed(
        await run(['artifacts', 'list', '--json', ...flags]),
      );
      return listed.artifacts.map(({ id }) => id);
    },
  };
}

function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { PATH: process.env.PATH, ...options.env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    if (options.closeOutput === true) child.stdout.destroy();
    child.on('error', reject);
    child.on('close', (code) => {
      const bytes = Buffer.concat(out);
      resolve({ code, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() });
    });
    // A program that refuses its arguments does not read its input.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    child.stdin.end(options.input ?? '');
  });
}

/** The JSON that a run printed. */
export function parsed<T>({ code, stdout, stderr }: Ran): T {
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** The handle of a cut output. */
export function handleOf({ metadata }: Truncated): string {
  if (metadata.artifact_id === null) throw new Error('no handle was told');
  return metadata.artifact_id;
}

/** Every file below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** What `exec --json` prints. */
export interface Executed extends Truncated {
  readonly exit_code: number;
  readonly recording: boolean;
  readonly metadata: Truncated['metadata'] & {
    readonly complete: boolean;
    readonly outcome: { readonly status: string; readonly exit_code?: number; readonly signal?: string };
  };
}

/** Numbered lines, all different. */
export function numberedLines(count: number, word = 'line'): string {
  return Array.from({ length: count }, (_, i) => `${word} ${i + 1}\n`).join('');
}

/** The program, left running. */
export function started(
  root: string,
  args: readonly string[],
): { child: ChildProcessWithoutNullStreams; ended: Promise<Omit<Ran, 'bytes'>> } {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root },
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => out.push(data));
  child.stderr.on('data', (data: Buffer) => err.push(data));
  const ended = once(child, 'close').then(([code]) => ({
    code,
    stdout: Buffer.concat(out).toString(),
    stderr: Buffer.concat(err).toString(),
  }));
  return { child, ended };
}

/** Whether a process runs; one that has ended and is not waited for yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The time that a command took differs from run to run; a time limit does not. */
export function untimed(text: string): string {
  return text.replaceAll(/(?<!Timed out) after [\d.]+ s(?=\.)/g, ' after TIME');
}
