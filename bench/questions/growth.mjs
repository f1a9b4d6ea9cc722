// How does the work for a result grow with its size, and by what its lines say?
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { memoryStore, Spillway } from '@spillway/core';
import { logLines, quietLines, shortLines } from '../inputs.mjs';
import { hasRealLogs, realLogs } from '../real-logs.mjs';
import { inRounds } from '../repeat.mjs';
import { digits, times, whole } from '../report.mjs';
import { stemPattern } from '../stems.mjs';

export const question =
  'How much work is a result of 1 KB to 64 MB, as a ratio to encoding and hashing its text, and to grep?';

export const notes = [
  'Ours with the memory store; grep is `grep -ciE` with the stems that we look for; both in processor time.',
  'Short lines: 45 chars each, with words that may speak of failure in every line. Real logs: the labelled failures, one after another.',
  'Each ratio is of two medians of one run. Growth: the time for each char beside that of the size before.',
];

const GREP_FROM = 1_000_000;
const STRATEGIES = ['auto', 'smart_summary', 'head_tail', 'reading'];

export async function run({ smoke }) {
  const sizes = smoke
    ? [1_000, 20_000, 200_000]
    : [1_000, 20_000, 100_000, 1_000_000, 10_000_000, 64_000_000];
  const tables = [];
  for (const [title, make] of Object.entries(inputs())) {
    const rows = [];
    for (const chars of sizes) rows.push(await rowOf(make(chars), rows.at(-1), smoke));
    tables.push({ title, columns: COLUMNS, rows });
  }
  return tables;
}

const COLUMNS = [
  ['chars', 'chars', whole],
  ['encode and hash, ms', 'limit', digits],
  ...STRATEGIES.map((strategy) => [`${strategy} ÷ limit`, strategy, times]),
  ['auto, MB/s', 'rate', digits],
  ['growth', 'growth', times],
  ['auto: rate ÷ grep', 'ofGrep', times],
];

function inputs() {
  const text = (chars) => Buffer.concat([...realLogs(chars)]).toString();
  const real = hasRealLogs ? { 'real logs': text } : {};
  return { 'noisy log': logLines, 'quiet log': quietLines, 'short lines': shortLines, ...real };
}

async function rowOf(text, before, smoke) {
  const rounds = smoke ? 1 : text.length > 1_000_000 ? 3 : 9;
  const { median: limit } = await inRounds(rounds, () => hashOf(text));
  const row = { chars: text.length, limit };
  let ours = 0;
  for (const strategy of STRATEGIES) {
    const spillway = new Spillway({ store: memoryStore() });
    await shown(spillway, text, strategy);
    const { median } = await inRounds(rounds, () => shown(spillway, text, strategy));
    row[strategy] = median / limit;
    if (strategy === 'auto') ours = median;
    await spillway.close();
  }
  const perChar = ours / text.length;
  return {
    ...row,
    perChar,
    rate: text.length / 1_000 / ours,
    ...(before === undefined ? {} : { growth: perChar / before.perChar }),
    ...(text.length < GREP_FROM ? {} : { ofGrep: grepMs(text) / ours }),
  };
}

function hashOf(text) {
  return createHash('sha256').update(Buffer.from(text)).digest('hex');
}

async function shown(spillway, text, strategy) {
  const call = { tool: 'execute_command', session: 'bench', scope: 'bench' };
  const { projection } = await spillway.process(call, { kind: 'text', text }, { policy: { strategy } });
  await spillway.sealed({ projection });
  return projection.text;
}

/** Processor time of grep itself, as the shell tells it. */
function grepMs(text) {
  const { stderr } = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time grep -ciE "$0"', stemPattern()], {
    input: text,
    env: { ...process.env, LC_ALL: 'C' },
    encoding: 'utf8',
  });
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return (user + system) * 1_000;
}
