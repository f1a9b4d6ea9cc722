// Another state of the packages, to stand beside this one in the same run: SPILLWAY_BENCH_BEFORE
// names a folder in which they are installed (or another built checkout).
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.env.SPILLWAY_BENCH_BEFORE;

export const hasBefore = folder !== undefined;

/** The program of that state. */
export const programBefore = hasBefore ? fileOf('spillway/bin/spillway.js') : undefined;

/** A door of the library of that state: `index.js`, `stores/sqlite/index.js`. */
export async function coreBefore(door = 'index.js') {
  return import(pathToFileURL(fileOf(`@spillway/core/dist/${door}`)).href);
}

function fileOf(path) {
  const file = resolve(folder, 'node_modules', path);
  if (!existsSync(file))
    throw new Error(
      `SPILLWAY_BENCH_BEFORE must name a folder with the packages in node_modules: ${join('node_modules', path)} is not there.`,
    );
  return file;
}
