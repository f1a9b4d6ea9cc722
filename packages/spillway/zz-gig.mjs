import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/stores/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { jsonPaths } from './dist/paths.js';
const dir = mkdtempSync('/tmp/gig-');
const s = new Spillway({ store: sqliteStore({ file: dir + '/s.db', durability: 'process' }), paths: jsonPaths() });
const c = await s.open({ tool: 't', session: 's', scope: 's' });
const p = c.part({ name: 'text' });
const filler = 'lorem ipsum '.repeat(80);
let t = performance.now();
await p.write('{"items":[');
const N = 1_000_000;
for (let i = 0; i < N; i += 1000) { let rows = ''; for (let j = i; j < i + 1000; j++) rows += `${j ? ',' : ''}{"id":${j},"text":"${filler}","tags":["a",1]}`; await p.write(rows); }
await p.write(']}');
const { sealed } = await c.finish({ outcome: { status: 'ok' }, complete: true, sourceTruncated: false });
const id = (await sealed).id;
console.log('stored', Math.round(performance.now() - t), 'ms');
for (const q of ['$.items[999990:].id', '$.items[*].tags']) {
  let most = 0; const w = setInterval(() => { most = Math.max(most, process.memoryUsage().rss); }, 20);
  const cpu = process.cpuUsage(); t = performance.now();
  const page = await s.retrieve({ artifact_id: id, json_path: q }, 's');
  clearInterval(w);
  console.log(q, page.totalBytes / 1e9, 'GB', Math.round(performance.now() - t), 'ms wall', Math.round(process.cpuUsage(cpu).user / 1e3), 'ms cpu', 'rss', Math.round(most / 1e6), 'MB', page.found);
}
await s.close(); rmSync(dir, { recursive: true });
