/** However large a text is, little of it is held; what is told of it stays exact. */
import { DEFAULT_POLICY } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { TextTable } from '../../src/engine/text-table.ts';
import type { Piece } from '../../src/model/piece.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { standardVocabulary } from '../../src/vocabulary/vocabulary.ts';
import { bytesInUse } from '../bytes-in-use.ts';
import { COMMAND, openSpillway, shown } from '../opening.ts';
import { openPart } from '../part-text.ts';

const MOST_BYTES = 24_000_000;
const BUDGET = 8_000;

/** Chunks of about 64 KB of a text that is made as it is read. */
function* made(count: number, one: (i: number) => string): Generator<Buffer> {
  let chunk = '';
  for (let i = 0; i < count; i++) {
    chunk += one(i);
    if (chunk.length < 65_536) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}

function* piecesOf(chunks: Iterable<Buffer>): Generator<Piece> {
  const cutter = new PieceCutter('text');
  for (const chunk of chunks) yield* cutter.push(chunk);
  yield* cutter.finish();
}

/** The table of a text, with the most that was held on the way. */
function read(chunks: Iterable<Buffer>) {
  const text = new TextTable(
    {
      policy: DEFAULT_POLICY,
      isDefaultStrategy: false,
      spec: { role: 'content', kind: 'text', name: 'text' },
      tool: 'read_file',
      input: undefined,
      about: undefined,
      isFile: true,
      cleans: true,
      reachChars: BUDGET,
      vocabulary: standardVocabulary,
      formats: () => [],
      added: () => undefined,
    },
    200_000,
  );
  const before = bytesInUse();
  let most = 0;
  let at = 0;
  for (const piece of piecesOf(chunks)) {
    text.push(piece);
    if (++at % 100 === 0) most = Math.max(most, bytesInUse() - before);
  }
  text.finish();
  return { text, table: text.table, held: Math.max(most, bytesInUse() - before) };
}

describe('a table that is full', () => {
  it('holds a few megabytes of one line of 30 MB, and knows how long it is', () => {
    const { table, held } = read(made(30_000, () => 'x'.repeat(1_000)));
    expect(held).toBeLessThan(MOST_BYTES);
    expect(table.totals.stored).toEqual({ bytes: 30_000_000, chars: 30_000_000, breaks: 0 });
    expect([table.isPruned, table.totals.isOpen, table.startOf(0).bytes]).toEqual([true, true, 0]);
    expect(table.endOf(table.rows - 1).bytes).toBe(30_000_000);
  });

  it('holds a few megabytes of a million short lines, all counted', () => {
    const { table, held } = read(made(1_000_000, (i) => `日 ${i}\n`));
    expect(held).toBeLessThan(MOST_BYTES);
    const digits = Array.from({ length: 6 }, (_, n) => 9 * 10 ** n * (n + 1)).reduce(
      (sum, each) => sum + each,
      1,
    );
    const chars = digits + 3_000_000;
    expect(table.totals.stored).toEqual({ bytes: chars + 2_000_000, chars, breaks: 1_000_000 });
    expect(table.rows).toBeLessThan(110_000);
  });

  it('holds a few megabytes of colours and of lines that are drawn over', () => {
    const frames = (i: number) => `\u001b[32mget ${i} %\u001b[0m\r${i % 50 === 0 ? '\n' : ''}`;
    const { table, held } = read(made(500_000, frames));
    expect(held).toBeLessThan(MOST_BYTES);
    expect(table.totals.formatted).toBeGreaterThan(1_000);
  });

  it('drops no row at either end, and says of each where it lies', () => {
    const { table } = read(made(300_000, (i) => `request ${i} was handled in ${i % 90} ms\n`));
    expect(table.isPruned).toBe(true);
    for (let row = 0; row < table.rows; row++) {
      const number = Number(/^request (\d+) /.exec(table.textOf(row))?.[1]);
      expect(table.lineOf(row)).toBe(number + 1);
    }
    const isHeld = (line: number) =>
      Array.from({ length: table.rows }, (_, row) => table.lineOf(row)).includes(line);
    expect([1, 200, 299_800, 300_000].map(isHeld)).toEqual([true, true, true, true]);
  });

  it('grows neither with data in a log nor with its number', () => {
    const item = (i: number) =>
      `  {"id": ${i}, "name": "someone with the number ${i}", "tags": ["a", ${i % 7}]},\n`;
    const oneValue = made(300_000, (i) =>
      i === 0 ? 'starting\n[\n' : i === 299_999 ? '  {}\n]\n' : item(i),
    );
    expect(read(oneValue).held).toBeLessThan(MOST_BYTES);
    const values = JSON.stringify(
      Array.from({ length: 400 }, (_, i) => ({ id: i, name: `n${i}` })),
      null,
      2,
    );
    expect(read(made(1_200, () => `step done\n${values}\n`)).held).toBeLessThan(MOST_BYTES);
  });
});

describe('20 MB of logs', () => {
  const LINES = 300_000;
  const line = (i: number) =>
    i % 100_000 === 50_000
      ? `2026-01-01 10:00:00 ERROR connection ${i / 50_000} to the database lost\n`
      : `2026-01-01 10:00:${String(i % 60).padStart(2, '0')} INFO request ${i} handled in ${i % 90} ms\n`;

  it.each(['auto', 'smart_summary', 'head_tail', 'tail', 'lines'])(
    'show their errors, wherever they lie, and count exactly under %s',
    async (strategy) => {
      const capture = await openSpillway().open(
        { tool: 'execute_command', session: 's', scope: 's' },
        { policy: { strategy } },
      );
      const part = capture.part({ name: 'stdout' });
      let chars = 0;
      for (const chunk of made(LINES, line)) {
        chars += chunk.length;
        await part.write(chunk);
      }
      const { projection } = await capture.finish({ outcome: { status: 'ok' }, complete: true });
      const { text, metadata } = projection;
      for (const number of [1, 3, 5])
        expect(text).toContain(`ERROR connection ${number} to the database lost`);
      expect([metadata.original_size, metadata.original_lines]).toEqual([chars, LINES]);
      expect(text).toContain('[Error lines: 3');
      expect(text.length).toBeLessThanOrEqual(8_000);
      const kept = [
        ...text.matchAll(/^(?:\d+: )?(?:2026\S+ \S+ )?(?:ERROR connection|INFO request) \d+ .*\n/gm),
      ].length;
      expect(metadata.omitted.reduce((sum, gap) => sum + gap.lines, 0) + kept).toBe(LINES);
    },
  );

  it('without trouble show their sections, each in its place', async () => {
    const section = (i: number) =>
      i % 15_000 === 7_000 ? `==> part ${i}\n` : `request ${i} was handled in ${i % 90} ms by someone\n`;
    const text = Array.from({ length: 150_000 }, (_, i) => section(i)).join('');
    const { text: projected, metadata } = await shown(text, { strategy: 'smart_summary' }, { call: COMMAND });
    const listed = Array.from(
      { length: 10 },
      (_, i) => `${7_001 + i * 15_000}: ==> part ${7_000 + i * 15_000}`,
    );
    expect(projected).toContain(`] ...\n${listed.join('\n')}\n`);
    const lines = metadata.omitted.reduce((sum, gap) => sum + gap.lines, 0);
    const kept = projected.match(/^(?:\d+: )?(?:request|==>) .*$/gm) ?? [];
    expect(lines + kept.length).toBe(150_000);
  });

  it('tell how many kinds of errors there are, however often rows are dropped', async () => {
    const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
    const failing = (i: number) =>
      i % 997 === 1
        ? `ERROR ${names[((i - 1) / 997) % 5]} could not be written to disk ${i}\n`
        : `step ${i} is done and took ${i % 90} ms\n`;
    const text = Array.from({ length: 300_000 }, (_, i) => failing(i)).join('');
    expect((await shown(text, {}, { call: COMMAND })).text).toMatch(
      /\[Error lines: \d+ of 301 shown, 5 kinds\.\]/,
    );
  });

  it('give the same selection in other pieces', () => {
    const select = (size: number) => {
      const part = openPart({ policy: { strategy: 'smart_summary' }, call: { tool: 'execute_command' } });
      const cutter = new PieceCutter('text');
      for (const chunk of made(120_000, line))
        for (let at = 0; at < chunk.length; at += size)
          for (const piece of [...cutter.push(chunk.subarray(at, at + size)), ...cutter.flush()])
            part.push(piece);
      for (const piece of cutter.finish()) part.push(piece);
      return part.select({ chars: 6_000, lines: Number.POSITIVE_INFINITY, gap: { chars: 60, lines: 3 } })
        .selection;
    };
    expect(select(7_001)).toEqual(select(65_536));
  });
});
