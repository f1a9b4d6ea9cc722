// What does a huge log cost the program: time, and memory?
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasBefore, programBefore } from '../before.mjs';
import { goalTable } from '../goals.mjs';
import { logLines, quietLines } from '../inputs.mjs';
import { hasRealLogs, realLogs } from '../real-logs.mjs';
import { summary } from '../repeat.mjs';
import { digits, times, whole } from '../report.mjs';
import { discard, scratchFolder } from '../scratch.mjs';
import { stemPattern } from '../stems.mjs';

export const question =
  'How fast does `spillway truncate` read a log of 256 MB, beside grep, and how much memory does it need from 1 KB to 1 GB?';

export const notes = [
  'Processor time of whole processes, threads included. grep is `grep -ciE` with the stems that we look for, its output in a file; with six words it is faster.',
  'Real logs: the labelled failures, one after another; where they are not there, a noisy log in their place.',
  'SPILLWAY_BENCH_GB=4 lets the growth go up to 4 GB, of which 2 GiB are captured. Growth: the time for each MB beside that of the size before.',
];

const WORDS = 'error|fail|exception|fatal|panic|warning';
const GREP = 'grep -ciE, our stems';
const MB = 1e6;
const PIECE = 4 * MB;
const program = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));

export async function run({ smoke }) {
  const folder = scratchFolder();
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'peak.cjs'), TELL_PEAK);
  const real = hasRealLogs ? realLogs : (bytes) => repeated(logLines(PIECE), bytes);
  const inputs = { 'real logs': real, 'quiet log': (bytes) => repeated(quietLines(PIECE), bytes) };
  const size = smoke ? 2 : 256;
  const tables = [];
  for (const [title, make] of Object.entries(inputs))
    tables.push(besideGrep(folder, { title, make, size, rounds: smoke ? 1 : 3 }));
  const most = Number(process.env.SPILLWAY_BENCH_GB ?? 1) * 1_000;
  const sizes = smoke ? [0.001, 0.1, 2] : [0.001, 0.1, 1, 10, 100, 1_000, 4_000].filter((mb) => mb <= most);
  const grown = growth(folder, inputs['quiet log'], sizes);
  const goals = goalTable([...goalsOf(tables), memoryGoal(grown, sizes)]);
  discard(folder);
  return [...tables, grown, goals];
}

const GOALS = { 'real logs': 0.15, 'quiet log': 0.6 };
const LIMITS = {
  'real logs': 'judging each line with a cue, and several strategies side by side',
  'quiet log': 'objects for each line; hashing',
};

function goalsOf(tables) {
  return tables.map(({ title, rows }) => {
    const [kind] = title.split(',');
    const name = `${kind}: rate ÷ grep`;
    return { name, ratio: rows[0].ofGrep, atLeast: GOALS[kind], limit: LIMITS[kind] };
  });
}

function memoryGoal({ rows }, sizes) {
  return {
    name: `peak memory at ${whole(sizes.at(-1))} MB ÷ 150 MB`,
    ratio: rows.at(-1).peak / 150,
    atMost: 1,
    limit: 'Node itself takes 45 MB; chunks that wait to be collected',
  };
}

function besideGrep(folder, { title, make, size, rounds }) {
  writeInput(folder, make(size * MB));
  const contenders = [
    ['spillway truncate', () => spillway(folder, ['truncate', 'input.log'])],
    ['spillway truncate --no-store', () => spillway(folder, ['truncate', '--no-store', 'input.log'])],
    [
      'spillway truncate --strategy tail',
      () => spillway(folder, ['truncate', '--strategy', 'tail', 'input.log']),
    ],
    ...(hasBefore
      ? [['before: spillway truncate', () => spillway(folder, ['truncate', 'input.log'], programBefore)]]
      : []),
    [GREP, () => measured(folder, ['grep', '-ciE', stemPattern(), 'input.log'])],
    ['grep -ciE, six words', () => measured(folder, ['grep', '-ciE', WORDS, 'input.log'])],
    ['a copy, flushed', () => measured(folder, ['dd', 'if=input.log', 'of=copy', 'bs=64k', 'conv=fsync'])],
  ];
  const seen = contenders.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, [, one]] of contenders.entries()) seen[i].push(one());
  const ms = (i) => summary(seen[i].map((each) => each.ms)).median;
  const grep = ms(contenders.findIndex(([name]) => name === GREP));
  return {
    title: `${title}, ${size} MB`,
    columns: [
      ['', 'name'],
      ['processor, ms', 'ms', whole],
      ['MB/s', 'rate', digits],
      ['rate ÷ grep', 'ofGrep', times],
      ['peak memory, MB', 'peak', whole],
    ],
    rows: contenders.map(([name], i) => ({
      name,
      ms: ms(i),
      rate: (size * 1_000) / ms(i),
      ofGrep: grep / ms(i),
      peak: seen[i][0].peak,
    })),
  };
}

function growth(folder, make, sizes) {
  const rows = [];
  for (const megabytes of sizes) {
    writeInput(folder, make(megabytes * MB));
    const { ms, peak } = spillway(folder, ['truncate', 'input.log']);
    const before = rows.at(-1);
    const perMb = ms / megabytes;
    rows.push({ megabytes, ms, perMb, growth: before && perMb / before.perMb, peak });
  }
  return {
    title: 'a quiet log by size, stored',
    columns: [
      ['MB', 'megabytes', digits],
      ['processor, ms', 'ms', whole],
      ['ms for each MB', 'perMb', digits],
      ['growth', 'growth', times],
      ['peak memory, MB', 'peak', whole],
    ],
    rows,
  };
}

function* repeated(text, bytes) {
  const piece = Buffer.from(text);
  for (let given = 0; given < bytes; given += piece.length) yield piece.subarray(0, bytes - given);
}

function writeInput(folder, pieces) {
  const file = openSync(join(folder, 'input.log'), 'w');
  for (const piece of pieces) writeSync(file, piece);
  closeSync(file);
}

/** Said when the process ends: the most memory it had. */
const TELL_PEAK = `process.on('exit', () =>
  require('node:fs').writeFileSync('peak.txt', String(process.resourceUsage().maxRSS)));`;

function spillway(folder, args, which = program) {
  const { ms } = measured(folder, [process.execPath, '--require', './peak.cjs', which, ...args]);
  return { ms, peak: (Number(readFileSync(join(folder, 'peak.txt'), 'utf8')) * 1_024) / MB };
}

/** Processor time of a process in milliseconds, as the shell tells it; what it prints goes to a file. */
function measured(cwd, command) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >shown 2>told';
  const env = { ...process.env, LC_ALL: 'C' };
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...command], {
    cwd,
    env,
    encoding: 'utf8',
  });
  // grep ends with 1 where it finds nothing.
  if (status !== 0 && !(status === 1 && command[0] === 'grep'))
    throw new Error(`${command.join(' ')} ended with ${status}.`);
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { ms: (user + system) * 1_000 };
}
