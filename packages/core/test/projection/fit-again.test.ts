import { standardDialect } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import type { Selected } from '../../src/model/part-text.ts';
import type { Segment } from '../../src/model/selection.ts';
import type { Share } from '../../src/model/strategy.ts';
import { fit } from '../../src/projection/fit.ts';

import { JSON_GRAMMAR, job, NO_CAPS, section } from './fit-jobs.ts';

describe('a text that comes out longer than it was priced', () => {
  /** Says more than its price once something is really shown. */
  const surprising = (more: string): Dialect => ({
    ...standardDialect,
    notice: (facts, detail) =>
      `${standardDialect.notice(facts, detail)}${facts.shown.chars === facts.totalChars ? '' : more}`,
  });
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}\n`).join('');

  it('is made shorter by as many lines, and no more', () => {
    const some = section(
      lines,
      { lines: 100 },
      {
        select: ({ lines: room, gap }: Share): Segment[] => {
          const kept = Math.max(0, Math.min(100, room - gap.lines));
          const end = lines.split('\n').slice(0, kept).join('\n').length + (kept > 0 ? 1 : 0);
          const rest = lines.length - end;
          return [
            { kind: 'keep', start: 0, end, chars: end, lines: kept },
            {
              kind: 'omit',
              start: end,
              end: lines.length,
              chars: rest,
              lines: 100 - kept,
              firstLine: kept + 1,
              lastLine: 100,
            },
          ];
        },
      },
    );
    const shown = (more: string) => {
      const { text } = fit(job([some], { dialect: surprising(more) }), { ...NO_CAPS, lines: 30 });
      return [text.trimEnd().split('\n').length, text.match(/^line /gm)?.length ?? 0];
    };
    const [, plainly = 0] = shown('');
    expect(shown('more\n')).toEqual([30, plainly - 1]);
    expect(shown('more\n'.repeat(7))).toEqual([30, plainly - 7]);
  });

  it('is made shorter by as many chars, and one', () => {
    const shown = (more: string) =>
      fit(job([section('x'.repeat(5_000))], { dialect: surprising(more) }), { ...NO_CAPS, chars: 1_000 }).text
        .length;
    expect([shown(''), shown('more\n'), shown('more\n'.repeat(50))].every((chars) => chars <= 1_000)).toBe(
      true,
    );
    expect(1_000 - shown('more\n'.repeat(50))).toBeLessThan(12);
  });
});

describe('what markers leave of their price', () => {
  /** Keeps two of the three thirds of a share, and says what it was offered. */
  const gaps = (count: number, offered: number[], grammar: Selected['grammar'] = null, spare = 0) =>
    section(
      'x'.repeat(9_000),
      {},
      {
        grammar,
        select: ({ chars, gap }: Share): Segment[] => {
          offered.push(chars);
          const kept = Math.max(0, Math.floor((chars - spare - count * gap.chars) / count));
          const step = Math.floor(9_000 / count);
          return Array.from({ length: count }, (_, i): Segment[] => {
            const start = i * step;
            const end = i === count - 1 ? 9_000 : start + step;
            return [
              { kind: 'keep', start, end: start + kept, chars: kept, lines: 1 },
              {
                kind: 'omit',
                start: start + kept,
                end,
                chars: end - start - kept,
                lines: 0,
                firstLine: 1,
                lastLine: 1,
              },
            ];
          }).flat();
        },
      },
    );
  const offers = (count: number, chars: number, grammar: Selected['grammar'] = null, spare = 0) => {
    const offered: number[] = [];
    const { text, notice, apart } = fit(job([gaps(count, offered, grammar, spare)]), { ...NO_CAPS, chars });
    return { offered, length: text.length + (apart ? notice.length + 1 : 0), apart };
  };

  it('is given to the text where there are several, once, as far as it fits', () => {
    const { offered, length } = offers(4, 2_000, null, 100);
    expect(offered).toHaveLength(2);
    const [first = 0, second = 0] = offered;
    expect(second).toBeGreaterThan(first);
    expect(length).toBeLessThanOrEqual(2_000);
    // The selector leaves 100 chars of what it is offered.
    expect(length).toBeGreaterThan(1_880);
    expect(offers(2, 2_000, null, 100).offered).toHaveLength(2);
    expect(offers(1, 2_000, null, 100).offered).toHaveLength(1);
  });

  it('is worth another attempt from 40 chars on', () => {
    const unused = (spare: number) => {
      const { length } = offers(2, 2_000, null, spare);
      const { offered } = offers(2, 2_000, null, spare);
      return { left: 2_000 - length, again: offered.length === 2 };
    };
    const tried = Array.from({ length: 120 }, (_, spare) => unused(spare));
    const notAgain = tried.filter(({ again }) => !again).map(({ left }) => left);
    expect(Math.max(...notAgain)).toBe(39);
    expect(tried.some(({ again }) => again)).toBe(true);
  });

  it('is what the notice beside a JSON text leaves too', () => {
    const { apart, offered, length } = offers(4, 2_000, JSON_GRAMMAR, 100);
    const [first = 0, second = 0] = offered;
    expect([apart, second > first, length <= 2_000]).toEqual([true, true, true]);
    const fitted = fit(job([gaps(4, [], JSON_GRAMMAR, 100)]), { ...NO_CAPS, chars: 2_000 });
    expect(second - first).toBeLessThan(2_000 - first);
    expect(fitted.text.length + fitted.notice.length + 1).toBe(length);
  });
});

describe('a second attempt that comes out too long', () => {
  it('is not taken, the notice beside a JSON text included', () => {
    let calls = 0;
    const greedy = section(
      'x'.repeat(9_000),
      {},
      {
        grammar: JSON_GRAMMAR,
        select: (): Segment[] => {
          // Asked again, it leaves room for the markers, but none for the notice.
          const kept = calls++ === 0 ? 500 : 1_850;
          const omit = (start: number, end: number): Segment => ({
            kind: 'omit',
            start,
            end,
            chars: end - start,
            lines: 0,
            firstLine: 1,
            lastLine: 1,
          });
          return [
            omit(0, 10),
            { kind: 'keep', start: 10, end: 10 + kept, chars: kept, lines: 1 },
            omit(10 + kept, 9_000),
          ];
        },
      },
    );
    const { text, notice, apart } = fit(job([greedy]), { ...NO_CAPS, chars: 2_000 });
    expect([apart, calls]).toEqual([true, 2]);
    expect(text.length).toBeLessThan(700);
    expect(text.length + notice.length).toBeLessThanOrEqual(2_000);
  });
});
