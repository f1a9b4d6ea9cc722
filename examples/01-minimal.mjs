// The library in a few lines: a long result goes in, a bounded text comes out, and the gap is
// fetched back.
import assert from 'node:assert/strict';
import { memoryStore, Spillway } from '@spillway/core';

const spillway = new Spillway({ store: memoryStore() });
const output = Array.from({ length: 5_000 }, (_, i) => `record ${i + 1}`).join('\n');
const call = { tool: 'list_records', session: 'demo', scope: 'demo' };

const { projection } = await spillway.process(call, { kind: 'text', text: output });
const { artifact_id, omitted } = projection.metadata;
const [gap] = omitted;
const page = await spillway.retrieve(
  { artifact_id, lines: `${gap.first_line}-${gap.first_line + 9}` },
  'demo',
);

assert.ok(projection.text.length <= 8_000);
assert.equal(page.body.split('\n')[0], `record ${gap.first_line}`);
console.log(projection.text.split('\n').slice(0, 2).join('\n'));
