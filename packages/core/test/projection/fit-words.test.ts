/**
 * Making a projection fit, without an engine around it: where the notice goes, what it is told, and
 * what is left when nothing fits.
 */

import type { Policy } from '@spillway/core';
import { describe, expect, it } from 'vitest';
import type { NoticeFacts } from '../../src/model/dialect.ts';
import type { PartRecord } from '../../src/model/part.ts';
import type { Segment } from '../../src/model/selection.ts';
import type { Share } from '../../src/model/strategy.ts';
import { fit } from '../../src/projection/fit.ts';
import type { FitJob, Section } from '../../src/projection/section.ts';
import { openSpillway } from '../opening.ts';

import { ID, JSON_GRAMMAR, job, NO_CAPS, noticeFacts, section } from './fit-jobs.ts';

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
      noticeFacts(job([section(text, {}, { select: () => segments })]), { chars: 900 })?.shown;
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
    expect(noticeFacts(two, { chars: 900 })?.shown.ends).toBeNull();
    const image: Section = {
      part: { ...section('png').part, kind: 'binary', index: 1, chars: 0, lines: 0 },
      text: null,
      blank: false,
      ordinal: null,
    };
    expect(noticeFacts(job([section(text), image]), { chars: 900 })?.shown.ends).toBeNull();
    expect(noticeFacts(job([section(text), image]), { chars: 900 })?.lookalikes).toBe(0);
    expect(
      noticeFacts(job([section(text, {}, { select: () => [keep(0, 10), omit(10, 1_000)] })]), { chars: 900 })
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
      bytes: { start: 20, end: 1_000 },
      chars: 900,
      lines: 0,
      first_char: 31,
      last_char: 930,
      first_line: 4,
      last_line: 4,
    };
    expect(noticeFacts(given, { chars: 900 })?.unfit).toEqual({
      line: 4,
      chars: 900,
      call: `call(${JSON.stringify(position)})`,
    });
    expect(
      noticeFacts({ ...given, facts: { ...given.facts, artifact: null } }, { chars: 900 })?.unfit?.call,
    ).toBeNull();
    expect(noticeFacts(job([section('x'.repeat(1_000))]), { chars: 900 })?.unfit).toBeNull();
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
      noticeFacts(job([section('x'.repeat(1_000), {}, { select: () => segments })]), { chars: 900 })
        ?.elidedChars,
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

describe('what was found in parts', () => {
  it('is added up over the parts', () => {
    const findings = (n: number) => ({
      errors: { lines: n, kinds: n + 1, shown: n + 2 },
      warnings: { lines: n + 3, kinds: n + 4, shown: n + 5 },
      sections: n + 6,
    });
    const parts = [10, 100].map((n, i) =>
      section('x'.repeat(2_000), { index: i, labelled: true, name: `p${i}` }, { findings: findings(n) }),
    );
    expect(noticeFacts(job(parts), { chars: 1_500 })?.findings).toEqual({
      errors: { lines: 110, kinds: 112, shown: 114 },
      warnings: { lines: 116, kinds: 118, shown: 120 },
      sections: 122,
    });
    expect(noticeFacts(job([section('x'.repeat(2_000))]), { chars: 1_500 })?.findings).toBeNull();
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
    expect(ended({ status: 'ok', exitCode: 0 })).toEqual(['well']);
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
    const { text, notice, omissions, texts, elidedChars, lookalikes, apart } = fit(given, {
      ...NO_CAPS,
      lines: 1,
    });
    expect(text).toBe(`[Exit code 2. 700 chars in all. Artifact: ${ID}]`);
    expect([notice, texts, elidedChars, lookalikes, apart]).toEqual([text, [], 0, 0, false]);
    expect(omissions).toEqual([
      expect.objectContaining({ part: 0, last_part: 1, chars: 700, first_char: 1, last_char: 700 }),
    ]);
    expect(noticeFacts(given, { lines: 1 })).toMatchObject({
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
    noticeFacts(job([section('x'.repeat(50_000))], { policy, facts }), { chars: 8_000 })?.shown.chars ?? 0;

  it('is as long as `shown` says, and under a card as long as `preview_limit`', () => {
    expect(kept({ shown: 1_000 })).toBeGreaterThanOrEqual(1_000);
    expect(kept({ shown: 1_000 })).toBeLessThan(1_100);
    expect(kept({ previewLimit: 500 })).toBeGreaterThan(7_000);
    expect(kept({ previewLimit: 500 }, { cardSummary: 'a card' })).toBeGreaterThanOrEqual(500);
    expect(kept({ previewLimit: 500 }, { cardSummary: 'a card' })).toBeLessThan(600);
    expect(kept({}, { cardSummary: 'a card' })).toBeGreaterThan(7_000);
  });
});
