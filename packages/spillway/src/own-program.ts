/**
 * How this program is started by others: by its name where it is on everybody's path, else as this
 * very installation, or as what npm brings.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** The words before a command of ours. */
export type Program = readonly string[];

const FROM_NPM: Program = ['npx', '-y', 'spillway'];

/**
 * `use`: a file that others share gets no path of this machine; a shell that does not find the
 * program by its name gets its path. What npx put on the path is there for this run only. Npx finds
 * what the project depends on.
 */
export function ownProgram(use: 'here' | 'shared' | 'by path'): Program {
  if (use === 'shared' && existsSync(join('node_modules', 'spillway'))) return FROM_NPM;
  if (use !== 'by path' && isOnPath()) return ['spillway'];
  return use === 'shared' || process.env.npm_command === 'exec'
    ? FROM_NPM
    : [process.execPath, resolve(process.argv[1] ?? 'spillway')];
}

/** What the others need who share a file that starts the program. */
export function neededByOthers([first]: Program, needed = 'npm install -g spillway'): string {
  const way = first === 'npx' ? 'npx runs the one of the project, or fetches it' : needed;
  return `This file is shared with the project: whoever uses it needs spillway (${way})`;
}

function isOnPath(): boolean {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .some((folder) => isExecutable(join(folder, 'spillway')));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run: the same to who wants to run it.
    return false;
  }
}

/** Whether a login shell of the user finds the program by its name: it may set its own path. */
export function isOnLoginPath(env: NodeJS.ProcessEnv): boolean {
  const shell = env.SHELL || '/bin/sh';
  return (
    spawnSync(shell, ['-lc', 'command -v spillway'], { env, stdio: 'ignore', timeout: 10_000 }).status === 0
  );
}
