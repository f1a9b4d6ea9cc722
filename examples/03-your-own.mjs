// A strategy and a dialect of one's own. A strategy ranks lines and never writes text; a dialect
// words what is said about the gaps and never counts. Here: every 100th line, marked in a short way.
import assert from 'node:assert/strict';
import { memoryStore, Spillway } from '@spillway/core';
import { standardDialect } from '@spillway/core/plugin';

/** Keeps lines 1, 101, 201 … as far as they fit; a line that is ranked 0 is never shown. */
const sampled = {
  name: 'sampled',
  rank: (table) => ({
    score: Float32Array.from({ length: table.rows }, (_, row) => (table.lineOf(row) % 100 === 1 ? 1 : 0)),
  }),
};
const terse = {
  ...standardDialect,
  name: 'terse',
  marker: ({ lines }) => `~${lines}~\n`,
  readMarkers: (text) =>
    [...text.matchAll(/^~(\d+)~$/gm)].map(({ 1: lines, index }) => ({
      chars: 0,
      lines: Number(lines),
      from: null,
      at: index,
    })),
};

const spillway = new Spillway({ store: memoryStore(), strategies: [sampled], dialects: [terse] });
const text = Array.from({ length: 3_000 }, (_, i) => `row ${String(i + 1).padStart(4, '0')}\n`).join('');
const { projection } = await spillway.process(
  { tool: 't', session: 's', scope: 's' },
  { kind: 'text', text },
  { policy: { strategy: 'sampled', dialect: 'terse' } },
);

assert.ok(projection.text.length <= 8_000);
assert.match(projection.text, /row 0001\n~99~\nrow 0101\n~99~\nrow 0201\n/);
assert.equal(
  projection.metadata.omitted.reduce((sum, gap) => sum + gap.lines, 0),
  2_970,
);
console.log(projection.text.split('\n').slice(2, 8).join('\n'));
