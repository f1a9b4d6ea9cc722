// A session whose results are kept whole while what is sent stays small: the next turn needs no tool again, the prompt keeps its beginning, and compaction
// names everything it leaves out.
import assert from 'node:assert/strict';
import { memoryStore, Spillway } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';

const store = memoryStore();
const spillway = new Spillway({ store });
const session = new History({ spillway, store }).session({ scope: 'example', session: 'run-1' });
const window = 12_000;

await session.say({ role: 'system', parts: [{ type: 'text', text: 'You look after a build.' }] });
let before = [];
for (let turn = 1; turn <= 8; turn++) {
  const callId = `call_${turn}`;
  await session.say({ role: 'user', parts: [{ type: 'text', text: `Build part ${turn}.` }] });
  await session.say({
    role: 'assistant',
    parts: [{ type: 'call', callId, tool: 'build', input: JSON.stringify({ part: turn }) }],
  });
  const stdout = Array.from({ length: 2_000 }, (_, i) => `part ${turn}: step ${i} done\n`).join('');
  const stderr = turn === 3 ? 'error: part 3 does not link\n' : '';
  await session.result(
    { callId, tool: 'build', input: { part: turn } },
    { kind: 'exec', stdout, stderr, exitCode: turn === 3 ? 1 : 0 },
  );
  // One call: it compacts where it has to, and what comes back fits.
  const request = await session.request({ window });
  if (request.compactions > 0) before = [];
  const prompt = writeAs('openai_chat', request.messages).messages.map((message) => JSON.stringify(message));
  assert.deepEqual(prompt.slice(0, before.length), before);
  before = prompt;
  console.log(`turn ${turn}: ${request.numbers.tokens} of ${window} tokens, ${request.verdict}`);
}

const report = await session.report();
assert.deepEqual([report.calls, report.results, report.missing, report.orphans], [8, 8, 0, 0]);
const [summary] = (await store.summaries({ scope: 'example', session: 'run-1' })).items;
const line = summary.text.split('\n').find((each) => each.includes('call_3'));
console.log(line);
const [handle] = line.match(/art_\d+_\w+/);
const page = await spillway.retrieve({ artifact_id: handle, lines: '1-1' }, 'example');
assert.match(page.body, /^part \d: step 0 done$/m);
