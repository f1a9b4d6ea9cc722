// What does an adapter cost: in lines of the program that uses it, and in time for each call?
import { readdirSync, readFileSync } from 'node:fs';
import { memoryStore, Spillway } from '@spillway/core';
import { logLines } from '../inputs.mjs';
import { inTurns } from '../repeat.mjs';
import { digits, spread, times } from '../report.mjs';

export const question =
  'How many lines put Spillway into a program, and how much longer does a turn with one call take?';

export const notes = [
  'A program in two files of bench/adapters/: `NAME.without.mjs` and `NAME.with.mjs`, equal but for Spillway. Lines: those of the second that the first has not, imports included.',
  "A turn: a question, one call of a tool, an answer, by the framework's own mock model, which takes no time; a model takes seconds. The session is opened anew each turn, its store is memory.",
  '`added ÷ process`: beside `Spillway.process` alone, which stores the same text and projects it, also in memory: what the framework and the history cost on top.',
  'A result of 2 KB is shown whole, one of 200 KB is stored and cut. Without us the model would be sent all of it.',
];

const FOLDER = new URL('../adapters/', import.meta.url);
const SIZES = [2_000, 200_000];

export async function run({ smoke }) {
  const names = readdirSync(FOLDER).flatMap((file) => /^(.+)\.with\.mjs$/.exec(file)?.[1] ?? []);
  const rows = [];
  for (const name of names.sort()) rows.push(await rowOf(name, smoke));
  return [
    {
      title: 'one turn with one call',
      columns: [
        ['', 'name'],
        ['lines', 'lines'],
        ...SIZES.flatMap((size) => [
          [`${size / 1_000} KB: ms without (min–max)`, `without${size}`, spread],
          ['with (min–max)', `with${size}`, spread],
          ['added ms', `added${size}`, digits],
          ['with ÷ without', `ratio${size}`, times],
          ['added ÷ process', `ofProcess${size}`, times],
        ]),
      ],
      rows,
    },
  ];
}

async function rowOf(name, smoke) {
  const row = { name, lines: addedLines(sourceOf(name, 'without'), sourceOf(name, 'with')) };
  const contenders = await Promise.all(
    ['without', 'with'].map(async (how) => ({
      how,
      ...(await import(new URL(`${name}.${how}.mjs`, FOLDER).href)),
    })),
  );
  for (const size of SIZES) {
    const text = logLines(size, 3);
    const measured = await inTurns(
      [...contenders, { how: 'process', turn: process }].map(({ how, turn }) => ({
        name: how,
        run: () => turn(text),
      })),
      { rounds: smoke ? 2 : 40, warmUp: smoke ? 1 : 10 },
    );
    const [plain, governed, alone] = measured.map(({ ms }) => ms);
    row[`without${size}`] = plain;
    row[`with${size}`] = governed;
    row[`added${size}`] = governed.median - plain.median;
    row[`ratio${size}`] = governed.median / plain.median;
    row[`ofProcess${size}`] = row[`added${size}`] / alone.median;
  }
  return row;
}

async function process(text) {
  const spillway = new Spillway({ store: memoryStore() });
  const call = { tool: 'build', scope: 'run-1', session: 'run-1', callId: 'call_1', input: {} };
  await spillway.process(call, { kind: 'text', text });
  await spillway.close();
}

function sourceOf(name, how) {
  const text = readFileSync(new URL(`${name}.${how}.mjs`, FOLDER), 'utf8');
  return text.split('\n').map((line) => line.trim());
}

/** Lines that only the second program has, by the longest common order of lines. */
function addedLines(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i][j] =
        before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  return after.length - lengths[0][0];
}
