// Logs of real failing builds, from the corpora beside the checkout: they are not part of this
// repository, and whoever has none measures without them.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CORPORA =
  process.env.SPILLWAY_CORPORA ?? resolve(dirname(fileURLToPath(import.meta.url)), '../../shared/corpora');
const LIST = join(CORPORA, 'failures.jsonl');

export const hasRealLogs = existsSync(LIST);

/** One after another, over again if there are not enough, until `bytes` are given. */
export function* realLogs(bytes) {
  const files = readFileSync(LIST, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).file)
    .filter((file) => !/\.(?:xml|json|html)$/.test(file));
  for (let i = 0, given = 0; given < bytes; i++) {
    const text = readFileSync(join(CORPORA, files[i % files.length]));
    yield text.subarray(0, bytes - given);
    given += text.length;
  }
}

/** All files in a folder of the corpora, in order. */
export function corpusFiles(folder) {
  return readdirSync(join(CORPORA, folder), { recursive: true })
    .map((name) => join(CORPORA, folder, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}
