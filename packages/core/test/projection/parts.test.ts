/** The small parts of the projection stage: layout, gaps as data, prices, reading back. */
import { DEFAULT_POLICY, parseProjection, standardDialect } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import type { PartRecord } from '../../src/model/part.ts';
import type { PartText } from '../../src/model/part-text.ts';
import type { Segment } from '../../src/model/selection.ts';
import { omissionsOf } from '../../src/projection/notice-facts.ts';
import { framePrice, gapPrice } from '../../src/projection/price.ts';
import type { FitJob, Section } from '../../src/projection/section.ts';
import { type Layout, layOut as layOutPlaced, viewsOf } from '../../src/projection/views.ts';
import { encode } from '../../src/text/utf8.ts';
import { plain } from '../../src/wording/dialects/plain.ts';
import { spill } from '../../src/wording/dialects/spill.ts';
import { selectedAs } from '../part-text.ts';

let made = 0;

function part(text: string, more: Partial<PartRecord> = {}): PartRecord {
  const bytes = encode(text).length;
  const lines = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
  return {
    index: made++,
    role: 'content',
    kind: 'text',
    name: 'text',
    bytes,
    chars: text.length,
    lines,
    illFormed: 0,
    hash: 'ab',
    notes: [],
    ...more,
  };
}

function section(text: string, more: Partial<PartRecord> = {}): Section {
  const nothing: PartText = { push: () => undefined, compare: () => undefined, select: () => selectedAs([]) };
  return { part: part(text, more), text: nothing, blank: text.trim() === '', ordinal: null };
}

/** The number of each text among the texts, as gathering gives it. */
function layOut(sections: readonly Section[], budgetChars: number): Layout {
  let texts = 0;
  for (const one of sections) Object.assign(one, { ordinal: one.text === null ? null : ++texts });
  return layOutPlaced(sections, budgetChars);
}

function image(): Section {
  return {
    part: part('png', { kind: 'binary', name: 'image', mediaType: 'image/png', chars: 0, lines: 0 }),
    text: null,
    blank: false,
    ordinal: null,
  };
}

const names = (layout: Layout) =>
  layout.shown.map(({ from, labelled }) => `${from}${labelled ? ' labelled' : ''}`);

describe('a layout', () => {
  it('leaves blank parts out where others tell something', () => {
    const layout = layOut([section('a'), section(' \n\t'), section('')], 1_000);
    expect(names(layout)).toEqual(['null']);
    expect(layout.blank.map(({ bytes }) => bytes)).toEqual([3, 0]);
    const onlyBlank = layOut([section(' '), section('')], 1_000);
    expect([onlyBlank.shown.length, onlyBlank.blank.length]).toEqual([2, 0]);
    expect(layOut([section('a'), image()], 1_000).blank).toEqual([]);
  });

  it('tells several texts apart by their place among the texts, or by their label', () => {
    expect(names(layOut([section('a'), image(), section('b')], 1_000))).toEqual([
      'part 1/2',
      'part null/2',
      'part 2/2',
    ]);
    expect(names(layOut([section('a'), section(''), section('b')], 1_000))).toEqual(['part 1/3', 'part 3/3']);
    expect(names(layOut([section('a'), image()], 1_000))).toEqual(['null', 'null']);
    const streams = [
      section('a', { name: 'stdout', labelled: true }),
      section('b', { name: 'stderr', labelled: true }),
    ];
    expect(names(layOut(streams, 1_000))).toEqual(['stdout labelled', 'stderr labelled']);
  });

  it('labels a command that only wrote to stderr, not one that only wrote to stdout; markers name both', () => {
    const out = section('a', { name: 'stdout', labelled: true });
    const err = section('b', { name: 'stderr', labelled: true });
    expect(names(layOut([out, section('', { name: 'stderr', labelled: true })], 1_000))).toEqual(['stdout']);
    expect(names(layOut([section('', { name: 'stdout', labelled: true }), err], 1_000))).toEqual([
      'stderr labelled',
    ]);
  });

  it('shows of very many parts the first and the last, as far as 80 % of the budget has 150 chars for each', () => {
    const many = Array.from({ length: 20 }, () => section('x'.repeat(500)));
    const shown = (budget: number) => {
      const { hidden, shown: seen } = layOut(many, budget);
      return [hidden.length, seen.length];
    };
    expect(shown(750)).toEqual([16, 4]);
    expect(shown(749)).toEqual([17, 3]);
    expect(shown(1)).toEqual([18, 2]);
    expect(shown(3_750)).toEqual([0, 20]);
    expect(shown(3_749)).toEqual([1, 19]);
    const small = Array.from({ length: 20 }, () => section('xxx'));
    expect(layOut(small, 100).hidden).toHaveLength(0);
    expect(layOut(small, 99).hidden).toHaveLength(1);
    const images = Array.from({ length: 20 }, image);
    expect([layOut(images, 750).shown.length, layOut(images, 749).shown.length]).toEqual([10, 9]);
    const { hidden } = layOut(many, 750);
    expect([hidden[0]?.part.index, hidden.at(-1)?.part.index]).toEqual([
      many[2]?.part.index,
      many[17]?.part.index,
    ]);
  });

  it('becomes views in order, with what is hidden in its place', () => {
    const sections = [
      section('a'),
      image(),
      ...Array.from({ length: 9 }, () => section('x'.repeat(500))),
      section('z'),
    ];
    const layout = layOut(sections, 475);
    const keep: Segment[] = [{ kind: 'keep', start: 0, end: 1, chars: 1, lines: 1 }];
    const first = sections[0] as Section;
    const nothing = selectedAs([]);
    const texts = sections.filter(({ text }) => text !== null);
    const kept = new Map(texts.map((each) => [each, each === first ? selectedAs(keep) : nothing]));
    const views = viewsOf(layout, kept);
    expect(views.map((view) => view.kind)).toEqual(['text', 'other', 'text', 'collapsed', 'text', 'text']);
    expect(views[0]).toMatchObject({ selection: keep, from: 'part 1/11', labelled: false });
    expect(views.at(-1)).toMatchObject({ selection: [] });
    expect(viewsOf(layOut([first], 400), kept).map((view) => view.kind)).toEqual(['text']);
    const nearlyAll = layOut(
      Array.from({ length: 20 }, () => section('xxx')),
      99,
    );
    expect(viewsOf(nearlyAll, new Map()).filter((view) => view.kind === 'collapsed')).toHaveLength(1);
  });
});

describe('gaps', () => {
  it('know their place in bytes, chars and lines of their part', () => {
    const { part: record } = section('0123456789', { name: 'stdout' });
    const selection: Segment[] = [
      { kind: 'keep', start: 0, end: 3, chars: 2, lines: 1 },
      { kind: 'omit', start: 3, end: 5, chars: 4, lines: 2, firstLine: 2, lastLine: 3 },
      { kind: 'elide', start: 5, end: 6, chars: 1, lines: 0, why: 'ansi' },
      { kind: 'omit', start: 6, end: 9, chars: 5, lines: 6, firstLine: 4, lastLine: 9 },
    ];
    const view = {
      kind: 'text',
      part: record,
      selected: selectedAs(selection),
      selection,
      texts: [],
      from: null,
      labelled: false,
    } as const;
    const same = { part: record.index, last_part: record.index, name: 'stdout' };
    expect(omissionsOf([view, { kind: 'other', part: record }])).toEqual([
      {
        ...same,
        bytes: { start: 3, end: 5 },
        chars: 4,
        lines: 2,
        first_char: 3,
        last_char: 6,
        first_line: 2,
        last_line: 3,
      },
      {
        ...same,
        bytes: { start: 6, end: 9 },
        chars: 5,
        lines: 6,
        first_char: 8,
        last_char: 12,
        first_line: 4,
        last_line: 9,
      },
    ]);
  });

  it('of whole parts in a row are one', () => {
    const sections = [section('ab\nc', { name: 'first' }), section('défg\n')];
    const whole = omissionsOf([{ kind: 'collapsed', sections }]);
    expect(whole).toEqual([
      {
        part: sections[0]?.part.index,
        last_part: sections[1]?.part.index,
        name: 'first',
        bytes: { start: 0, end: 10 },
        chars: 9,
        lines: 3,
        first_char: 1,
        last_char: 9,
        first_line: 1,
        last_line: 3,
      },
    ]);
    const [one, other] = sections as [Section, Section];
    const run = { parts: 7, texts: 5, last: 99, firstBytes: 1 };
    expect(omissionsOf([{ kind: 'collapsed', sections: [one, { ...other, run }] }])).toEqual([
      { ...whole[0], last_part: 99 },
    ]);
    expect(omissionsOf([{ kind: 'collapsed', sections: [] }])).toEqual([]);
  });
});

describe('prices', () => {
  /** Says everything it is told, so that nothing can be left out of the price unseen. */
  const loud: Dialect = {
    ...standardDialect,
    notice: (facts, detail) => `${detail} ${JSON.stringify(facts)}\n`,
    label: ({ name, lines, chars }, detail) => `${name}/${lines}/${chars}/${detail}\n`,
    descriptor: ({ mediaType, bytes, hash }) => `${mediaType}/${bytes}/${hash}`,
    collapsed: ({ parts, lines, chars }) => `${parts}/${lines}/${chars}\n`,
    marker: ({ position, lines, chars, following, from, what }, detail) =>
      `${'\n'.repeat({ start: 1, middle: 3, end: 2, all: 0 }[position])}${position.padStart(9, '.')}/${lines}/${chars}/${following}/${from}/${what}/${detail}`,
  };
  const facts: FitJob['facts'] = {
    artifact: null,
    notStored: null,
    outcome: { status: 'ok' },
    complete: true,
    sourceTruncated: false,
    totalChars: 77_777,
    totalLines: 888,
    totalBytes: 99_999,
    paged: false,
    savedPath: null,
    cardSummary: null,
  };
  const job = (sections: readonly Section[]): FitJob => ({
    sections,
    policy: DEFAULT_POLICY,
    dialect: loud,
    tokens: (text) => text.length,
    facts,
    callFor: (gap) => `call ${JSON.stringify(gap)}`,
  });

  it('of a frame are those of the longest header, all labels, descriptors and line ends there may be', () => {
    const streams = [
      section('a', { name: 'stdout', labelled: true }),
      section('b', { name: 'the longest', labelled: true }),
      image(),
      section('c', { name: 'err', labelled: true }),
    ];
    const layout = layOut(streams, 10_000);
    const longest = streams[1]?.part as PartRecord;
    const call = job(streams).callFor({
      part: longest.index,
      last_part: longest.index,
      name: 'the longest',
      bytes: { start: 99_999, end: 99_999 },
      chars: 77_777,
      lines: 888,
      first_char: 77_777,
      last_char: 77_777,
      first_line: 888,
      last_line: 888,
    });
    const header = loud.notice(
      {
        ...facts,
        fallback: null,
        shown: { chars: 77_777, ends: { first: 77_777, last: 77_777 } },
        nextCall: call,
        insideLines: [],
        unfit: null,
        elidedChars: 0,
        lookalikes: 0,
        findings: null,
      },
      'short',
    );
    const frames = 'stdout/1/1/short\nthe longest/1/1/short\nimage/png/3/ab\nerr/1/1/short\n';
    expect(framePrice(job(streams), layout, 'short')).toEqual({
      chars: header.length + frames.length + 4,
      lines: 8,
    });
    expect(framePrice(job([section('a')]), layOut([section('a')], 100), 'full').lines).toBe(1);
  });

  it('of a frame count hidden parts once, and name parts without a type by the most general one', () => {
    const other: Section = {
      ...image(),
      part: part('zz', { kind: 'binary', chars: 0, lines: 0 }),
    };
    const many = [other, ...Array.from({ length: 9 }, () => section('x'.repeat(500)))];
    const layout = layOut(many, 400);
    expect(layout.hidden.length).toBeGreaterThan(0);
    const bare = { ...layout, hidden: [] };
    const words = `${layout.hidden.length}/888/77777\n`;
    const [dear, cheap] = [framePrice(job(many), layout, 'full'), framePrice(job(many), bare, 'full')];
    expect([dear.chars - cheap.chars, dear.lines - cheap.lines]).toEqual([words.length, 1]);
    const without = { ...bare, shown: bare.shown.slice(1) };
    const described = 'application/octet-stream/2/ab\n';
    const rest = framePrice(job(many), without, 'full');
    expect([cheap.chars - rest.chars, cheap.lines - rest.lines]).toEqual([described.length + 1, 2]);
  });

  it('of a frame take the longest call, by the longest name or of the last part', () => {
    const [first, last] = [
      section('a', { name: 'x', index: 5 }),
      section('b', { name: 'x', index: 123_456 }),
    ];
    const text = (sections: readonly Section[]) =>
      framePrice(job(sections), layOut(sections, 1_000), 'full').chars;
    const third = section('c', { name: 'x', index: 7 });
    expect(text([first, last])).toBe(text([last, first]));
    expect(text([first, third, last])).toBe(text([first, last, third]) + 10);
    const nobody: FitJob = { ...job([first]), callFor: () => null };
    const header = framePrice(nobody, layOut([first], 1_000), 'full').chars;
    expect(text([first])).toBeGreaterThan(header + 100);
  });

  it('of a marker are those of the longest one, and its line ends', () => {
    const alone = `\n\n\n...middle/888/77777/77777/null/null/full`;
    const { exactly, label: _, ...most } = gapPrice(job([section('a')]), 'full');
    expect(most).toEqual({ chars: alone.length, lines: 3 });
    expect(exactly?.('start', 1, 2)).toBe('\n\n...start/1/2/77777/null/null/full'.length);
    const two = [section('a', { name: 'abc' }), section('b', { name: 'abcde' })];
    const named = `\n\n\n...middle/888/77777/77777/part 2/2/null/least`;
    expect(gapPrice(job(two), 'least')).toMatchObject({ chars: named.length, lines: 3 });
    expect(gapPrice(job([two[1] as Section, two[0] as Section]), 'least')).toMatchObject({
      chars: named.length,
      lines: 3,
    });
  });
});

describe('reading a projection back', () => {
  const ID = 'art_1699234567_a1b2c3d4';

  it('gives what notice and markers tell', () => {
    const text = `[Exit code -3. Showing 30 of 12,345 chars (99 lines). Artifact: ${ID}]\nbody\n... [1,200 lines / 9,999 chars omitted from stdout] ...\nbody\n... [Remainder omitted: 7 lines / 8 chars] ...`;
    expect(parseProjection(text, standardDialect)).toEqual({
      dialect: 'standard',
      artifactId: ID,
      totalChars: 12_345,
      exitCode: -3,
      gaps: [
        { chars: 9_999, lines: 1_200, from: 'stdout', at: text.indexOf('... [1,200') },
        { chars: 8, lines: 7, from: null, at: text.indexOf('... [Remainder') },
      ],
    });
  });

  it('finds the source in every form of a marker', () => {
    const from = (text: string, dialect: Dialect) =>
      parseProjection(text, dialect)?.gaps.map((gap) => [gap.from, gap.chars, gap.lines]);
    for (const amount of ['1 line / 2 chars', '1 lines / 2 chars'])
      expect(from(`... [Beginning omitted from block 2/5: ${amount}] ...\nx`, standardDialect)).toEqual([
        ['block 2/5', 2, 1],
      ]);
    expect(from('... (1,234 chars truncated from stderr)\nx', plain)).toEqual([['stderr', 1_234, null]]);
    expect(from('... (5 characters truncated) ...\n\nx', spill)).toEqual([[null, 5, null]]);
  });

  it('gives nothing where there is neither a total nor a marker, and a total without a marker', () => {
    expect(parseProjection('just text\n[in brackets]', standardDialect)).toBeNull();
    expect(parseProjection('', standardDialect)).toBeNull();
    expect(parseProjection(`[123 chars in all. Artifact: ${ID}]`, standardDialect)).toEqual({
      dialect: 'standard',
      artifactId: ID,
      totalChars: 123,
      exitCode: null,
      gaps: [],
    });
    expect(parseProjection('[123 chars in all. Not stored.]\nart_1_abcd', standardDialect)).toMatchObject({
      artifactId: null,
    });
    expect(parseProjection('[5 chars in all. Artifact: art_1_abc]', standardDialect)).toMatchObject({
      artifactId: null,
    });
  });
});
