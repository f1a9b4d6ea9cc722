// Captures an output of very many tiny parts. Job: count, file (or null: memory only).
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { peakMb } from '../memory.mjs';

const { count, file } = JSON.parse(process.argv[2]);
const spillway = new Spillway({ store: file === null ? null : sqliteStore({ file }) });
function* blocks() {
  for (let i = 1; i <= count; i++) yield { type: 'text', text: `block ${i}\n` };
}
const began = performance.now();
const { projection } = await spillway.process(
  { tool: 'blocks', session: 'campaign', scope: 'campaign' },
  { kind: 'blocks', blocks: blocks() },
);
const record = await spillway.sealed({ projection });
const seconds = (performance.now() - began) / 1_000;
let middle = null;
if (record !== null && file !== null) {
  const page = await spillway.retrieve({ artifact_id: record.id, part: String(count / 2) }, 'campaign');
  middle = page.body;
}
await spillway.close();
console.log(
  JSON.stringify({
    seconds,
    peakMb: peakMb(),
    chars: projection.text.length,
    first: projection.text.includes('block 1\n'),
    last: projection.text.includes(`block ${count}`),
    lines: projection.metadata.original_lines,
    storedBytes:
      record?.parts.reduce((sum, part) => sum + (part.role === 'content' ? part.bytes : 0), 0) ?? null,
    charsInAll: projection.metadata.original_size,
    middle,
  }),
);
