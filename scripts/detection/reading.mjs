// What the sources of the detection table share: finding files, reading their start, running a
// command, parsing JSON.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SAMPLE = 8_192;
/** Shorter texts are never cut. */
export const LEAST = 200;
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const modules = join(root, 'node_modules');

/**
 * The files below a folder whose name fits, at most `perFolder` of one folder and a few times as
 * many of its neighbours.
 */
export function walk(folder, pattern, perFolder, depth = 0) {
  if (depth > 12 || !existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const here = entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(folder, entry.name));
  const below = entries
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => walk(join(folder, entry.name), pattern, perFolder, depth + 1));
  const found = [...spread(here, perFolder), ...below];
  return depth === 0 ? found : spread(found, perFolder * (depth > 2 ? 3 : 12));
}

/** At most so many, evenly over the list: the same ones each time. */
export function spread(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

export function readStart(path) {
  const size = statSync(path).size;
  const bytes = Buffer.alloc(Math.min(size, SAMPLE));
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, bytes.length, 0);
  closeSync(file);
  return { bytes, complete: size <= SAMPLE };
}

/** json, ndjson, or undefined for what is neither: by parsing the whole file. */
export function parsedKind(path) {
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  const isNested = (line) => {
    try {
      return typeof JSON.parse(line) === 'object' && JSON.parse(line) !== null;
    } catch {
      return false;
    }
  };
  if (isNested(text)) return 'json';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length >= 2 && lines.every(isNested) ? 'ndjson' : undefined;
}

/** stdout and stderr of a command; empty if it is not there. */
export function output(command, args, cwd = '/') {
  const run = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 1 << 28,
    env: { ...process.env, LC_ALL: 'C.UTF-8', RUST_BACKTRACE: '1' },
  });
  if (run.error !== undefined && run.stdout === null) return '';
  if (run.status !== 0 && ['git', 'docker', 'man', 'ss', 'netstat', 'lsof', 'npx'].includes(command))
    return '';
  return `${(run.stdout ?? '').slice(0, 100_000)}${(run.stderr ?? '').slice(0, 100_000)}`;
}
