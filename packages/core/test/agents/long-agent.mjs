// One agent over hundreds of turns, against a provider that speaks Anthropic's format, counts with a
// real tokenizer, reports what it read, and refuses what is over its window or has too many marks.
import { memoryStore, openAgent } from '@spillway/core';
import { getEncoding } from 'js-tiktoken';
import { conversation, factOf, factsIn, tell } from './conversation.mjs';

const { turns, facts, chars, window } = JSON.parse(process.argv[2]);
const encoding = getEncoding('o200k_base');
const counted = new Map();

/** Tokens of a message; what was sent before is not counted again. */
function tokensOf(json) {
  const known = counted.get(json);
  if (known !== undefined) return known;
  const tokens = encoding.encode(json).length;
  counted.set(json, tokens);
  return tokens;
}

const report = { requests: 0, over: 0, marks: 0, compactions: 0, bytes: 0, tokens: 0, cached: 0, errors: [] };
let before = [];

/** What a provider does with a request, and what it says of it. */
function provide({ body, numbers, compactions }) {
  const written = body.messages.map((message) =>
    JSON.stringify(message, (name, value) => (name === 'cache_control' ? undefined : value)),
  );
  const tokens = written.map(tokensOf);
  const read = tokens.reduce((sum, count) => sum + count, 300);
  let same = 0;
  while (same < before.length && before[same] === written[same]) same++;
  report.requests++;
  report.compactions += compactions;
  report.bytes += written.reduce((sum, message) => sum + message.length, 0);
  report.tokens += read;
  report.cached += tokens.slice(0, same).reduce((sum, count) => sum + count, 0);
  report.over += read > window ? 1 : 0;
  report.marks = Math.max(report.marks, JSON.stringify(body).split('"cache_control"').length - 1);
  report.errors.push(Math.abs(numbers.tokens / read - 1));
  before = written;
  return { input_tokens: read, output_tokens: 1 };
}

const agent = await openAgent({ session: 'long', store: memoryStore(), shape: 'anthropic' });
const outputs = new Map();
for (const name of ['build', 'search', 'query'])
  agent.tool(({ target }) => outputs.get(target) ?? '', { name });
for (const { user, thought, calls, answer } of conversation({ turns, facts, chars })) {
  await agent.say(user);
  const first = provide(await agent.request({ window, beside: 300, cache: 'anthropic' }));
  const uses = calls.map(({ callId: id, tool: name, input }) => ({ type: 'tool_use', id, name, input }));
  for (const { input, output } of calls) outputs.set(input.target, output);
  const content = [{ type: 'text', text: thought }, ...uses];
  const taken = await agent.take({ role: 'assistant', content, usage: first });
  await agent.run(taken.calls);
  const second = provide(await agent.request({ window, beside: 300, cache: 'anthropic' }));
  await agent.take({ role: 'assistant', content: [{ type: 'text', text: answer }], usage: second });
}

// A model that remembers one word of a fact finds it with one call.
let found = 0;
for (let i = 0; i < facts; i++) {
  const code = factOf(i).split(' ').at(-1).slice(0, -1);
  if (factsIn(await agent.fetch({ search: `locker ${code}` }), facts) > 0) found++;
}
const [page] = [await agent.fetch({ message: '1' })];
const { orphans, missing } = await agent.session.report();
const errors = report.errors.slice(1).sort((a, b) => a - b);
tell({
  ...report,
  errors: undefined,
  medianError: errors[Math.floor(errors.length / 2)],
  cacheable: report.cached / report.tokens,
  found,
  firstMessage: page,
  orphans,
  missing,
});
await agent.close();
