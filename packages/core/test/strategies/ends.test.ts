/** What a table still holds of both ends of a text, whether rows were dropped between them or not. */
import { describe, expect, it } from 'vitest';
import { endsOf } from '../../src/strategies/ends.ts';
import { tableOf } from '../tables.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `é line ${i}\n`).join('');
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('the ends of a text', () => {
  it('are all of it twice while both reach it', () => {
    const { runs, total, lines: count } = endsOf(tableOf('a\nb'), 10);
    expect(runs[0]).toBe(runs[1]);
    expect(textOf(runs[0].bytes)).toBe('a\nb');
    expect([total, count]).toEqual([{ bytes: 3, chars: 3, breaks: 1 }, 2]);
  });

  it('are nothing of nothing', () => {
    const { runs, lines: count } = endsOf(tableOf(''), 10);
    expect([runs[0].bytes.length, count]).toEqual([0, 0]);
  });

  it('are whole rows up to what so many chars may need, and know where they begin', () => {
    const text = lines(2_000);
    const { runs, total } = endsOf(tableOf(text), 100);
    const [head, tail] = runs.map(({ bytes }) => textOf(bytes));
    expect(text.startsWith(head ?? '')).toBe(true);
    expect(text.endsWith(tail ?? '')).toBe(true);
    expect(runs.map(({ bytes }) => bytes.length >= 556 && bytes.length < 600)).toEqual([true, true]);
    const before = text.slice(0, -(tail?.length ?? 0));
    expect(runs[1].start).toEqual({
      bytes: Buffer.byteLength(before),
      chars: before.length,
      breaks: before.split('\n').length - 1,
    });
    expect(total.chars).toBe(text.length);
  });

  it('are the same where rows between them were dropped', () => {
    const whole = tableOf(lines(2_000));
    const pruned = tableOf(lines(2_000));
    pruned.keepOnly(Uint8Array.from({ length: pruned.rows }, (_, row) => Number(row < 100 || row > 1_900)));
    expect(pruned.isPruned).toBe(true);
    const [a, b] = [whole, pruned].map((table) =>
      endsOf(table, 100).runs.map(({ start, bytes }) => [start, textOf(bytes)]),
    );
    expect(b).toEqual(a);
  });
});
