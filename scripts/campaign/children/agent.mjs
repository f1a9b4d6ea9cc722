// An agent that works through its turns with tools that do all sorts of things, until it is done or
// killed; started again it goes on where the store says it was. Tells every result that was
// recorded, with the hash of what the tool really said. Job: file, seed, turns, window, memory.
import { createHash } from 'node:crypto';
import { Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between, chunks, randomOf, textRange } from '../content.mjs';

const { file, seed, turns, window, memory } = JSON.parse(process.argv[2]);
const NAME = { scope: 'campaign', session: 'agent' };
const store = sqliteStore({ file, durability: 'process' });
const spillway = new Spillway({ store });
const history = new History({ spillway, store, invariants: 'count' });
const session = history.session(NAME);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
process.stdin.once('end', () => process.exit(1)).resume();

const TOOLS = [
  { name: 'read_file', run: (name, random) => text(name, 64 * between(random, 1, 60)) },
  { name: 'search_files', run: (name, random) => text(name, 64 * between(random, 1, 400)) },
  { name: 'dump', run: (name, random) => text(name, 64 * between(random, 100, 4_000)) },
  {
    name: 'stream',
    run(name, random) {
      const bytes = 64 * between(random, 1, 2_000);
      const chunkBytes = between(random, 100, 9_000);
      return {
        result: { kind: 'text', text: chunks(name, bytes, { chunkBytes }) },
        content: textRange(name, 0, bytes),
      };
    },
  },
  {
    name: 'execute_command',
    run(name, random) {
      const content = textRange(name, 0, 64 * between(random, 1, 300));
      const stdout = content.toString('latin1');
      return { result: { kind: 'exec', stdout, exitCode: between(random, 0, 2) }, content: content };
    },
  },
  {
    name: 'broken',
    run(name, random) {
      const content = textRange(name, 0, 64 * between(random, 1, 50));
      return {
        result: { kind: 'text', text: content.toString('latin1') },
        content: content,
        outcome: { status: 'error' },
      };
    },
  },
  {
    name: 'query',
    run(name, random) {
      const value = Array.from({ length: between(random, 1, 300) }, (_, id) => ({
        id,
        name,
        ok: id % 7 > 0,
      }));
      return { result: { kind: 'value', value }, content: Buffer.from(JSON.stringify(value)) };
    },
  },
  {
    // A tool that prints what we had shown of another result, notice and all.
    name: 'echo',
    run: (name) => {
      const content = Buffer.from(`${name}\n${lastShown}`);
      return { result: { kind: 'text', text: content.toString() }, content: content };
    },
  },
];

let before = [];
let lastShown = '';
const stability = { turns: 0, kept: 0, compactions: 0, late: 0, common: 0, sent: 0 };
const heaps = [];

const first = await lastTurn();
for (const callId of (await session.prepare({ purpose: 'look' })).missing ?? []) await run(callId, 'again');
for (let turn = first; turn < turns; turn++) {
  await takeTurn(turn);
  if (memory && turn % Math.max(1, Math.floor(turns / 20)) === 0) heaps.push(heapUsed());
}
for (const callId of (await session.prepare({ purpose: 'look' })).missing ?? []) await run(callId, 'again');
say({ done: true, counters: history.counters, stability, heaps, report: await session.report() });
await spillway.close();
process.exit(0);

/** The turn that was being worked on; everything in it can be said again. */
async function lastTurn() {
  const { items } = await store.messages({ ...NAME, order: 'newest', limit: 200 });
  const asked = items.find(({ role }) => role === 'user');
  return asked === undefined ? 0 : Number(asked.id.slice(1));
}

async function takeTurn(turn) {
  const random = randomOf(seed * 100_003 + turn);
  const text = `Turn ${turn}: look into src/part${between(random, 0, 40)}.ts. It must not take long.`;
  await session.say({ id: `u${turn}`, role: 'user', parts: [{ type: 'text', text }] });
  const calls = Array.from({ length: between(random, 0, 4) }, (_, i) => ({
    type: 'call',
    callId: `c${turn}.${i}`,
    tool: TOOLS[between(random, 0, TOOLS.length - 1)].name,
    input: JSON.stringify({ part: between(random, 0, 40), turn }),
  }));
  await session.say({
    id: `a${turn}`,
    role: 'assistant',
    parts: [{ type: 'text', text: `Looking (${turn}).` }, ...calls],
  });
  const late = calls.filter(() => random() < 0.03);
  const prompt = calls.filter((call) => !late.includes(call)).sort(() => random() - 0.5);
  await Promise.all(prompt.map((call) => run(call.callId, call.tool)));
  if (prompt.length > 0 && random() < 0.05) await run(prompt[0].callId, prompt[0].tool);
  await send(false);
  await session.say({
    id: `r${turn}`,
    role: 'assistant',
    parts: [{ type: 'text', text: `Decided to go on with ${turn}.` }],
  });
  for (const call of late) await run(call.callId, call.tool);
  if (late.length > 0) await send(true);
}

/** Runs the tool of a call; what it says follows from the call alone. */
async function run(callId, given) {
  const random = randomOf(hashOf(`${seed} ${callId}`));
  const tool = TOOLS.find(({ name }) => name === given) ?? TOOLS[between(random, 0, 2)];
  const { result, content, outcome } = tool.run(`${callId}x`, random);
  const of = { callId, tool: tool.name, input: { callId }, ...(outcome && { outcome }) };
  const { output } = await session.result(of, result);
  say({
    callId,
    output: output.id,
    hash: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
  });
}

function text(name, bytes) {
  const content = textRange(name, 0, bytes);
  return { result: { kind: 'text', text: content.toString('latin1') }, content: content };
}

/** Prepares the request, compacts where that is asked for, and compares it with the one before. */
async function send(lateResult) {
  let request = await session.prepare({ window });
  const compacted = request.verdict === 'needs_compaction' || request.verdict === 'refused';
  if (compacted) {
    await session.compact({ window });
    request = await session.prepare({ window });
    if (request.verdict === 'refused') throw new Error(`refused after compaction: ${request.reason}`);
  }
  const lines = request.messages.map((message) => JSON.stringify(message));
  let [same, common] = [0, 0];
  while (same < before.length && lines[same] === before[same]) common += lines[same++].length;
  stability.turns++;
  stability.common += common;
  stability.sent += lines.reduce((sum, line) => sum + line.length, 0);
  if (compacted) stability.compactions++;
  else if (same === before.length) stability.kept++;
  else if (lateResult) stability.late++;
  before = lines;
  const shown = request.messages.flatMap(({ parts }) => parts).find((part) => part.type === 'result');
  lastShown = shown?.blocks[0]?.text ?? lastShown;
  pairsMustBeWhole(request.messages);
}

function pairsMustBeWhole(messages) {
  for (const [i, { parts }] of messages.entries()) {
    const calls = parts.filter(({ type }) => type === 'call').map(({ callId }) => callId);
    const next = messages[i + 1];
    const results = next?.role === 'tool' ? next.parts.map(({ callId }) => callId) : [];
    if (calls.length > 0 && calls.join() !== results.join())
      throw new Error('a call without its result was sent');
  }
}

function heapUsed() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function hashOf(text) {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
