// Reads ranges at the beginning, in the middle and at the end of a stored text, checks every byte,
// and tells the median time of each. Job: name, file, id, bytes, rounds.
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between, lineOf, randomOf } from '../content.mjs';

const { name, file, id, bytes, rounds } = JSON.parse(process.argv[2]);
const spillway = new Spillway({ store: sqliteStore({ file }) });
const lines = bytes / 64;
// Anywhere in some pieces there: how deep a line lies in its piece matters, which piece it is must
// not.
const REACH = 4_000;
const random = randomOf(lines);
const positions = { start: 1, middle: Math.floor(lines / 2), end: lines - REACH - 49 };
const times = { start: [], middle: [], end: [] };
let wrong = 0;
for (let round = 0; round < rounds; round++) {
  for (const [position, first] of Object.entries(positions)) {
    const from = first + between(random, 0, REACH);
    const before = performance.now();
    const page = await spillway.retrieve(
      { artifact_id: id, start_line: from, end_line: from + 49 },
      'campaign',
    );
    times[position].push(performance.now() - before);
    const expected = Array.from({ length: 50 }, (_, i) => `${lineOf(name, from + i)}\n`).join('');
    const byChars = await spillway.retrieve(
      { artifact_id: id, chars: `${(from - 1) * 64 + 1}-${(from + 49) * 64}` },
      'campaign',
    );
    if (page.body !== expected || byChars.body !== expected) wrong++;
  }
}
await spillway.close();
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
console.log(
  JSON.stringify({ start: median(times.start), middle: median(times.middle), end: median(times.end), wrong }),
);
