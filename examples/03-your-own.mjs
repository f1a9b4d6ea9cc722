// A strategy and a dialect of one's own. A strategy decides which bytes are kept and never writes
// text; a dialect words what is said about the gaps and never counts. Here: every 100th line,
// marked in a short way.
import assert from 'node:assert/strict';
import { memoryStore, Spillway } from '@spillway/core';
import { standardDialect } from '@spillway/core/plugin';

/** Keeps lines 1, 101, 201 … as far as they fit. Lines are found while the text streams by. */
const sampled = {
  name: 'sampled',
  start() {
    const lines = [];
    let at = 0;
    let text = '';
    return {
      push: (piece) => {
        text += Buffer.from(piece.bytes).toString('latin1');
        for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at))
          at = lines.push([at, end + 1]) && end + 1;
      },
      bytes: ({ start, end }) => Buffer.from(text.slice(start, end), 'latin1'),
      select: ({ chars, gap }) => {
        const each = lines[0][1] + gap.chars;
        const step = Math.max(100, Math.ceil(lines.length / Math.floor(chars / each)));
        return lines.flatMap(([start, end], i) => {
          if (i % step === 0) return [{ kind: 'keep', start, end, chars: end - start, lines: 1 }];
          if (i % step > 1) return [];
          const last = Math.min(lines.length, i + step - 1);
          const gapEnd = lines[last - 1][1];
          return [
            {
              kind: 'omit',
              start,
              end: gapEnd,
              chars: gapEnd - start,
              lines: last - i,
              firstLine: i + 1,
              lastLine: last,
            },
          ];
        });
      },
    };
  },
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
