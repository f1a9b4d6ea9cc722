// An agent on Anthropic's own client: a loop of requests, tool calls and results. The provider
// answers by a plan, and keeps what it was sent.
import Anthropic from '@anthropic-ai/sdk';
import { GET_ARTIFACT, memoryStore, Spillway } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';
import { startProvider } from './anthropic-provider.mjs';
import { conversation, exactOf, Figures, factsIn, NAME, reachable, tell } from './conversation.mjs';

const { window, turns, facts, chars } = JSON.parse(process.argv[2]);
const plan = conversation({ turns, facts, chars });
const provider = await startProvider(plan);
const client = new Anthropic({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 });
const store = memoryStore();
const spillway = new Spillway({ store });
const session = new History({ spillway, store }).session(NAME);
const figures = new Figures();
const recorded = new Map();
let fetchedPages = 0;

await session.say({ role: 'system', parts: [{ type: 'text', text: 'You are careful.' }] });
for (const { user, calls } of plan) {
  await session.import('anthropic', [{ role: 'user', content: user }], { given: 'more' });
  for (;;) {
    const asked = (await send()).content.filter(({ type }) => type === 'tool_use');
    if (asked.length === 0) break;
    for (const { id, name, input } of asked) await answer(id, name, input, calls);
  }
}
await session.import('anthropic', [{ role: 'user', content: 'And?' }], { given: 'more' });
const last = await session.request({ window });
const found = await reachable(spillway, NAME.scope, JSON.stringify(last.messages));
const report = await session.report();
provider.close();
tell({
  ...figures,
  fetchedPages,
  outputs: recorded.size,
  exact: await exactOf(spillway, NAME.scope, recorded),
  orphans: report.orphans + report.missing,
  facts: factsIn(found, facts),
  requestsSent: provider.bodies.map(({ messages }) => messages),
});

/** One request; what comes back is kept as it is. */
async function send() {
  const request = await session.request({ window });
  const written = writeAs('anthropic', request.messages).messages;
  figures.add(request, written);
  const system = written.filter(({ role }) => role === 'system');
  const messages = written.filter(({ role }) => role !== 'system');
  const tools = [{ name: GET_ARTIFACT.name, input_schema: GET_ARTIFACT.inputSchema }];
  const answered = await client.messages.create({
    model: 'm',
    max_tokens: 100,
    messages,
    tools,
    ...(system.length === 0 ? {} : { system: system.map(({ content }) => content).join('\n') }),
  });
  await session.import('anthropic', [{ role: 'assistant', content: answered.content }], { given: 'more' });
  return answered;
}

async function answer(callId, tool, input, calls) {
  if (tool === GET_ARTIFACT.name) {
    const page = await spillway.retrieve(input, NAME.scope);
    await session.result({ callId, tool, input }, { kind: 'text', text: page.text });
    fetchedPages++;
    return;
  }
  const text = calls.find((call) => call.callId === callId)?.output ?? '';
  const { output } = await session.result({ callId, tool, input }, { kind: 'text', text });
  recorded.set(output.id, text);
}
