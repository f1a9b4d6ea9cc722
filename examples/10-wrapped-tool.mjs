// Any function as a tool: called as before, its results stored whole and returned within their limits.
import assert from 'node:assert/strict';
import { memoryStore, Spillway, wrapTool } from 'spillway';

const spillway = new Spillway({ store: memoryStore() });
const about = { spillway, session: 'demo', scope: 'demo' };
const readLog = wrapTool(
  async ({ path }) => Array.from({ length: 3_000 }, (_, i) => `${path} ${i + 1}: all is well`).join('\n'),
  { ...about, tool: 'read_log' },
);
const listRows = wrapTool(() => Array.from({ length: 5_000 }, (_, id) => ({ id })), {
  ...about,
  tool: 'list_rows',
});

const text = await readLog({ path: 'app.log' });
const [artifact_id] = /art_\w+/.exec(text);
const page = await spillway.retrieve({ artifact_id, lines: '1500' }, 'demo');

assert.ok(text.length <= 8_000);
assert.match(page.body, /^app\.log 1500: all is well/);
assert.ok(Array.isArray(JSON.parse(await listRows())), 'a value stays JSON, with the notice inside');
console.log(text.split('\n').slice(0, 2).join('\n'));
