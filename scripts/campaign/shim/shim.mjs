// Builds the library of shim.c with the compiler of the system, once, and gives the variables with
// which a program runs on it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('shim.c', import.meta.url));

let built;

/** The library, or why there is none. */
function library(folder) {
  if (process.platform !== 'linux') return { why: 'needs Linux' };
  const file = join(folder, 'shim.so');
  const { error, status, stderr } = spawnSync(
    'cc',
    ['-O2', '-shared', '-fPIC', '-o', file, SOURCE, '-ldl', '-lpthread'],
    { encoding: 'utf8' },
  );
  if (error !== undefined) return { why: 'there is no C compiler (cc)' };
  if (status !== 0) throw new Error(`shim.c does not compile:\n${stderr}`);
  return { file };
}

/** Why nothing can be run on it here; null where it can. */
export function shimMissing({ folder }) {
  built ??= library(folder);
  return built.why ?? null;
}

/** Variables that record what is written below `root`. */
export function recordInto(log, root) {
  // What goes past libc is not seen.
  return { LD_PRELOAD: built.file, SHIM_ROOT: root, SHIM_LOG: log, UV_USE_IO_URING: '0' };
}

/** A clock that can be set: the variables for programs, and what sets it so many seconds ahead. */
export function movableClock(file) {
  const seconds = new BigInt64Array(1);
  writeFileSync(file, seconds);
  return {
    env: { LD_PRELOAD: built.file, SHIM_CLOCK: file },
    set(ahead) {
      seconds[0] = BigInt(ahead);
      // In place: programs that run have it mapped.
      writeFileSync(file, seconds, { flag: 'r+' });
    },
  };
}
