// How long from a long text to what a model reads of it, and what is it then?
import { createHash } from 'node:crypto';
import { memoryStore, Spillway, SpillwayError } from '@spillway/core';
import { giantLine, logLines } from '../inputs.mjs';
import { chefInMemory } from '../peers/context-chef.mjs';
import { deepagentsInState } from '../peers/deepagents.mjs';
import { piHead, piTail } from '../peers/pi.mjs';
import { inTurns } from '../repeat.mjs';
import { digits, spread, times, whole, yesNo } from '../report.mjs';

export const question = 'How long does it take to make a bounded text of a long one, and what is kept?';

export const notes = [
  'Asked of everybody: at most 8,000 chars. All of it happens in memory.',
  'Spillway encodes, measures, hashes (SHA-256) and stores every byte and freezes the projection before it answers.',
  'context-chef hashes, counts lines and keeps a reference to the string; deepagents keeps a reference; pi and slice keep nothing.',
  'The limit is `Buffer.from(text)` and SHA-256 over it: nobody who names a text by its hash can be faster.',
];

const LIMIT = 8_000;
const STRATEGIES = ['head', 'tail', 'head_tail', 'lines', 'element', 'smart_summary', 'size_limit', 'none'];
const POSITIONS = 64;
const LIMIT_NAME = 'limit: encode and hash';

export async function run({ smoke }) {
  const strategies = await knownStrategies();
  const sizes = smoke ? [100_000, 1_000_000] : [100_000, 10_000_000];
  const tables = [];
  for (const [kind, make] of [
    ['log lines', logLines],
    ['one giant line', giantLine],
  ]) {
    for (const chars of sizes) {
      const rounds = smoke ? 3 : chars > 1_000_000 ? 9 : 31;
      const text = make(chars);
      const contenders = cutters(strategies).map(({ name, make }) => ({
        name,
        prepare: make,
        run: (cut) => cut(text),
      }));
      const measured = await inTurns(contenders, { rounds, warmUp: smoke ? 1 : 3, tidy: !smoke });
      tables.push(tableOf(`${kind}, ${whole(chars)} chars`, measured, text));
    }
  }
  tables.push(await wholeCharacters(strategies));
  return tables;
}

/**
 * The same cuts at 64 places next to each other: some of them fall between the two units of one
 * character.
 */
async function wholeCharacters(strategies) {
  const text = giantLine(20_000);
  const texts = Array.from({ length: POSITIONS }, (_, i) => text.slice(i).toWellFormed());
  const rows = [];
  for (const { name, make } of cutters(strategies)) {
    if (name === LIMIT_NAME) continue;
    const outputs = await Promise.all(texts.map((shifted) => make()(shifted)));
    rows.push({ name, broken: outputs.filter((output) => !output.isWellFormed()).length });
  }
  return {
    title: `outputs with half a character, of ${POSITIONS}`,
    columns: [
      ['', 'name'],
      ['broken', 'broken'],
    ],
    rows,
  };
}

/** Those that the library takes; the others are refused as unknown settings. */
async function knownStrategies() {
  const known = [];
  for (const strategy of STRATEGIES) {
    try {
      await project('x', strategy, new Spillway({ store: memoryStore() }));
      known.push(strategy);
    } catch (error) {
      if (!(error instanceof SpillwayError && error.code === 'invalid_policy')) throw error;
    }
  }
  return known;
}

/** Each makes a fresh function from a text to what a model reads. */
function cutters(strategies) {
  return [
    ...strategies.map((strategy) => ({
      name: `spillway ${strategy}`,
      make: () => {
        const spillway = new Spillway({ store: memoryStore() });
        return (text) => project(text, strategy, spillway);
      },
    })),
    { name: 'context-chef Offloader, in memory', make: () => chefInMemory(LIMIT) },
    { name: 'deepagents eviction, in state', make: () => deepagentsInState(LIMIT) },
    { name: 'pi truncateHead', make: () => (text) => piHead(text, LIMIT) },
    { name: 'pi truncateTail', make: () => (text) => piTail(text, LIMIT) },
    { name: LIMIT_NAME, make: () => hashOf },
    { name: 'floor: slice and slice', make: () => sliced },
  ];
}

async function project(text, strategy, spillway) {
  const call = { tool: 'run', session: 'bench', scope: 'bench' };
  const { projection } = await spillway.process(
    call,
    { kind: 'text', text },
    { policy: { strategy, inlineLimit: LIMIT } },
  );
  await spillway.sealed({ projection });
  return projection.text;
}

function hashOf(text) {
  createHash('sha256').update(Buffer.from(text)).digest('hex');
  return undefined;
}

function sliced(text) {
  const marker = `\n... [${text.length - LIMIT} chars omitted] ...\n`;
  const head = Math.round((LIMIT - marker.length) * 0.6);
  return text.slice(0, head) + marker + text.slice(head + marker.length - LIMIT);
}

function tableOf(title, measured, text) {
  const limit = measured.find(({ name }) => name === LIMIT_NAME).ms.median;
  const chef = measured.find(({ name }) => name.startsWith('context-chef')).ms.median;
  return {
    title,
    columns: [
      ['', 'name'],
      ['ms (min–max)', 'ms', spread],
      ['time ÷ limit', 'ofLimit', times],
      ['time ÷ context-chef', 'ofChef', times],
      ['MB/s', 'rate', digits],
      ['chars out', 'chars', whole],
      ['within 8,000', 'within', yesNo],
      ['says it was cut', 'noticed', yesNo],
      ['says where the rest is', 'addressed', yesNo],
    ],
    rows: measured.map(({ name, ms, result }) => ({
      name,
      ms,
      ofLimit: ms.median / limit,
      ofChef: ms.median / chef,
      rate: Buffer.byteLength(text) / 1e3 / ms.median,
      ...(result === undefined ? {} : whatWasKept(result, text)),
    })),
  };
}

function whatWasKept(output, text) {
  const cut = output !== text;
  return {
    chars: output.length,
    within: output.length <= LIMIT,
    noticed: cut ? /omitted|truncated|too large|Artifact/i.test(output) : 'not cut',
    addressed: cut ? /art_\d+_|context:\/\/|\/large_tool_results\//.test(output) : 'not cut',
  };
}
