// Captures one output on a disk that is nearly full, tells what became of it, and waits to be
// killed. Job: file, name, bytes.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { chunks } from '../content.mjs';

const { file, name, bytes } = JSON.parse(process.argv[2]);
const spillway = new Spillway({ store: sqliteStore({ file }) });
process.stdin.once('end', () => process.exit(1)).resume();
const { projection } = await spillway.process(
  { tool: name, session: 'campaign', scope: 'campaign' },
  { kind: 'text', text: chunks(name, bytes, { chunkBytes: 50_000 }) },
);
const record = await spillway.sealed({ projection });
const { text, metadata } = projection;
const report = {
  id: record?.id ?? null,
  stored: metadata.stored,
  handle: /art_\d/.test(text),
  chars: text.length,
};
console.log(JSON.stringify({ ...report, notice: text.slice(0, 200) }));
