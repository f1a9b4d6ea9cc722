// An agent whose results are kept whole while what is sent stays small: the next turn needs no tool
// again, the prompt keeps its beginning, and compaction names everything it leaves out. The model
// is played by `model`; with a real one it is
// `client.chat.completions.create({ model, tools, ...body })`.
import assert from 'node:assert/strict';
import { openAgent } from 'spillway';

const window = 12_000;
const agent = await openAgent({ session: `run-${Date.now()}`, shape: 'openai_chat' });
agent.tool(
  async ({ part }) => ({
    stdout: Array.from({ length: 2_000 }, (_, i) => `part ${part}: step ${i} done\n`).join(''),
    stderr: part === 3 ? 'error: part 3 does not link\n' : '',
    exitCode: part === 3 ? 1 : 0,
  }),
  { name: 'build', result: (ended) => ({ kind: 'exec', ...ended }) },
);

await agent.say({ role: 'system', parts: [{ type: 'text', text: 'You look after a build.' }] });
let before = [];
for (let turn = 1; turn <= 8; turn++) {
  await agent.say(`Build part ${turn}.`);
  for (let calls; calls?.length !== 0; await agent.run(calls)) {
    // One call: it compacts where it has to, and what comes back fits.
    const { body, compactions, numbers, verdict } = await agent.request({ window });
    const prompt = body.messages.map((message) => JSON.stringify(message));
    if (compactions === 0) assert.deepEqual(prompt.slice(0, before.length), before);
    before = prompt;
    console.log(`turn ${turn}: ${numbers.tokens} of ${window} tokens, ${verdict}`);
    ({ calls } = await agent.take(model(body, turn)));
  }
}

const report = await agent.session.report();
assert.deepEqual([report.calls, report.results, report.missing, report.orphans], [8, 8, 0, 0]);
const { body } = await agent.request({ window });
const line = body.messages
  .flatMap(({ content }) => String(content).split('\n'))
  .find((each) => each.includes('call_3'));
console.log(line);
const [artifact_id] = line.match(/art_\d+_\w+/);
assert.match(await agent.fetch({ artifact_id, lines: '1-1' }), /^part \d: step 0 done$/m);
await agent.close();

/** Calls `build` once in each turn, then answers. */
function model({ messages }, turn) {
  const isBuilt = messages.at(-1).role === 'tool';
  const call = { name: 'build', arguments: JSON.stringify({ part: turn }) };
  const message = isBuilt
    ? { role: 'assistant', content: `Part ${turn} is built.` }
    : {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `call_${turn}`, type: 'function', function: call }],
      };
  return { choices: [{ message }] };
}
