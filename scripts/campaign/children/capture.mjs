// Captures a large text into a SQLite store and tells what it cost. Job: name, bytes, strategy,
// file, ending, form.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { chunks, jsonChunks } from '../content.mjs';
import { peakMb } from '../memory.mjs';

const { name, bytes, strategy, file, ending, form } = JSON.parse(process.argv[2]);
const store = sqliteStore({ file });
const spillway = new Spillway({ store });
const call = { tool: name, session: 'campaign', scope: 'campaign' };
const began = performance.now();
let producing = 0;
function* timed() {
  const source = form === 'JSON' ? jsonChunks(name, bytes) : chunks(name, bytes, { ending });
  for (;;) {
    const before = performance.now();
    const next = source.next();
    producing += performance.now() - before;
    if (next.done) return;
    yield next.value;
  }
}
const { projection } = await spillway.process(
  call,
  { kind: 'text', text: timed() },
  { policy: { strategy, inlineLimit: 8_000 } },
);
const record = await spillway.sealed({ projection });
const seconds = (performance.now() - began - producing) / 1_000;
await spillway.close();
const { metadata, text } = projection;
console.log(
  JSON.stringify({
    id: record?.id ?? null,
    seconds,
    peakMb: peakMb(),
    chars: text.length + (projection.notice?.length ?? 0),
    by: metadata.strategy_used,
    parses: isJson(text),
    originalSize: metadata.original_size,
    truncated: metadata.was_truncated,
    storedBytes: record?.parts.reduce((sum, part) => sum + part.bytes, 0) ?? 0,
  }),
);

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
