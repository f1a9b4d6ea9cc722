// How far is a result with the default settings from the least that anybody could do with it?
import { createHash } from 'node:crypto';
import { memoryStore, Spillway } from '@spillway/core';
import { logLines, randomFrom } from '../inputs.mjs';
import { inRounds } from '../repeat.mjs';
import { spread, times, whole, yesNo } from '../report.mjs';

export const question =
  'How much work is a result with the default settings, as a ratio to encoding and hashing its text?';

/** For 100 KB: the goal, and the milliseconds that the requirement NFR-001 allows. */
const MOST = 14;
const MOST_MS = 10;

export const notes = [
  'Default settings, so the kind of the text is found out and decides how it is cut; all of it in memory.',
  'The limit is `Buffer.from(text)` and SHA-256 over it: nobody who names a text by its hash can be faster.',
  'Processor time of the main thread, so that a busy machine says nearly the same as a quiet one.',
];

export async function run({ smoke }) {
  const sizes = smoke ? [100_000] : [100_000, 10_000_000];
  const rows = [];
  for (const chars of sizes)
    for (const [kind, text] of Object.entries({
      'noisy log': logLines(chars),
      XML: xmlRecords(chars),
      JSON: jsonRecords(chars),
      'pretty JSON': JSON.stringify(JSON.parse(jsonRecords(chars / 2)), null, 2),
      diff: patch(chars),
      emoji: emojiLines(chars),
    })) {
      const rounds = smoke ? 5 : chars > 1_000_000 ? 7 : 60;
      // A host keeps one Spillway for all results.
      const spillway = new Spillway({ store: memoryStore() });
      const limit = await inRounds(rounds, () => hashOf(text));
      const own = await inRounds(rounds, () => shown(spillway, text));
      const ratio = own.median / limit.median;
      const goals = chars > 100_000 ? {} : { held: ratio <= MOST, inTime: own.median <= MOST_MS };
      rows.push({ name: kind, chars: text.length, limit, own, ratio, ...goals });
    }
  return [
    {
      title: 'default settings',
      columns: [
        ['', 'name'],
        ['chars', 'chars', whole],
        ['encode and hash, ms', 'limit', spread],
        ['spillway, ms', 'own', spread],
        ['ratio', 'ratio', times],
        [`at most ${MOST}×`, 'held', yesNo],
        [`at most ${MOST_MS} ms`, 'inTime', yesNo],
      ],
      rows,
    },
  ];
}

async function shown(spillway, text) {
  const call = { tool: 'run', session: 'bench', scope: 'bench' };
  const { projection } = await spillway.process(call, { kind: 'text', text });
  await spillway.sealed({ projection });
  return projection.text;
}

function hashOf(text) {
  return createHash('sha256').update(Buffer.from(text)).digest('hex');
}

function jsonRecords(chars) {
  const random = randomFrom(11);
  const items = [];
  for (let length = 0, id = 1; length < chars; id++) {
    const item = JSON.stringify({
      id,
      name: `record ${id}`,
      score: random(),
      tags: ['a', 'b'],
      nested: { ok: true },
    });
    items.push(item);
    length += item.length + 1;
  }
  return `[${items.join(',')}]`;
}

/** Hunks of several files, as `git diff` prints them. */
function patch(chars) {
  const random = randomFrom(13);
  const lines = [];
  for (let length = 0, file = 1; length < chars; file++) {
    const made = [
      `diff --git a/src/part-${file}.ts b/src/part-${file}.ts`,
      `--- a/src/part-${file}.ts`,
      `+++ b/src/part-${file}.ts`,
      `@@ -${file},9 +${file},9 @@ export function part${file}() {`,
      ...Array.from(
        { length: 24 },
        (_, i) => `${' +-'[i % 3]}  const value${i} = compute(${random()}, 'part ${file}');`,
      ),
    ].join('\n');
    lines.push(made);
    length += made.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

/** Text in which every other char is half of an emoji, some of them joined. */
function emojiLines(chars) {
  const random = randomFrom(14);
  const signs = ['🚀', '✅', '👩‍🚀', '🔥', '🇩🇪', '💾'];
  const lines = [];
  for (let length = 0; length < chars; ) {
    const line = Array.from({ length: 20 }, () => `${signs[Math.floor(random() * signs.length)]} ok`).join(
      ' ',
    );
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

function xmlRecords(chars) {
  const random = randomFrom(12);
  const items = [];
  for (let length = 0, id = 1; length < chars; id++) {
    const item = `  <record id="${id}"><name>record ${id}</name><score unit="points">${random()}</score></record>`;
    items.push(item);
    length += item.length + 1;
  }
  return `<?xml version="1.0"?>\n<records>\n${items.join('\n')}\n</records>\n`;
}
