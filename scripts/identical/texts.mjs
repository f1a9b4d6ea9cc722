// The texts of identical.mjs: fixtures, real outputs, and generated ones that are hard to cut. Their
// names are the same in every checkout.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { giantLine, logLines, logStream, quietLines, shortLines } from '../../bench/inputs.mjs';
import { CORPORA } from '../../bench/labelled.mjs';
import { root } from '../toolchain.mjs';

/** Larger texts take longer than they tell. */
const MAX_BYTES = 300_000;
const LARGE_BYTES = 64 * 1024 * 1024;

/**
 * { name, read } of each text; `read` gives its bytes. `each`: takes each nth text of the corpora;
 * null gives the one that is streamed.
 */
export function textsOf(each, folders) {
  if (each === null) return [{ name: 'generated/64 MB of log', read: () => logStream(LARGE_BYTES) }];
  const files = [
    ...filesIn('fixtures', join(root, 'packages/core/test/fixtures')),
    ...filesIn('corpora', CORPORA).filter(({ name }) => bucketOf(name) % each === 0),
    ...folders.flatMap((folder) => filesIn(folder, folder)),
  ].map(({ name, file }) => ({ name, read: () => readFileSync(file) }));
  const generated = Object.entries(GENERATED).map(([name, make]) => ({
    name: `generated/${name}`,
    read: () => Buffer.from(make()),
  }));
  return [...files, ...generated].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function filesIn(title, folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => ({ name: `${title}/${name}`, file: join(folder, name) }))
    .filter(({ name }) => !/\.bin$|LICENSES|[\t\n]/.test(name))
    .filter(({ file }) => statSync(file).isFile() && statSync(file).size <= MAX_BYTES);
}

const bucketOf = (name) => createHash('sha256').update(name).digest().readUInt32BE();

const repeated = (count, line) => Array.from({ length: count }, (_, i) => line(i)).join('');

const GENERATED = {
  nothing: () => '',
  'blank lines': () => '\n'.repeat(5_000),
  'one char a line': () => repeated(6_000, (i) => `${i % 10}\n`),
  'a log': () => logLines(60_000),
  'a quiet log': () => quietLines(60_000),
  'a log with CRLF': () => logLines(30_000).replaceAll('\n', '\r\n'),
  'a log without a last line end': () => logLines(30_000).trimEnd(),
  'short lines': () => shortLines(40_000),
  'one long line': () => giantLine(80_000),
  'a long line among others': () => `${logLines(5_000)}${'x'.repeat(40_000)}\n${logLines(5_000, 2)}`,
  colours: () =>
    repeated(
      600,
      (i) => `\u001b[3${i % 8}mstep ${i}\u001b[0m done \u001b]0;title ${i}\u0007${i % 9 ? '' : 'error: x'}\n`,
    ),
  'overwritten progress': () =>
    repeated(40, (i) => `${repeated(60, (j) => `\rpart ${i}: ${j} of 60`)}\nfinished ${i}\n`),
  'chars of two units and marks': () =>
    repeated(3_000, (i) => `👩‍👩‍👧 e\u0301 漢字 ${i}${i % 7 ? ' ' : '\n'}`),
  'bytes that are no UTF-8': () =>
    Buffer.concat(
      Array.from({ length: 900 }, (_, i) => Buffer.from([0xff, 0xe2, 0x82, 0x41, i & 255, 0x0a])),
    ),
  'UTF-16': () => Buffer.from(`\ufeff${logLines(15_000)}`, 'utf16le'),
  'a byte order mark': () => `\ufeff${logLines(12_000)}`,
  'zero bytes': () => repeated(2_000, (i) => `a\0b ${i}\n`),
  'our own notices': () =>
    repeated(
      200,
      (i) =>
        `[Showing ${i} of 83,055 chars (938 lines).]\n... [931 lines / 82,374 chars omitted: 5-937] ...\n`,
    ),
};
