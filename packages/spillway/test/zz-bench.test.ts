import { memoryStore, Spillway } from '@spillway/core';
import { it } from 'vitest';
import { jsonPaths } from '/work/main/packages/spillway/src/paths.ts';
import { re2Patterns } from '/work/main/packages/spillway/src/patterns.ts';
it('bench', async () => {
  const s = new Spillway({ store: memoryStore(), patterns: await re2Patterns(), paths: jsonPaths() });
  const items = Array.from({length: 600_000}, (_, i) => `{"id":${i},"name":"item ${i}","tags":["a","b"],"price":${i%100}.5,"nested":{"x":null,"y":true}}`);
  const text = `{"items":[${items.join(',')}]}`;
  console.log(text.length/1e6,'MB');
  const { sealed } = await s.process({ tool: 't', session: 's', scope: 's' }, { kind: 'text', text });
  const id = (await sealed)!.id;
  for (const q of ['$.items[*].name','$.items[599999].nested','$..price','$..*','$.items[?@.price > 99].id','$.items[?search(@.name, "99$")].id','$.items[-1]']) {
    const c = process.cpuUsage(); const t = performance.now(); const m=process.memoryUsage().rss;
    const r = await s.retrieve({ artifact_id: id, json_path: q }, 's').then(p=>p.header.slice(0,90), e=>e.message);
    console.log(q, Math.round(performance.now()-t),'ms', Math.round(process.cpuUsage(c).user/1e3), 'cpu', Math.round((process.memoryUsage().rss-m)/1e6),'MB', r);
  }
}, 120000);
