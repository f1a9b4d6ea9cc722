/** Reading for people: lines, searches and views agree with the text itself, and leave no trace. */
import type { ArtifactId, Spillway } from '@spillway/core';
import { type FindOptions, type LineRange, type PatternEngine, readerOf } from '@spillway/core/plugin';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL, COMMAND, openSpillway } from '../opening.ts';

async function stored(text: string | Uint8Array, spillway: Spillway, policy = {}) {
  const answer = await spillway.process(COMMAND, { kind: 'text', text }, { policy });
  const record = await spillway.sealed(answer);
  if (record === null) throw new Error('not stored');
  return record;
}

async function linesOf(
  spillway: Spillway,
  name: { readonly scope: string; readonly id: ArtifactId },
  ranges: readonly LineRange[],
  clip?: number,
) {
  const lines: { number: number; text: string; chars: number }[] = [];
  const options = { part: 0, ranges, ...(clip === undefined ? {} : { clip }) };
  for await (const { number, text, chars } of readerOf(spillway).lines(name, options))
    lines.push({ number, text, chars });
  return lines;
}

async function found(
  spillway: Spillway,
  name: Parameters<ReturnType<typeof readerOf>['search']>[0],
  options: Omit<FindOptions, 'part'>,
) {
  const lines = new Set<number>();
  for await (const some of readerOf(spillway).search(name, { part: 0, ...options }))
    for (const { line } of some) lines.add(line);
  return [...lines];
}

/** As much of RE2 as JavaScript has: flags at the beginning, and the ends of a text. */
const BY_REGEXP: PatternEngine = {
  compile(pattern) {
    const flags = [...pattern.matchAll(/\(\?([ims])\)/g)].map(([, flag]) => flag).join('');
    const source = pattern
      .replace(/\(\?[ims]\)/g, '')
      .replace('\\A', '(?<![\\s\\S])')
      .replace('\\z', '(?![\\s\\S])');
    const expression = new RegExp(source, flags);
    return { find: (text) => text.search(expression) };
  },
};

/** Lines as the library counts them. */
function split(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

describe('lines of a stored output', () => {
  it('are those of the text, whatever its line ends and characters', async () => {
    const piece = fc.constantFrom('a', 'é', '🙂', 'x'.repeat(70_000), '\n', '\r\n', '\r', 'b c', '\0');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const text = pieces.join('');
        const spillway = openSpillway();
        const record = await stored(text, spillway);
        const expected = split(text);
        const all = await linesOf(spillway, record, [{ first: 1, last: expected.length + 3 }]);
        expect(all.map((line) => line.text)).toEqual(expected);
        expect(all.map(({ chars }) => chars)).toEqual(expected.map((line) => line.length));
        const clipped = await linesOf(spillway, record, [{ first: 2, last: 4 }], 5);
        expect(clipped.map((line) => line.chars)).toEqual(expected.slice(1, 4).map((line) => line.length));
        for (const { number, text: shown } of clipped)
          expect(
            expected[number - 1]?.startsWith(shown) &&
              shown.length >= Math.min(4, expected[number - 1]?.length ?? 0),
          ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('come in as many ranges as are asked for, in their order', async () => {
    const spillway = openSpillway();
    const record = await stored(
      Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}\n`).join(''),
      spillway,
    );
    const ranges = [
      { first: 4_990, last: 6_000 },
      { first: 1, last: 2 },
      { first: 2_500, last: 2_500 },
    ];
    const lines = await linesOf(spillway, record, ranges);
    expect(lines.length).toBe(11 + 2 + 1);
    expect(lines.at(0)?.text).toBe('line 4990');
    expect(lines.at(-1)?.text).toBe('line 2500');
  });

  it('can be read on in a line of two megabytes', async () => {
    const spillway = openSpillway();
    const long = Array.from({ length: 200_000 }, (_, i) => `${i}`.padStart(10, '.')).join('');
    const record = await stored(`first\n${long}\nlast\n`, spillway);
    const [line] = await linesOf(spillway, record, [{ first: 2, last: 2 }], 2_000);
    expect(line).toEqual({ number: 2, text: long.slice(0, 2_000), chars: long.length });
    const read = (from: number) => readerOf(spillway).chars(record, { part: 0, from, chars: 30 });
    expect(await read(1_500_007)).toBe(long.slice(1_500_000, 1_500_030));
    expect(await read(long.length + 10)).toBe('st\n');
    expect(await read(long.length + 100)).toBe('');
  });
});

describe('a search', () => {
  it('finds every line that holds the text, and no other', async () => {
    const word = fc.constantFrom(
      'needle',
      'NEEDLE',
      'hay',
      'é',
      '\n',
      '\r\n',
      '\r',
      'needl',
      'y'.repeat(66_000),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 60 }), async (words) => {
        const text = words.join('');
        const spillway = openSpillway();
        const record = await stored(text, spillway);
        const numbers = (test: (line: string) => boolean) =>
          split(text).flatMap((line, i) => (test(line) ? [i + 1] : []));
        expect(await found(spillway, record, { text: 'Needle' })).toEqual(
          numbers((line) => line.toLowerCase().includes('needle')),
        );
        expect(await found(spillway, record, { text: 'needle', matchCase: true })).toEqual(
          numbers((line) => line.includes('needle')),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('by a pattern finds the lines that match by themselves, whatever lies around them', async () => {
    const word = fc.constantFrom('ab', 'b', 'a', ' ', '\n', '\n', '\r\n', '\r', 'x'.repeat(30_000));
    const pattern = fc.constantFrom(
      '^a',
      'b$',
      'a[^b]*b',
      '^$',
      '\\bb\\b',
      '(?s)a.+b',
      '\\Aa',
      'b\\z',
      'ab|^b$',
    );
    // A line over 64 KB is tried in ranges: what reaches over their ends is not found.
    const lines = fc
      .array(word, { maxLength: 80 })
      .filter((words) => split(words.join('')).every((line) => line.length < 60_000));
    await fc.assert(
      fc.asyncProperty(lines, pattern, async (words, sought) => {
        const text = words.join('');
        const spillway = openSpillway({ patterns: BY_REGEXP });
        const record = await stored(text, spillway);
        const { find } = BY_REGEXP.compile(sought);
        const expected = split(text).flatMap((line, i) => (find(line) >= 0 ? [i + 1] : []));
        expect(await found(spillway, record, { pattern: sought })).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('tells where in its line the text stands, also in one of three megabytes', async () => {
    const spillway = openSpillway();
    const record = await stored(`a\n${'é'.repeat(1_500_000)}needle é needle\nneedle\n`, spillway);
    const positions = [];
    for await (const some of readerOf(spillway).search(record, { part: 0, text: 'needle' }))
      positions.push(...some);
    expect(positions).toEqual([
      { line: 2, column: 1_500_001, length: 6 },
      { line: 2, column: 1_500_010, length: 6 },
      { line: 3, column: 1, length: 6 },
    ]);
  });

  it('goes on behind a line, and can be given up', async () => {
    const spillway = openSpillway();
    const record = await stored('needle\n'.repeat(50_000), spillway);
    expect(await found(spillway, record, { text: 'needle', after: 49_998 })).toEqual([49_999, 50_000]);
    const gone = new AbortController();
    gone.abort();
    await expect(found(spillway, record, { text: 'needle', signal: gone.signal })).rejects.toThrow();
  });
});

describe('a view of what was shown', () => {
  it('shows a line if and only if something of it is in the projection', async () => {
    const spillway = openSpillway();
    const text = Array.from(
      { length: 3_000 },
      (_, i) => `unique-${i + 1}-line${i === 1_500 ? ' ERROR: it broke' : ''}\n`,
    ).join('');
    const record = await stored(text, spillway, { inlineLimit: 2_000 });
    const frozen = await spillway.store.frozen(record.id, 'model');
    if (frozen === undefined) throw new Error('no projection');
    const view = await readerOf(spillway).view(record, 0, frozen);
    expect(view.runs[0]?.first).toBe(1);
    expect(view.runs.at(-1)?.last).toBe(3_000);
    for (const [i, { first }] of view.runs.entries())
      if (i > 0) expect(first).toBe((view.runs[i - 1]?.last ?? 0) + 1);
    for (const { kind, first, last } of view.runs)
      for (const line of [first, last])
        expect([line, frozen.projection.text.includes(`unique-${line}-line`)]).toEqual([
          line,
          kind === 'shown',
        ]);
    expect(view.runs.some(({ kind }) => kind === 'left_out')).toBe(true);
  });

  it('tells of gaps inside a line', async () => {
    const spillway = openSpillway();
    const record = await stored(
      JSON.stringify({ list: Array.from({ length: 9_000 }, (_, i) => `item ${i}`) }),
      spillway,
    );
    const frozen = await spillway.store.frozen(record.id, 'model');
    if (frozen === undefined) throw new Error('no projection');
    const { runs, gaps } = await readerOf(spillway).view(record, 0, frozen);
    expect(runs).toEqual([{ kind: 'shown', first: 1, last: 1 }]);
    expect(gaps.length).toBeGreaterThan(0);
  });
});

describe('the lines of a projection', () => {
  it('are those of the output that they are numbered as, also where many are alike', async () => {
    const words = fc.constantFrom(
      '',
      '}',
      '  done',
      'step',
      'ERROR: it broke',
      'same line',
      'é🙂',
      '\x1b[31mred\x1b[0m',
    );
    const end = fc.constantFrom('\n', '\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(words, end), { minLength: 200, maxLength: 600 }),
        fc.constantFrom('auto', 'head_tail', 'tail', 'smart_summary'),
        async (lines, strategy) => {
          const spillway = openSpillway();
          const output = lines.map(([word, ending]) => word + ending).join('');
          const record = await stored(output, spillway, { strategy, inlineLimit: 600 });
          const frozen = await spillway.store.frozen(record.id, 'model');
          if (frozen === undefined) throw new Error('no projection');
          const origins = await readerOf(spillway).origins(record, frozen);
          const { text } = frozen.projection;
          const starts = lines.map(([word, ending]) => word + ending);
          const expected = split(output);
          let last = { line: 0, at: -1 };
          for (const { at, chars, line, char } of origins) {
            // Exactly these chars are stored, in that line.
            const own = text.slice(at, at + chars);
            expect(own).toBe(output.slice(char - 1, char - 1 + chars));
            expect(starts.slice(0, line - 1).join('').length).toBeLessThan(char);
            expect(starts.slice(0, line).join('').length).toBeGreaterThanOrEqual(char - 1 + chars);
            expect(line).toBeGreaterThanOrEqual(last.line);
            expect(at).toBeGreaterThan(last.at);
            last = { line, at };
          }
          const { runs } = await readerOf(spillway).view(record, 0, frozen);
          const numbered = new Set(origins.map((origin) => origin.line));
          // Lines at the ends of a run may share a row with a marker or with each other.
          for (const { kind, first, last: end } of runs)
            for (let line = first + 1; kind === 'shown' && line < end; line++)
              if (expected[line - 1] !== '') expect([line, numbered.has(line)]).toEqual([line, true]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('of several parts are told apart', async () => {
    const spillway = openSpillway();
    const many = (word: string) => Array.from({ length: 900 }, (_, i) => `${word} ${i + 1}\n`).join('');
    const answer = await spillway.process(COMMAND, {
      kind: 'exec',
      stdout: many('out'),
      stderr: many('err'),
    });
    const record = await spillway.sealed(answer);
    const frozen = record && (await spillway.store.frozen(record.id, 'model'));
    if (!frozen) throw new Error('no projection');
    const origins = await readerOf(spillway).origins(record, frozen);
    const parts = new Map(record.parts.map(({ index, name }) => [index, name]));
    const named = origins.map(
      ({ at, chars, part, line }) =>
        `${parts.get(part)} ${line} ${frozen.projection.text.slice(at, at + chars).trimEnd()}`,
    );
    expect(named.length).toBeGreaterThan(20);
    for (const line of named) expect(line).toMatch(/^std(out|err) (\d+) \1 \2$/);
    expect(new Set(named.map((line) => line.slice(0, 6)))).toEqual(new Set(['stdout', 'stderr']));
  });
});

describe('colours that go over line ends', () => {
  it('are those since the last reset, and none behind it', async () => {
    const spillway = openSpillway();
    const text = 'a\n\x1b[1;31mb\nc\n\x1b[4md\n\x1b[0;32me\nf\x1b[m\ng\n';
    const record = await stored(text, spillway);
    expect(await readerOf(spillway).stylesAt(record, 0, [1, 2, 3, 4, 5, 6, 7])).toEqual([
      '',
      '',
      '\x1b[1;31m',
      '\x1b[1;31m',
      '\x1b[1;31m\x1b[4m',
      '\x1b[32m',
      '',
    ]);
  });

  it('are found from anywhere in a large output', async () => {
    const spillway = openSpillway();
    const filler = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`).join('');
    const record = await stored(`${filler}\x1b[35mhere\nstill\n`, spillway);
    expect(await readerOf(spillway).stylesAt(record, 0, [40_001, 40_002, 20_000])).toEqual([
      '',
      '\x1b[35m',
      '',
    ]);
  });
});

describe('findings', () => {
  it('are the lines that tell of errors and warnings, with what was shown of them', async () => {
    const spillway = openSpillway();
    const lines = Array.from({ length: 400 }, (_, i) => `compiled module ${i}`);
    lines[99] = 'src/a.c:10:5: error: too few arguments to function';
    lines[199] = 'src/b.c:11:5: warning: unused variable x [-Wunused-variable]';
    const record = await stored(`${lines.join('\n')}\n`, spillway);
    const { errors, warnings } = await readerOf(spillway).findings(record, 0, (line) => line < 150);
    expect(errors).toEqual({ total: 1, shown: 1, lines: [100] });
    expect(warnings).toEqual({ total: 1, shown: 0, lines: [200] });
  });
});

describe('previews', () => {
  it('are what a projection under these settings would be, and freeze nothing', async () => {
    const events: string[] = [];
    const spillway = openSpillway({ onEvent: ({ type }) => events.push(type) });
    const record = await stored(Array.from({ length: 9_000 }, (_, i) => `line ${i}\n`).join(''), spillway);
    const before = await spillway.store.frozen(record.id, 'model');
    const noted = events.length;
    const settings = [{ strategy: 'tail' }, { strategy: 'head', inlineLimit: 1_000 }];
    const made = await readerOf(spillway).previews(record, settings);
    for (const [i, policy] of settings.entries())
      expect(made[i]?.record.projection.text).toBe((await spillway.preview(record, { policy })).text);
    expect(await spillway.store.frozen(record.id, 'model')).toEqual(before);
    expect(events.length).toBe(noted);
  });

  it('of a frozen projection under its own settings are the same text', async () => {
    const spillway = openSpillway();
    const text = Array.from({ length: 9_000 }, (_, i) => `line ${i}\n`).join('');
    const record = await stored(text, spillway, { strategy: 'tail', inlineLimit: 3_000 });
    const frozen = await spillway.store.frozen(record.id, 'model');
    if (frozen === undefined) throw new Error('no projection');
    const [again] = await readerOf(spillway).previews(record, [
      readerOf(spillway).settingsOf(record, frozen),
    ]);
    expect(again?.record.projection.text).toBe(frozen.projection.text);
  });
});

it('reading for people leaves the ledger as it is, also of what was retired', async () => {
  const spillway = openSpillway();
  const record = await stored('one\ntwo\n', spillway);
  await spillway.retire({ how: 'retire', scope: CALL.scope, ids: [record.id] });
  const { items } = await spillway.store.events({});
  expect((await linesOf(spillway, record, [{ first: 1, last: 9 }])).map(({ text }) => text)).toEqual([
    'one',
    'two',
  ]);
  expect(await found(spillway, record, { text: 'TWO' })).toEqual([2]);
  expect((await spillway.store.events({})).items).toEqual(items);
});

it('the beginning of a line ends before a character that does not fit whole, and nothing follows it', async () => {
  const spillway = openSpillway();
  const record = await stored(`abca🙂${'x'.repeat(140_000)}`, spillway);
  const [line] = await linesOf(spillway, record, [{ first: 1, last: 1 }], 5);
  expect(line).toEqual({ number: 1, text: 'abca', chars: 140_006 });
});
