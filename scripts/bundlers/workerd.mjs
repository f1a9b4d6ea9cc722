import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const script = readFileSync('../out/worker.mjs', 'utf8');
const miniflare = new Miniflare({
  modules: true,
  script,
  compatibilityDate: '2026-07-01',
  compatibilityFlags: ['nodejs_compat'],
});
const answer = await miniflare.dispatchFetch('http://localhost/');
console.log(await answer.text());
await miniflare.dispose();
