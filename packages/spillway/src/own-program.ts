/**
 * How this program is started by others: by its name where it is on the path, as what a project
 * depends on, or as this very installation. Nothing here is fetched from a registry.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** The words before a command of ours. */
export type Program = readonly string[];

/** What the project depends on, never fetched: anybody may publish under a name. */
const OF_PROJECT: Program = ['npx', '--no', 'spillway'];

/**
 * `use`: a file that others share gets no path of this machine; a shell that does not find the
 * program by its name gets its path. What npx put on the path is there for this run only.
 */
export function ownProgram(use: 'here' | 'shared' | 'by path'): Program {
  const isOfProject = existsSync(join('node_modules', 'spillway'));
  if (use === 'shared') return isOfProject ? OF_PROJECT : ['spillway'];
  if (use === 'here' && isOnPath()) return ['spillway'];
  return use === 'here' && isOfProject && process.env.npm_command === 'exec'
    ? OF_PROJECT
    : [process.execPath, resolve(process.argv[1] ?? 'spillway')];
}

/** What the others need who share a file that starts the program. */
export function neededByOthers([first]: Program, kind: 'program' | 'plugin' = 'program'): string {
  const needed =
    first === 'npx' || kind === 'plugin'
      ? 'spillway among the packages of the project (npm install)'
      : `the program spillway on the path${isOnPath() ? '' : ', where yours is not'}`;
  return `This file is shared with the project: whoever uses it needs ${needed}`;
}

function isOnPath(): boolean {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .some((folder) => isExecutable(join(folder, 'spillway')));
}

export function isExecutable(file: string): boolean {
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
