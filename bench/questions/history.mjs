// How much of a prompt is the same bytes as the turn before? Providers only cache a prefix: what
// changes early in a prompt is paid for again.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from '@langchain/core/messages';
import { memoryStore, Spillway } from '@spillway/core';
import { History, writeAs } from '@spillway/core/history';
import { pruneMessages } from 'ai';
import { logLines, randomFrom } from '../inputs.mjs';
import { digits, whole } from '../report.mjs';

export const question =
  'Of sessions of 34 and 300 turns, what is sent, and how much of each prompt is byte for byte the prompt of the turn before?';

export const notes = [
  'The same session for everybody: a question, one to three calls with results of 0.5 to 40 KB, an answer. Window: 60,000 tokens.',
  'Spillway makes each request in one call. `re-truncate` gives every result an equal share of the window each turn; `cut and slide` cuts each result once, to',
  'its first 8,000 chars, and drops the oldest turns when the window is full. Neither keeps what it cut.',
  '`LangChain trimMessages` keeps the latest messages that fit, from a user message on; `AI SDK pruneMessages` drops tool calls and results but for those of the last turn. Both cut nothing, so a prompt may be over the window.',
  'Prompts are the messages in the shape of the AI SDK, as JSON, one a line. `reused`: chars of the common prefix by chars of the prompt, over all turns.',
  'Prompt chars sent again: what a provider that caches prefixes has to read anew, over the whole session.',
];

const WINDOW = 60_000;
const CHARS_A_TOKEN = 3;

export async function run({ smoke }) {
  const tables = [];
  for (const count of smoke ? [10] : [34, 300]) tables.push(await tableOf(sessionOf(count)));
  return tables;
}

async function tableOf(turns) {
  const contenders = [
    { name: 'spillway', replay: spillway },
    { name: 're-truncate every turn', replay: retruncate },
    { name: 'cut and slide', replay: cutAndSlide },
    { name: 'LangChain trimMessages', replay: langchainTrim },
    { name: 'AI SDK pruneMessages', replay: sdkPrune },
  ];
  const rows = [];
  for (const { name, replay } of contenders) rows.push({ name, ...(await measured(replay, turns)) });
  return {
    title: `${turns.length} turns, ${whole(turns.flatMap(({ results }) => results).length)} results`,
    columns: [
      ['', 'name'],
      ['bytes sent', 'bytes', whole],
      ['tokens (chars ÷ 4)', 'tokens', whole],
      ['prompts over the window', 'over', whole],
      ['cacheable', 'reused', percent],
      ['turns that kept all before', 'kept', whole],
      ['prompt chars sent again', 'anew', whole],
      ['largest prompt', 'largest', whole],
      ['compactions', 'compactions', whole],
      ['results that can be had whole', 'recoverable', whole],
      ['ms a turn', 'ms', digits],
    ],
    rows,
  };
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** A session that follows from a seed. */
function sessionOf(count) {
  const random = randomFrom(11);
  return Array.from({ length: count }, (_, turn) => {
    const calls = 1 + Math.floor(random() * 3);
    return {
      question: `Turn ${turn}: please look into part ${Math.floor(random() * 90)} and go on.`,
      answer: `Done with turn ${turn}; the next thing to look at follows from it.`,
      results: Array.from({ length: calls }, (_, i) => {
        const chars = Math.floor(500 + random() ** 3 * 40_000);
        return { callId: `call_${turn}_${i}`, text: logLines(chars, turn * 10 + i) };
      }),
    };
  });
}

/** Counts for LangChain, each message once. */
const counter = new Spillway({ store: null });
const counted = new Map();

function tokensOf(text) {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = counter.countTokens(text) + 4;
  counted.set(text, tokens);
  return tokens;
}

async function measured(replay, turns) {
  let [before, common, sent, kept, largest, bytes, tokens, over] = ['', 0, 0, 0, 0, 0, 0, 0];
  const began = performance.now();
  const { prompts, ...facts } = await replay(turns);
  const ms = (performance.now() - began) / turns.length;
  for (const prompt of prompts.slice(1)) {
    const same = commonPrefix(before, prompt);
    if (same === before.length) kept++;
    common += same;
    sent += prompt.length;
    largest = Math.max(largest, prompt.length);
    const estimate = Math.ceil(prompt.length / 4);
    bytes += Buffer.byteLength(prompt);
    tokens += estimate;
    if (estimate > WINDOW) over++;
    before = prompt;
  }
  return { bytes, tokens, over, reused: common / sent, kept, anew: sent - common, largest, ms, ...facts };
}

function commonPrefix(a, b) {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

async function spillway(turns) {
  const store = memoryStore();
  const layer = new Spillway({ store });
  const session = new History({ spillway: layer, store, invariants: 'count' }).session({
    scope: 's',
    session: 'x',
  });
  const prompts = [];
  let compactions = 0;
  const send = async () => {
    const request = await session.request({ window: WINDOW });
    compactions += request.compactions;
    prompts.push(written(writeAs('ai_model', request.messages).messages));
  };
  await session.say({ role: 'system', parts: [{ type: 'text', text: SYSTEM }] });
  for (const { question: text, answer, results } of turns) {
    await session.say({ role: 'user', parts: [{ type: 'text', text }] });
    const calls = results.map(({ callId }) => ({ type: 'call', callId, tool: 'look', input: '{}' }));
    await session.say({ role: 'assistant', parts: calls });
    for (const result of results)
      await session.result({ callId: result.callId, tool: 'look' }, { kind: 'text', text: result.text });
    await send();
    await session.say({ role: 'assistant', parts: [{ type: 'text', text: answer }] });
  }
  const report = await session.report();
  return { prompts, compactions, recoverable: report.results };
}

const SYSTEM = 'You look into things, one part after the other, and say what you found.';

/** Every result gets an equal share of the window, anew each turn. */
function retruncate(turns) {
  return replayPlain(turns, (history) => {
    const results = history.filter(({ role }) => role === 'tool').length;
    const share = Math.floor((WINDOW * 0.9 * CHARS_A_TOKEN) / Math.max(1, results)) - 200;
    return history.map((message) => (message.role === 'tool' ? cut(message, share) : message));
  });
}

/** Results are cut once; the oldest turns go when the window is full. */
function cutAndSlide(turns) {
  return replayPlain(turns, (history) => {
    const short = history.map((message) => (message.role === 'tool' ? cut(message, 8_000) : message));
    const sizes = short.map((message) => JSON.stringify(message).length + 1);
    let size = sizes.reduce((sum, one) => sum + one, 0);
    let from = 0;
    while (size > WINDOW * 0.9 * CHARS_A_TOKEN) {
      do size -= sizes[from++];
      while (short[from]?.role !== 'user' && from < short.length - 1);
    }
    return short.slice(from);
  });
}

const MOST_THAT_FIT = 200;

/** The latest messages that fit, in the words of LangChain. */
function langchainTrim(turns) {
  return replayPlain(turns, async (history) => {
    // Older ones never fit; it takes time that grows with the square of what it is given.
    const kept = await trimMessages(history.slice(-MOST_THAT_FIT).map(chainMessage), {
      maxTokens: Math.floor(WINDOW * 0.9),
      tokenCounter: (messages) => messages.reduce((sum, { text }) => sum + tokensOf(text), 0),
      strategy: 'last',
      startOn: 'human',
      includeSystem: true,
    });
    return kept.map((message) => message.toDict().data);
  });
}

function chainMessage({ role, content, toolCallId }) {
  if (role === 'user') return new HumanMessage(content);
  if (role === 'system') return new SystemMessage(content);
  if (role === 'tool') return new ToolMessage({ content, tool_call_id: toolCallId });
  if (typeof content === 'string') return new AIMessage(content);
  return new AIMessage({
    content: '',
    tool_calls: content.map(({ toolCallId: id, toolName: name, input: args }) => ({ id, name, args })),
  });
}

/** All but the tool calls of earlier turns, in the words of the AI SDK. */
function sdkPrune(turns) {
  return replayPlain(turns, (history) => {
    const messages = history.map((message) =>
      message.role === 'tool'
        ? {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: message.toolCallId,
                toolName: 'look',
                output: { type: 'text', value: message.content },
              },
            ],
          }
        : message,
    );
    return pruneMessages({ messages, toolCalls: 'before-last-4-messages', emptyMessages: 'remove' });
  });
}

async function replayPlain(turns, shaped) {
  const history = [];
  const prompts = [];
  for (const { question: text, answer, results } of turns) {
    history.push({ role: 'user', content: text });
    history.push({
      role: 'assistant',
      content: results.map(({ callId }) => ({
        type: 'tool-call',
        toolCallId: callId,
        toolName: 'look',
        input: {},
      })),
    });
    for (const result of results)
      history.push({ role: 'tool', toolCallId: result.callId, content: result.text });
    prompts.push(written([{ role: 'system', content: SYSTEM }, ...(await shaped(history))]));
    history.push({ role: 'assistant', content: answer });
  }
  return { prompts, recoverable: 0 };
}

function cut(message, chars) {
  const { content } = message;
  if (content.length <= chars) return message;
  return { ...message, content: `${content.slice(0, Math.max(0, chars))}\n[truncated]` };
}

function written(messages) {
  return messages.map((message) => JSON.stringify(message)).join('\n');
}
