// Captures an output of so many tiny parts, made as they are asked for, and fetches the one in the
// middle. Arguments: count, file or nothing.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';

const [count, file] = [Number(process.argv[2]), process.argv[3]];
const store = file === '' ? null : sqliteStore({ file, durability: 'process' });
const spillway = new Spillway({ store });

function* blocks() {
  for (let i = 1; i <= count; i++) yield { type: 'text', text: `block ${i}\n` };
}

const call = { tool: 'blocks', session: 's', scope: 'scope' };
const { projection } = await spillway.process(call, { kind: 'blocks', blocks: blocks() });
const record = await spillway.sealed({ projection });
const asked = { artifact_id: record?.id, part: String(count / 2) };
const middle = record === null ? null : (await spillway.retrieve(asked, 'scope')).body;
await spillway.close();
console.log(
  JSON.stringify({
    lines: projection.metadata.original_lines,
    first: projection.text.includes('block 1\n'),
    last: projection.text.includes(`block ${count}`),
    middle,
  }),
);
