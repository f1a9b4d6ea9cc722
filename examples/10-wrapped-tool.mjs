// Any function as a tool for a framework that calls tools itself: called as before, its results
// stored whole and returned within their limits.
import assert from 'node:assert/strict';
import { openAgent } from 'spillway';

const agent = await openAgent({ session: `demo-${Date.now()}` });
const readLog = agent.tool(async function read_log({ path }) {
  return Array.from({ length: 3_000 }, (_, i) => `${path} ${i + 1}: all is well`).join('\n');
});
const listRows = agent.tool(() => Array.from({ length: 5_000 }, (_, id) => ({ id })), { name: 'list_rows' });

const text = await readLog({ path: 'app.log' });
const [artifact_id] = /art_\w+/.exec(text);

assert.ok(text.length <= 8_000);
assert.match(await agent.fetch({ artifact_id, lines: '1500' }), /app\.log 1500: all is well/);
assert.ok(Array.isArray(JSON.parse(await listRows())), 'a value stays JSON, with the notice inside');
console.log(text.split('\n').slice(0, 2).join('\n'));
await agent.close();
