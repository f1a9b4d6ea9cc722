// Captures outputs one after the other until it is killed, and tells the id of each that was
// sealed. Job: file, tag, seed.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between, chunks, randomOf } from '../content.mjs';

const { file, tag, seed } = JSON.parse(process.argv[2]);
const random = randomOf(seed);
// Most outputs begin in rows and go on in a file.
const spillway = new Spillway({ store: sqliteStore({ file, largePartBytes: 200_000 }) });
process.stdin.once('end', () => process.exit(1)).resume();
for (let i = 0; ; i++) {
  const name = `${tag}x${i}`;
  const bytes = 64 * between(random, 1, 12_000);
  const source = chunks(name, bytes, { chunkBytes: between(random, 1_000, 90_000) });
  const answer = await spillway.process(
    { tool: name, session: tag, scope: 'campaign', input: { bytes } },
    { kind: 'text', text: source },
  );
  const record = await spillway.sealed(answer);
  process.stdout.write(`${record === null ? 'unstored' : record.id} ${name} ${bytes}\n`);
}
