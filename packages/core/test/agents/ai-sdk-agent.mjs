// An agent on the AI SDK, by hand: its own loop around `generateText`, tools without `execute`. The
// SDK converts and checks every message.
import { memoryStore, Spillway } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';
import { generateText, jsonSchema, tool as toolOf } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { conversation, exactOf, Figures, factsIn, NAME, reachable, tell } from './conversation.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;
const { window, turns, facts, chars } = JSON.parse(process.argv[2]);
const store = memoryStore();
const spillway = new Spillway({ store });
const session = new History({ spillway, store }).session(NAME);
const figures = new Figures();
const recorded = new Map();
const prompts = [];
const anything = jsonSchema({ type: 'object' });
const tools = Object.fromEntries(
  ['build', 'search', 'query'].map((name) => [name, toolOf({ inputSchema: anything })]),
);
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

await session.import('ai_model', [{ role: 'system', content: 'You are careful.' }], { given: 'more' });
for (const { user, thought, calls, answer } of conversation({ turns, facts, chars })) {
  await session.import('ai_model', [{ role: 'user', content: user }], { given: 'more' });
  await send([
    { type: 'text', text: thought },
    ...calls.map(({ callId, tool, input }) => ({
      type: 'tool-call',
      toolCallId: callId,
      toolName: tool,
      input: JSON.stringify(input),
    })),
  ]);
  for (const { callId, tool, input, output: text } of calls) {
    const { output } = await session.result({ callId, tool, input }, { kind: 'text', text });
    recorded.set(output.id, text);
  }
  await send([{ type: 'text', text: answer }]);
}
await session.import('ai_model', [{ role: 'user', content: 'And?' }], { given: 'more' });
const last = await session.request({ window });
const found = await reachable(spillway, NAME.scope, JSON.stringify(last.messages));
const report = await session.report();
tell({
  ...figures,
  outputs: recorded.size,
  exact: await exactOf(spillway, NAME.scope, recorded),
  orphans: report.orphans + report.missing,
  facts: factsIn(found, facts),
  requestsSent: prompts,
});

async function send(content) {
  const request = await session.request({ window });
  const messages = writeAs('ai_model', request.messages).messages;
  figures.add(request, messages);
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt.map(({ role, content: parts }) => ({ role, content: essence(parts) })));
      return {
        content,
        finishReason: { unified: hasCalls ? 'tool-calls' : 'stop', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
  const { response } = await generateText({ model, messages, tools, allowSystemInMessages: true });
  await session.import('ai_model', response.messages, { given: 'more' });
}

/** Types and ids are all that a check of pairing needs. */
function essence(parts) {
  if (typeof parts === 'string') return [{ type: 'text', text: parts.slice(0, 20) }];
  return parts.map(({ type, toolCallId, text }) => ({ type, toolCallId, text: text?.slice(0, 20) }));
}
