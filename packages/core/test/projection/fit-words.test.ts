/**
 * Making a projection fit, without an engine around it: where the notice goes, what it is told, and
 * what is left when nothing fits.
 */

import type { Policy } from '@spillway/core';
import { DEFAULT_POLICY, standardDialect } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { json } from '../../src/formats/json/index.ts';
import type { Dialect, NoticeFacts } from '../../src/model/dialect.ts';
import type { PartRecord } from '../../src/model/part.ts';
import type { Segment } from '../../src/model/selection.ts';
import type { Selector, Share } from '../../src/model/strategy.ts';
import { fit } from '../../src/projection/fit.ts';
import type { Caps, FitJob } from '../../src/projection/fit-job.ts';
import type { Section } from '../../src/projection/section.ts';
import { openSpillway } from '../opening.ts';

const JSON_GRAMMAR = json.grammar ?? null;

const ID = 'art_1699234567_a1b2c3d4';
const NO_CAPS: Caps = {
  chars: Number.POSITIVE_INFINITY,
  lines: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
};

/** Keeps the first chars of one long line; `select` may say otherwise. */
function section(text: string, more: Partial<PartRecord> = {}, selector: Partial<Selector> = {}): Section {
  const part: PartRecord = {
    index: 0,
    role: 'content',
    kind: 'text',
    name: 'text',
    bytes: text.length,
    chars: text.length,
    lines: 1,
    illFormed: 0,
    hash: 'ab',
    notes: [],
    ...more,
  };
  const select = ({ chars }: Share): Segment[] => {
    const end = Math.max(0, Math.min(text.length, chars));
    const kept: Segment = { kind: 'keep', start: 0, end, chars: end, lines: 1 };
    const gone = {
      kind: 'omit',
      start: end,
      end: text.length,
      chars: text.length - end,
      lines: 0,
      firstLine: 1,
      lastLine: 1,
    } as const;
    return end === text.length ? [kept] : end === 0 ? [gone] : [kept, gone];
  };
  const bytes: Selector['bytes'] = ({ start, end }) => Buffer.from(text.slice(start, end));
  return { part, selector: { push: () => undefined, select, bytes, ...selector }, blank: false, ordinal: 1 };
}

function job(
  sections: readonly Section[],
  more: {
    policy?: Partial<Policy>;
    facts?: Partial<FitJob['facts']>;
    dialect?: Dialect;
    tokens?: FitJob['tokens'];
  } = {},
): FitJob {
  const total = (unit: 'chars' | 'lines' | 'bytes') =>
    sections.reduce((sum, { part }) => sum + part[unit], 0);
  return {
    sections,
    policy: { ...DEFAULT_POLICY, ...more.policy },
    dialect: more.dialect ?? standardDialect,
    tokens: more.tokens ?? ((text) => text.length),
    facts: {
      artifact: ID,
      notStored: null,
      outcome: { status: 'ok' },
      complete: true,
      sourceTruncated: false,
      totalChars: total('chars'),
      totalLines: total('lines'),
      totalBytes: total('bytes'),
      paged: false,
      fallback: null,
      savedPath: null,
      cardSummary: null,
      ...more.facts,
    },
    callFor: (gap) => `call(${JSON.stringify(gap)})`,
  };
}

/** The facts that the notice of a projection was told. */
function told(given: FitJob, caps: Partial<Caps>): NoticeFacts | undefined {
  let last: NoticeFacts | undefined;
  const notice: Dialect['notice'] = (facts, detail) => {
    last = facts;
    return standardDialect.notice({ ...facts, nextCall: null, unfit: null }, detail);
  };
  fit({ ...given, dialect: { ...standardDialect, notice } }, { ...NO_CAPS, ...caps });
  return last;
}

describe('the notice of one text that must stay JSON', () => {
  const long = `{"a":"${'x'.repeat(3_000)}"}`;
  const json = (
    policy: Partial<Policy>,
    outcome: NoticeFacts['outcome'] = { status: 'ok' },
    more: Partial<PartRecord> = {},
  ) =>
    fit(job([section(long, more, { grammar: JSON_GRAMMAR })], { policy, facts: { outcome } }), {
      ...NO_CAPS,
      chars: 1_000,
    });

  it('goes apart from it, and counts all the same', () => {
    const { text, apart, notice } = json({ notice: 'block' });
    expect([apart, text.startsWith('{"a":"xxx'), notice.startsWith('[Showing ')]).toEqual([true, true, true]);
    expect(text.length + notice.length).toBeLessThanOrEqual(1_000);
  });

  it('goes before it, inside of it or nowhere, as the policy says', () => {
    const before = json({ notice: 'before' });
    expect([before.apart, before.text.startsWith('[Showing '), before.text.includes('\n{"a":"xxx')]).toEqual([
      false,
      true,
      true,
    ]);
    const inside = json({ notice: 'embedded' });
    expect([inside.apart, inside.text.startsWith('{"$spillway":"[Showing ')]).toEqual([false, true]);
    expect(inside.notice).toMatch(/^\[Showing /);
    const nowhere = json({ notice: 'metadata' });
    expect([nowhere.apart, nowhere.text.startsWith('{"a":"xxx'), nowhere.notice]).toEqual([false, true, '']);
  });

  it('goes inside where the call failed, so that hosts that take one string learn of it', () => {
    const { text, apart } = json({ notice: 'block' }, { status: 'error', exitCode: 1 });
    expect([apart, text.startsWith('{"$spillway":"[Exit code 1. ')]).toEqual([false, true]);
  });

  it('goes before everything else: labelled parts, several parts, and text', () => {
    const labelled = json({ notice: 'metadata' }, { status: 'ok' }, { labelled: true, name: 'stderr' });
    expect([labelled.text.startsWith('['), labelled.notice.startsWith('[')]).toEqual([true, true]);
    const two = fit(
      job(
        [
          section(long, {}, { grammar: JSON_GRAMMAR }),
          section(long, { index: 1 }, { grammar: JSON_GRAMMAR }),
        ],
        {
          policy: { notice: 'metadata' },
        },
      ),
      {
        ...NO_CAPS,
        chars: 1_500,
      },
    );
    expect([two.apart, two.text.startsWith('[Showing '), two.notice === '']).toEqual([false, true, false]);
    const text = fit(job([section(long)], { policy: { notice: 'metadata' } }), { ...NO_CAPS, chars: 1_000 });
    expect([text.apart, text.text.startsWith('[Showing ')]).toEqual([false, true]);
    const named = fit(job([section(long, {}, { grammar: null })], { policy: { notice: 'metadata' } }), {
      ...NO_CAPS,
      chars: 1_000,
    });
    expect(named.text.startsWith('[Showing ')).toBe(true);
  });
});

describe('the notice', () => {
  it('is told how much of which end is shown, of one part only', () => {
    const text = 'x'.repeat(1_000);
    const keep = (start: number, end: number): Segment => ({
      kind: 'keep',
      start,
      end,
      chars: end - start,
      lines: 0,
    });
    const omit = (start: number, end: number): Segment => ({
      kind: 'omit',
      start,
      end,
      chars: end - start,
      lines: 0,
      firstLine: 7,
      lastLine: 7,
    });
    const of = (...segments: Segment[]) =>
      told(job([section(text, {}, { select: () => segments })]), { chars: 900 })?.shown;
    expect(of(keep(0, 10), omit(10, 980), keep(980, 1_000))).toEqual({
      chars: 30,
      ends: { first: 10, last: 20 },
    });
    expect(of(keep(0, 10), omit(10, 1_000))).toEqual({ chars: 10, ends: { first: 10, last: 0 } });
    expect(of(omit(0, 980), keep(980, 1_000))).toEqual({ chars: 20, ends: { first: 0, last: 20 } });
    expect(of(omit(0, 1_000))).toEqual({ chars: 0, ends: { first: 0, last: 0 } });
    expect(of(keep(0, 10), omit(10, 500), keep(500, 501), omit(501, 1_000))).toEqual({
      chars: 11,
      ends: null,
    });
    const two = job([section(text), section(text, { index: 1 })]);
    expect(told(two, { chars: 900 })?.shown.ends).toBeNull();
    const image: Section = {
      part: { ...section('png').part, kind: 'binary', index: 1, chars: 0, lines: 0 },
      selector: null,
      blank: false,
      ordinal: null,
    };
    expect(told(job([section(text), image]), { chars: 900 })?.shown.ends).toBeNull();
    expect(told(job([section(text), image]), { chars: 900 })?.lookalikes).toBe(0);
    expect(
      told(job([section(text, {}, { select: () => [keep(0, 10), omit(10, 1_000)] })]), { chars: 900 })
        ?.insideLines,
    ).toEqual([{ line: 7, from: null }]);
  });

  it('is told of the first line that is too long, with its place', () => {
    const segments: Segment[] = [
      { kind: 'omit', start: 0, end: 10, chars: 10, lines: 1, firstLine: 1, lastLine: 1 },
      { kind: 'keep', start: 10, end: 20, chars: 10, lines: 1 },
      {
        kind: 'omit',
        start: 20,
        end: 1_000,
        chars: 980,
        lines: 2,
        firstLine: 3,
        lastLine: 4,
        unfit: { line: 4, firstChar: 31, chars: 900 },
      },
    ];
    const given = job([section('x'.repeat(1_000), { index: 3, name: 'stdout' }, { select: () => segments })]);
    const position = {
      part: 3,
      last_part: 3,
      name: 'stdout',
      bytes: segments[2],
      chars: 900,
      lines: 0,
      first_char: 31,
      last_char: 930,
      first_line: 4,
      last_line: 4,
    };
    expect(told(given, { chars: 900 })?.unfit).toEqual({
      line: 4,
      chars: 900,
      call: `call(${JSON.stringify(position)})`,
    });
    expect(
      told({ ...given, facts: { ...given.facts, artifact: null } }, { chars: 900 })?.unfit?.call,
    ).toBeNull();
    expect(told(job([section('x'.repeat(1_000))]), { chars: 900 })?.unfit).toBeNull();
  });

  it('is told what was elided, in all', () => {
    const elide = (start: number, end: number): Segment => ({
      kind: 'elide',
      start,
      end,
      chars: end - start,
      lines: 0,
      why: 'ansi',
    });
    const segments: Segment[] = [
      elide(0, 5),
      { kind: 'keep', start: 5, end: 10, chars: 5, lines: 1 },
      elide(10, 17),
      { kind: 'omit', start: 17, end: 1_000, chars: 983, lines: 0, firstLine: 1, lastLine: 1 },
    ];
    expect(
      told(job([section('x'.repeat(1_000), {}, { select: () => segments })]), { chars: 900 })?.elidedChars,
    ).toBe(12);
  });
});

describe('what a strategy leaves out by itself', () => {
  it('is a cut, also where everything would have fitted', () => {
    const select = (): Segment[] => [
      { kind: 'keep', start: 0, end: 5, chars: 5, lines: 1 },
      { kind: 'omit', start: 5, end: 20, chars: 15, lines: 0, firstLine: 1, lastLine: 1 },
    ];
    const some = job([section('whole '.repeat(200)), section('b'.repeat(20), { index: 1 }, { select })]);
    const { omissions, text } = fit(some, NO_CAPS);
    expect(omissions.at(-1)).toMatchObject({ part: 1, chars: 15, first_char: 6, last_char: 20 });
    expect(text.startsWith('[Showing ')).toBe(true);
  });
});

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
  const gaps = (count: number, offered: number[], grammar: Selector['grammar'] = null, spare = 0) =>
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
  const offers = (count: number, chars: number, grammar: Selector['grammar'] = null, spare = 0) => {
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

describe('what selectors found', () => {
  it('is added up over the parts', () => {
    const findings = (n: number) => ({
      errors: { lines: n, kinds: n + 1, shown: n + 2 },
      warnings: { lines: n + 3, kinds: n + 4, shown: n + 5 },
      sections: n + 6,
    });
    const parts = [10, 100].map((n, i) =>
      section('x'.repeat(2_000), { index: i, labelled: true, name: `p${i}` }, { findings: findings(n) }),
    );
    expect(told(job(parts), { chars: 1_500 })?.findings).toEqual({
      errors: { lines: 110, kinds: 112, shown: 114 },
      warnings: { lines: 116, kinds: 118, shown: 120 },
      sections: 122,
    });
    expect(told(job([section('x'.repeat(2_000))]), { chars: 1_500 })?.findings).toBeNull();
  });

  it('may depend on how the call ended', () => {
    const ended = (outcome: NoticeFacts['outcome']) => {
      const seen = new Set<unknown>();
      const select = (share: Share): Segment[] => {
        seen.add(share.ended);
        return [{ kind: 'omit', start: 0, end: 2_000, chars: 2_000, lines: 1, firstLine: 1, lastLine: 1 }];
      };
      fit(job([section('x'.repeat(2_000), {}, { select })], { facts: { outcome } }), {
        ...NO_CAPS,
        chars: 900,
      });
      return [...seen];
    };
    expect(ended({ status: 'ok' })).toEqual([undefined]);
    expect(ended({ status: 'ok', exitCode: 0 })).toEqual([undefined]);
    expect(ended({ status: 'ok', exitCode: 1 })).toEqual(['badly']);
    expect(ended({ status: 'timeout' })).toEqual(['badly']);
  });
});

describe('a short line behind a very long one', () => {
  it('is shown with the end of the long one', async () => {
    const { projection } = await openSpillway({ store: null }).process(
      { tool: 't', session: 's', scope: 'scope' },
      { kind: 'text', text: `${'x'.repeat(20_000)}\nbb\n` },
    );
    expect(projection.text).toMatch(/x{2000}\nbb\n$/);
  });
});

describe('where nothing fits', () => {
  it('only the shortest notice is left, and everything is omitted', () => {
    const given = job([section('x'.repeat(400)), section('y'.repeat(300), { index: 1 })], {
      facts: { outcome: { status: 'error', exitCode: 2 } },
    });
    const { text, notice, omissions, fragments, elidedChars, lookalikes, apart } = fit(given, {
      ...NO_CAPS,
      lines: 1,
    });
    expect(text).toBe(`[Exit code 2. 700 chars in all. Artifact: ${ID}]`);
    expect([notice, fragments, elidedChars, lookalikes, apart]).toEqual([text, [], 0, 0, false]);
    expect(omissions).toEqual([
      expect.objectContaining({ part: 0, last_part: 1, chars: 700, first_char: 1, last_char: 700 }),
    ]);
    expect(told(given, { lines: 1 })).toMatchObject({
      shown: { chars: 0, ends: null },
      nextCall: null,
      insideLines: [],
      elidedChars: 0,
      lookalikes: 0,
    });
  });
});

describe('the body', () => {
  const kept = (policy: Partial<Policy>, facts: Partial<FitJob['facts']> = {}) =>
    told(job([section('x'.repeat(50_000))], { policy, facts }), { chars: 8_000 })?.shown.chars ?? 0;

  it('is as long as `shown` says, and under a card as long as `preview_limit`', () => {
    expect(kept({ shown: 1_000 })).toBeGreaterThanOrEqual(1_000);
    expect(kept({ shown: 1_000 })).toBeLessThan(1_100);
    expect(kept({ previewLimit: 500 })).toBeGreaterThan(7_000);
    expect(kept({ previewLimit: 500 }, { cardSummary: 'a card' })).toBeGreaterThanOrEqual(500);
    expect(kept({ previewLimit: 500 }, { cardSummary: 'a card' })).toBeLessThan(600);
    expect(kept({}, { cardSummary: 'a card' })).toBeGreaterThan(7_000);
  });
});
