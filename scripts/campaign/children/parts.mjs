// Captures an output of very many tiny parts. Job: count, file (or null: memory only).
import { Spillway } from '../../../packages/core/dist/index.js';
import { sqliteStore } from '../../../packages/core/dist/stores/sqlite/index.js';

const { count, file } = JSON.parse(process.argv[2]);
const spillway = new Spillway({ store: file === null ? null : sqliteStore({ file }) });
const blocks = Array.from({ length: count }, (_, i) => ({ type: 'text', text: `block ${i + 1}\n` }));
const began = performance.now();
const { projection, sealed } = await spillway.process(
  { tool: 'blocks', session: 'campaign', scope: 'campaign' },
  { kind: 'blocks', blocks },
);
const record = await sealed;
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
    peakMb: process.resourceUsage().maxRSS / 1_024,
    chars: projection.text.length,
    first: projection.text.includes('block 1\n'),
    last: projection.text.includes(`block ${count}`),
    parts: record?.parts.length ?? null,
    middle,
  }),
);
