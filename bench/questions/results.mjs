// What does one result cost, by the kind of text that agents get most?
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as now from '@spillway/core';
import { SaxesParser } from 'saxes';
import { coreBefore, hasBefore } from '../before.mjs';
import { goalTable } from '../goals.mjs';
import { logLines } from '../inputs.mjs';
import { corpusFiles, hasRealLogs } from '../real-logs.mjs';
import { processorMs, summary } from '../repeat.mjs';
import { digits, times, whole } from '../report.mjs';

export const question =
  'How much work is one result with the default settings, by its kind, beside the least that has to be done with it?';

export const notes = [
  'Memory store, processor time of the main thread, all texts of a kind one after another; the median of the rounds.',
  'The limit is `Buffer.from(text)` and SHA-256 over it; of JSON it is JSON.parse and JSON.stringify, of XML a run of saxes.',
  'SPILLWAY_BENCH_BEFORE=DIR, where other packages are installed, adds them in turns in the same process.',
  'Real logs and documents: the corpora beside the checkout; where they are not there, made ones in their place.',
];

const SOURCES = fileURLToPath(new URL('../../packages/core/src', import.meta.url));

export async function run({ smoke }) {
  const states = [['ours', now], ...(hasBefore ? [['before', await coreBefore()]] : [])];
  const rows = [];
  for (const kind of kinds(smoke)) rows.push(await rowOf(kind, states, smoke ? 1 : 9));
  return [tableOf(rows), goalTable(rows.filter(({ goal }) => goal).map(goalOf))];
}

/** What keeps us from more. */
const LINES = 'judging lines; choosing and fitting what is shown, which costs the same for every size';
const ITEMS = 'describing every item, so that odd ones are found; fitting what is shown';

/** Goals are ratios of times to the limit, or (rate) of rates to it. */
function kinds(smoke) {
  const some = (files) => files.slice(0, smoke ? 2 : 32).map((file) => readFileSync(file, 'utf8'));
  const logs = (from, to) =>
    hasRealLogs
      ? some(
          corpusFiles('failures').filter(
            (file) => !/\.(?:xml|json|html)$/.test(file) && isSized(file, from, to),
          ),
        )
      : Array.from({ length: smoke ? 2 : 16 }, (_, i) => logLines((from + to) / 2, i + 1));
  const large = logs(60_000, 130_000);
  const documents = (folder, pattern) =>
    hasRealLogs ? some(corpusFiles(`structured/${folder}`).filter((file) => pattern.test(file))) : [];
  return [
    { name: 'logs of 60 to 130 KB', texts: large, goal: 14, keeps: LINES },
    { name: '— head_tail', texts: large, strategy: 'head_tail', goal: 10, keeps: LINES },
    { name: 'logs of 15 to 30 KB', texts: logs(15_000, 30_000) },
    {
      name: 'sources of 100 KB, read',
      texts: sources(100_000, smoke ? 1 : 8),
      tool: 'read_file',
      goal: 10,
      keeps: LINES,
    },
    { name: 'sources of 15 KB, read', texts: sources(15_000, smoke ? 2 : 16), tool: 'read_file' },
    { name: '2 KB, shown whole', texts: large.map((text) => text.slice(0, 2_000)) },
    {
      name: 'JSON documents',
      texts: documents('json', /\.(?:json|sarif)$/),
      limit: parsed,
      goalRate: 0.7,
      keeps: ITEMS,
    },
    { name: 'XML documents', texts: documents('xml', /./), limit: walked, goalRate: 0.5, keeps: ITEMS },
  ].filter(({ texts }) => texts.length > 0);
}

function isSized(file, from, to) {
  const { size } = statSync(file);
  return size >= from && size <= to;
}

/** Files of source code, as many together as make one of that size. */
function sources(chars, count) {
  const all = readdirSync(SOURCES, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
    .join('\n');
  const most = Math.min(count, Math.floor(all.length / chars));
  return Array.from({ length: most }, (_, i) => all.slice(i * chars, (i + 1) * chars));
}

async function rowOf(kind, states, rounds) {
  const { name, texts, limit = hashed, goal, goalRate, keeps } = kind;
  const taken = { limit: [], ours: [], before: [] };
  for (let round = -1; round < rounds; round++) {
    const times = { limit: await processorMs(() => texts.forEach(limit)) };
    for (const [state, core] of states) {
      const spillway = new core.Spillway({ store: core.memoryStore() });
      times[state] = await processorMs(() => shownAll(spillway, kind));
      await spillway.close();
    }
    if (round >= 0) for (const [each, ms] of Object.entries(times)) taken[each].push(ms / texts.length);
  }
  const median = (which) => (taken[which].length === 0 ? undefined : summary(taken[which]).median);
  const ours = median('ours');
  const before = median('before');
  const ratio = ours / median('limit');
  return {
    name,
    texts: texts.length,
    limit: median('limit'),
    ours,
    ratio,
    ...(before === undefined ? {} : { before, ofBefore: ours / before }),
    ...(goal === undefined && goalRate === undefined
      ? {}
      : { keeps, goal: { atMost: goal, atLeast: goalRate } }),
  };
}

function tableOf(rows) {
  return {
    title: 'one result',
    columns: [
      ['', 'name'],
      ['texts', 'texts', whole],
      ['limit, ms', 'limit', digits],
      ['spillway, ms', 'ours', digits],
      ['time ÷ limit', 'ratio', times],
      ...(hasBefore
        ? [
            ['before, ms', 'before', digits],
            ['time ÷ before', 'ofBefore', times],
          ]
        : []),
    ],
    rows,
  };
}

function goalOf({ name, ratio, goal, keeps: limit }) {
  return goal.atMost === undefined
    ? { name: `${name}: rate ÷ limit`, ratio: 1 / ratio, atLeast: goal.atLeast, limit }
    : { name: `${name}: time ÷ limit`, ratio, atMost: goal.atMost, limit };
}

async function shownAll(spillway, { texts, strategy, tool = 'execute_command' }) {
  for (const [i, text] of texts.entries()) {
    const input = tool === 'read_file' ? { path: `src/file-${i}.ts` } : { command: 'make' };
    const call = { tool, session: 'bench', scope: 'bench', input };
    const options = strategy === undefined ? {} : { policy: { strategy } };
    const { projection } = await spillway.process(call, { kind: 'text', text }, options);
    await spillway.sealed({ projection });
  }
}

function hashed(text) {
  return createHash('sha256').update(Buffer.from(text)).digest('hex');
}

function parsed(text) {
  return JSON.stringify(JSON.parse(text)).length;
}

function walked(text) {
  const parser = new SaxesParser();
  let tags = 0;
  parser.on('opentag', () => tags++);
  parser.on('text', () => {});
  parser.write(text).close();
  return tags;
}
