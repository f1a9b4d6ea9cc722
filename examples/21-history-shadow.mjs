// A host that cuts results at 2,000 chars while it records them, with Spillway in its shadow: the
// host goes on as before, everything is kept whole, and the report says what the old path really
// loses.
import assert from 'node:assert/strict';
import { memoryStore, Spillway } from '@spillway/core';
import { History, rolloutMode } from '@spillway/core/history';

/** The old path: first 2,000 chars and a banner. */
const oldPath = (text) => (text.length <= 2_000 ? text : `${text.slice(0, 2_000)}\n[truncated]`);

const store = memoryStore();
const spillway = new Spillway({ store });
const history = new History({ spillway, store });
const name = { scope: 'example', session: 'run-1' };
assert.equal(rolloutMode(name, { shadow: 1 }), 'shadow');

const session = history.session(name);
const shadow = session.shadow(oldPath);
const tools = {
  list: () => 'a.txt\nb.txt\n',
  query: () => JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` }))),
  execute_command: () =>
    `${'compiling\n'.repeat(600)}error: x is not defined\n${'cleaning up\n'.repeat(600)}`,
};
const seen = [];
for (const [tool, run] of Object.entries(tools)) {
  const callId = `call_${tool}`;
  await session.say({ role: 'assistant', parts: [{ type: 'call', callId, tool, input: '{}' }] });
  seen.push(await shadow.result({ callId, tool }, { kind: 'text', text: run() }));
}

const { report } = shadow;
console.table(
  report.differences.map(({ tool, original_size, legacy_size, our_size, what }) => ({
    tool,
    original_size,
    legacy_size,
    our_size,
    what: what.join(),
  })),
);
assert.deepEqual(
  seen,
  Object.values(tools).map((run) => oldPath(run())),
);
assert.deepEqual(
  { ...report.kinds },
  { cut: 2, changed: 0, json: 1, characters: 0, error: 1, longer: 0, failed: 0 },
);
assert.deepEqual({ ...report.ours }, { json: 0, characters: 0, error: 0 });
