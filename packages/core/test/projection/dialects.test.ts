/**
 * Every sentence of every dialect, by itself: a model reads them, so each is pinned to the char.
 */
import { describe, expect, it } from 'vitest';
import type { Detail, Dialect, GapFacts, NoticeFacts } from '../../src/model/dialect.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { plain } from '../../src/wording/dialects/plain.ts';
import { spill } from '../../src/wording/dialects/spill.ts';
import { standard } from '../../src/wording/dialects/standard.ts';
import { countLookalikes } from '../../src/wording/lookalikes.ts';

const ID = 'art_1699234567_a1b2c3d4';
const FACTS: NoticeFacts = {
  artifact: ID,
  notStored: null,
  outcome: { status: 'ok' },
  complete: true,
  sourceTruncated: false,
  totalChars: 123_456,
  totalLines: 1_200,
  totalBytes: 130_000,
  shown: { chars: 3_000, ends: { first: 1_800, last: 1_200 } },
  nextCall: 'get_artifact(x)',
  insideLines: [],
  paged: false,
  unfit: null,
  fallback: null,
  savedPath: null,
  cardSummary: null,
  elidedChars: 0,
  lookalikes: 0,
  findings: null,
};
const GAP: GapFacts = {
  position: 'middle',
  lines: 1_100,
  chars: 120_456,
  following: 1_200,
  from: null,
  what: null,
};
const DETAILS: readonly Detail[] = ['full', 'short', 'least'];
const POSITIONS = ['start', 'middle', 'end', 'all'] as const;

function headers(dialect: Dialect, facts: Partial<NoticeFacts> = {}): string[] {
  return DETAILS.map((detail) => dialect.notice({ ...FACTS, ...facts }, detail));
}

describe('the standard notice', () => {
  it('tells what was found of errors and warnings, and how much of it is shown', () => {
    const tally = (lines: number, kinds: number, shown: number) => ({ lines, kinds, shown });
    const text = (findings: NoticeFacts['findings']) =>
      standard
        .notice({ ...FACTS, findings }, 'full')
        .split('\n')
        .at(-2);
    expect(text({ errors: tally(1_430, 12, 9), warnings: tally(1, 1, 0), sections: 7 })).toBe(
      '[Error lines: 9 of 1,430 shown, 12 kinds. Warning lines: 0 of 1 shown. Sections: 7.]',
    );
    expect(text({ errors: tally(0, 0, 0), warnings: tally(2, 2, 2), sections: 0 })).toBe(
      '[Warning lines: 2.]',
    );
    expect(text({ errors: tally(14, 12, 14), warnings: tally(0, 0, 0), sections: 0 })).toBe(
      '[Error lines: 14, 12 kinds.]',
    );
    const findings = { errors: tally(14, 12, 14), warnings: tally(0, 0, 0), sections: 0 };
    expect(standard.notice({ ...FACTS, findings, elidedChars: 779 }, 'full')).toContain(
      '\n[Error lines: 14, 12 kinds. Formatting left out: 779 chars.]\n',
    );
    expect(
      spill.notice(
        { ...FACTS, findings: { errors: tally(3, 1, 1), warnings: tally(0, 0, 0), sections: 1 } },
        'full',
      ),
    ).toContain('\n[Error lines: 1 of 3 shown, 1 kind. Sections: 1.]\n');
  });

  it('says less and less; handle and total stay', () => {
    expect(headers(standard)).toEqual([
      `[Showing 3,000 of 123,456 chars (1,200 lines). More: get_artifact(x)]\n`,
      '[Showing 3,000 of 123,456 chars. More: get_artifact(x)]\n',
      `[123,456 chars in all. Artifact: ${ID}]\n`,
    ]);
  });

  it('names the artifact where there is no call to name, and nothing where there is neither', () => {
    expect(headers(standard, { nextCall: null })).toEqual([
      `[Showing 3,000 of 123,456 chars (1,200 lines). Artifact: ${ID}]\n`,
      `[Showing 3,000 of 123,456 chars. Artifact: ${ID}]\n`,
      `[123,456 chars in all. Artifact: ${ID}]\n`,
    ]);
    expect(headers(standard, { nextCall: null, artifact: null, notStored: 'disk full' })).toEqual([
      '[Showing 3,000 of 123,456 chars (1,200 lines).]\n[Full output not stored (disk full): what is not shown cannot be fetched.]\n',
      '[Showing 3,000 of 123,456 chars.]\n[Full output not stored (disk full): what is not shown cannot be fetched.]\n',
      '[123,456 chars in all. Not stored.]\n',
    ]);
  });

  it('of the dialect for files says how much is shown of which end', () => {
    const shown = (ends: NoticeFacts['shown']['ends']) =>
      /Showing (.*) chars/.exec(spill.notice({ ...FACTS, shown: { chars: 3_000, ends } }, 'full'))?.[1];
    expect(shown(null)).toBe('3,000');
    expect(shown({ first: 0, last: 0 })).toBe('3,000');
    expect(shown({ first: 3_000, last: 0 })).toBe('first 3,000');
    expect(shown({ first: 0, last: 3_000 })).toBe('last 3,000');
    expect(shown({ first: 1, last: 2_999 })).toBe('first 1 and last 2,999');
  });

  it('adds a line for each thing worth knowing, where there is room', () => {
    const facts = {
      insideLines: [{ line: 1_001, from: null }],
      unfit: { line: 1_002, chars: 40_000, call: 'get_artifact(y)' },
      fallback: 'the JSON is malformed',
      sourceTruncated: true,
      elidedChars: 2_000,
      lookalikes: 3_000,
    };
    const more = [
      '[Line 1,002 is too long to be shown (40,000 chars). Read it: get_artifact(y)]\n',
      '[Shown as text: the JSON is malformed.]\n',
      '[The output had already been cut before it was recorded.]\n',
      '[Formatting left out: 2,000 chars.]\n',
      '[Lines below that look like this notice but came from the tool: 3,000.]\n',
    ].join('');
    expect(headers(standard, facts)).toEqual([
      `[Showing 3,000 of 123,456 chars (1,200 lines, cut inside line 1,001). More: get_artifact(x)]\n${more}`,
      `[Showing 3,000 of 123,456 chars. Cut inside line 1,001. More: get_artifact(x)]\n${more}`,
      `[123,456 chars in all. Cut inside line 1,001. Artifact: ${ID}]\n`,
    ]);
    expect(standard.notice({ ...FACTS, unfit: { line: 1, chars: 2, call: null } }, 'short')).toBe(
      '[Showing 3,000 of 123,456 chars. More: get_artifact(x)]\n[Line 1 is too long to be shown (2 chars).]\n',
    );
    expect(standard.notice({ ...FACTS, elidedChars: 1, lookalikes: 1 }, 'short').split('\n')).toHaveLength(4);
  });

  it('is a card with a summary where the output is large', () => {
    const cardSummary = `a summary ${'x'.repeat(100)}`;
    expect(headers(standard, { cardSummary, insideLines: [{ line: 7, from: null }] })).toEqual([
      `[Artifact: ${ID}] ${cardSummary.slice(0, 80)} (130 KB)\n[Showing 3,000 of 123,456 chars (1,200 lines, cut inside line 7). More: get_artifact(x)]\n`,
      `[Artifact: ${ID}] ${cardSummary.slice(0, 40)} (130 KB)\n[Showing 3,000 of 123,456 chars. Cut inside line 7. More: get_artifact(x)]\n`,
      `[Artifact: ${ID}] (123,456 chars) Cut inside line 7.\n`,
    ]);
    expect(headers(standard, { cardSummary, artifact: null, nextCall: null, totalLines: 1 })).toEqual([
      '[Showing 3,000 of 123,456 chars (1 line).]\n',
      '[Showing 3,000 of 123,456 chars.]\n',
      '[123,456 chars in all. Not stored.]\n',
    ]);
  });

  it('says which lines are cut inside, at every length', () => {
    const text = (lines: number[], from: string | null = null) =>
      headers(standard, { insideLines: lines.map((line) => ({ line, from })) });
    expect(text([3, 1_170])).toEqual([
      `[Showing 3,000 of 123,456 chars (1,200 lines, cut inside lines 3 and 1,170). More: get_artifact(x)]\n`,
      '[Showing 3,000 of 123,456 chars. Cut inside lines 3 and 1,170. More: get_artifact(x)]\n',
      `[123,456 chars in all. Cut inside lines 3 and 1,170. Artifact: ${ID}]\n`,
    ]);
    expect(text([3, 4, 5], 'stdout')[1]).toContain('. Cut inside 3 lines, first line 3 of stdout. ');
    expect(text([3, 4], 'stderr')[1]).toContain('. Cut inside lines 3 and 4 of stderr. ');
    expect(headers(spill, { insideLines: [{ line: 3, from: null }] })[0]).toContain(
      'Showing first 1,800 and last 1,200 chars below, cut inside line 3.]',
    );
    expect(headers(standard, { paged: true, insideLines: [{ line: 3, from: null }] })[0]).toBe(
      '[Showing the first 3,000 of 123,456 chars of what was asked for. Cut inside line 3. Next: get_artifact(x)]\n',
    );
  });

  it('of a text of which only formatting is missing says so, and that nothing was cut', () => {
    const facts = {
      uncut: true,
      elidedChars: 456,
      nextCall: null,
      outcome: { status: 'error', exitCode: 2 },
    } as const;
    const text = `[Exit code 2. Formatting left out: 456 of 123,456 chars. Everything else is shown. Full output: ${ID}]\n`;
    expect(headers(standard, facts)).toEqual([text, text, text]);
    expect(headers(spill, facts)).toEqual([text, text, text]);
    expect(headers(standard, { ...facts, cardSummary: 'summary' })).toEqual([text, text, text]);
    expect(headers(standard, { ...facts, artifact: null, notStored: 'disk full' })).toEqual([
      '[Exit code 2. Formatting left out: 456 of 123,456 chars. Everything else is shown.]\n[Full output not stored (disk full): what is not shown cannot be fetched.]\n',
      '[Exit code 2. Formatting left out: 456 of 123,456 chars. Everything else is shown.]\n[Full output not stored (disk full): what is not shown cannot be fetched.]\n',
      '[Exit code 2. Formatting left out: 456 of 123,456 chars. Everything else is shown. Not stored.]\n',
    ]);
    expect(countLookalikes(text, standard)).toBe(1);
  });

  it('of a range that was asked for says how to go on', () => {
    const text =
      '[Exit code 3. Showing the first 3,000 of 123,456 chars of what was asked for. Next: get_artifact(x)]\n';
    const facts = { paged: true, outcome: { status: 'error', exitCode: 3 } } as const;
    expect(headers(standard, facts)).toEqual([text, text, text]);
    expect(headers(standard, { paged: true, nextCall: null })[0]).toBe(
      '[Showing the first 3,000 of 123,456 chars of what was asked for.]\n',
    );
  });
});

describe('how a call ended', () => {
  const outcomes: [Outcome, string][] = [
    [{ status: 'ok' }, ''],
    [{ status: 'ok', exitCode: 0 }, 'Exit code 0.'],
    [{ status: 'error' }, 'Failed.'],
    [{ status: 'error', exitCode: -1 }, 'Exit code -1.'],
    [{ status: 'error', exitCode: 1, signal: 'SIGTERM' }, 'Killed by SIGTERM.'],
    [{ status: 'timeout', signal: 'SIGKILL' }, 'Timed out.'],
    [{ status: 'cancelled', signal: 'SIGKILL' }, 'Cancelled.'],
    [{ status: 'crashed' }, 'Crashed.'],
    [{ status: 'crashed', exitCode: 2 }, 'Crashed.'],
  ];

  it('is said first in every notice, and whether it came to its end', () => {
    for (const [outcome, text] of outcomes) {
      const begins = text === '' ? '' : `${text} `;
      for (const header of headers(standard, { outcome })) expect(header.startsWith(`[${begins}`)).toBe(true);
      const incomplete = headers(standard, { outcome, complete: false });
      for (const header of incomplete) expect(header.startsWith(`[${begins}Output incomplete. `)).toBe(true);
    }
  });

  it('is said above a whole result unless it ended well or its host says so by itself', () => {
    expect(outcomes.map(([outcome]) => standard.status(outcome, true))).toEqual([
      '',
      '',
      '',
      '[Exit code -1.]\n',
      '[Killed by SIGTERM.]\n',
      '[Timed out.]\n',
      '[Cancelled.]\n',
      '[Crashed.]\n',
      '[Crashed.]\n',
    ]);
    expect(standard.status({ status: 'error', signal: 'SIGTERM' }, true)).toBe('[Killed by SIGTERM.]\n');
    expect(standard.status({ status: 'ok' }, false)).toBe('[Output incomplete.]\n');
    expect(standard.status({ status: 'error' }, false)).toBe('[Failed. Output incomplete.]\n');
  });

  it('tells the time it took, or the time that was up, but not with the least detail', () => {
    const timed: [Outcome, string, string][] = [
      [{ status: 'error', exitCode: 1, durationMs: 12_345 }, 'Exit code 1 after 12.3 s.', 'Exit code 1.'],
      [{ status: 'timeout', durationMs: 31_000, timeoutMs: 30_000 }, 'Timed out after 30 s.', 'Timed out.'],
      [{ status: 'timeout', durationMs: 31_000 }, 'Timed out after 31 s.', 'Timed out.'],
      [{ status: 'error', exitCode: 1, durationMs: -5 }, 'Exit code 1.', 'Exit code 1.'],
      [{ status: 'ok', durationMs: 12_345 }, '', ''],
    ];
    for (const [outcome, text, least] of timed) {
      const [full = '', short = '', shortest = ''] = headers(standard, { outcome });
      for (const header of [full, short]) expect(header.startsWith(`[${text}`)).toBe(true);
      expect(shortest.startsWith(`[${least === '' ? '' : `${least} `}123,456 chars`)).toBe(true);
    }
  });

  it('is all there is to say of an output without content', () => {
    expect(standard.empty({ status: 'ok' }, true)).toBe('[No output.]');
    expect(standard.empty({ status: 'error', exitCode: 2 }, false)).toBe(
      '[No output. Exit code 2. Output incomplete.]',
    );
  });
});

describe('labels, descriptors and collapsed parts', () => {
  it('are one line each', () => {
    const label = { name: 'stdout', lines: 1_000, chars: 2_000 };
    expect(DETAILS.map((detail) => standard.label(label, detail))).toEqual([
      '[stdout: 2,000 chars, 1,000 lines]\n',
      '[stdout]\n',
      '[stdout]\n',
    ]);
    expect(standard.descriptor({ mediaType: 'image/png', bytes: 2_048, hash: '0123456789abcdef' })).toBe(
      '[image/png, 2,048 bytes, sha256 0123456789ab]',
    );
    expect(standard.collapsed({ parts: 1_000, lines: 2_000, chars: 3_000 })).toBe(
      '... [1,000 parts: 2,000 lines / 3,000 chars omitted] ...\n',
    );
  });
});

describe('markers', () => {
  const all = (dialect: Dialect, facts: Partial<GapFacts> = {}, detail: Detail = 'full') =>
    POSITIONS.map((position) => dialect.marker({ ...GAP, position, ...facts }, detail));

  it('of the standard dialect tell lines and chars, at the beginning, between, at the end and alone', () => {
    expect(all(standard)).toEqual([
      '... [Beginning omitted: 1,100 lines / 120,456 chars] ...\n',
      '\n... [1,100 lines / 120,456 chars omitted] ...\n',
      '\n... [Remainder omitted: 1,100 lines / 120,456 chars] ...',
      '... [1,100 lines / 120,456 chars omitted] ...\n',
    ]);
    expect(all(standard, { from: 'stdout' })).toEqual([
      '... [Beginning omitted from stdout: 1,100 lines / 120,456 chars] ...\n',
      '\n... [1,100 lines / 120,456 chars omitted from stdout] ...\n',
      '\n... [Remainder omitted from stdout: 1,100 lines / 120,456 chars] ...',
      '... [1,100 lines / 120,456 chars omitted from stdout] ...\n',
    ]);
    expect(all(standard, { from: 'stdout' }, 'least')).toEqual(all(standard));
    expect(all(standard, { from: 'stdout' }, 'short')).toEqual(all(standard, { from: 'stdout' }));
  });

  it('of the standard dialect tell where a gap is, unless it begins where the part does', () => {
    expect(all(standard, { address: '101-1200' })).toEqual([
      '... [Beginning omitted: 1,100 lines / 120,456 chars] ...\n',
      '\n... [1,100 lines / 120,456 chars omitted: 101-1200] ...\n',
      '\n... [Remainder omitted: 1,100 lines / 120,456 chars: 101-1200] ...',
      '... [1,100 lines / 120,456 chars omitted] ...\n',
    ]);
    const what = { unit: 'hit', count: 2, of: 'src/a.ts' } as const;
    const [, text = ''] = all(standard, { from: 'stdout', address: 'chars 108-9911', what });
    expect(text).toBe(
      '\n... [1,100 lines / 120,456 chars omitted from stdout: chars 108-9911, 2 hits in src/a.ts] ...\n',
    );
    expect(standard.readMarkers(text)).toEqual([
      { chars: 120_456, lines: 1_100, from: 'stdout', address: 'chars 108-9911', at: 1 },
    ]);
    expect(all(standard, { address: '101-1200' }, 'least')).toEqual(all(standard));
    for (const dialect of [plain, spill]) expect(all(dialect, { address: '1-2' })).toEqual(all(dialect));
  });

  it('of the plain dialect tell chars', () => {
    expect(all(plain)).toEqual([
      '... (120,456 chars truncated)\n',
      '\n\n... (120,456 chars truncated) ...\n\n',
      '\n... (120,456 chars truncated)',
      '... (120,456 chars truncated)\n',
    ]);
    expect(all(plain, { from: 'stderr' }, 'short')[0]).toBe('... (120,456 chars truncated from stderr)\n');
    expect(all(plain, { from: 'stderr' }, 'least')).toEqual(all(plain));
    expect(plain.name).toBe('plain');
  });

  it('of the spill dialect announce the run that follows', () => {
    expect(all(spill)).toEqual([
      '... (120,456 characters truncated) ...\n\n[Last 1,200 chars below]\n',
      '\n\n... (120,456 characters truncated) ...\n\n[Last 1,200 chars below]\n',
      '\n\n... (120,456 characters truncated) ...',
      '... (120,456 characters truncated) ...\n',
    ]);
    expect(all(spill, { from: 'stderr' })[3]).toBe('... (120,456 characters truncated from stderr) ...\n');
    expect(all(spill, { from: 'stderr' }, 'least')).toEqual(all(spill));
    expect(spill.name).toBe('spill');
  });

  it('name the things that were left out, where there is room', () => {
    const text = (unit: 'hit' | 'entry' | 'file' | 'block', count: number, of?: string) =>
      standard.marker({ ...GAP, what: { unit, count, ...(of === undefined ? {} : { of }) } }, 'full').trim();
    expect(text('hit', 1_200)).toBe('... [1,100 lines / 120,456 chars omitted: 1,200 hits] ...');
    expect(text('hit', 1, 'src/a.ts')).toBe(
      '... [1,100 lines / 120,456 chars omitted: 1 hit in src/a.ts] ...',
    );
    expect(text('entry', 2, 'src')).toBe('... [1,100 lines / 120,456 chars omitted: 2 entries in src] ...');
    expect(text('entry', 1)).toBe('... [1,100 lines / 120,456 chars omitted: 1 entry] ...');
    expect(text('file', 2, 'a, b')).toBe('... [1,100 lines / 120,456 chars omitted: 2 files (a, b)] ...');
    expect(text('block', 3, 'f')).toBe('... [1,100 lines / 120,456 chars omitted: 3 blocks (f)] ...');
    const what = { unit: 'hit', count: 2 } as const;
    expect(all(standard, { what }, 'least')).toEqual(all(standard));
    expect(all(plain, { what })[0]).toBe('... (120,456 chars truncated: 2 hits)\n');
    expect(all(spill, { what })[3]).toBe('... (120,456 characters truncated: 2 hits) ...\n');
  });
});

describe('the spill notice', () => {
  it('names the file with the whole output, or the artifact', () => {
    expect(headers(spill, { savedPath: 'out.txt', outcome: { status: 'error', exitCode: 1 } })).toEqual([
      `[Exit code 1. Output truncated: 120,456 of 123,456 chars hidden, full output saved to out.txt (${ID}). Use a read tool or rg to get details. Showing first 1,800 and last 1,200 chars below.]\n[More: get_artifact(x)]\n\n`,
      `[Exit code 1. Output truncated: 120,456 of 123,456 chars hidden, full output saved to out.txt (${ID}). Showing first 1,800 and last 1,200 chars below.]\n\n`,
      `[Exit code 1. 123,456 chars in all. Artifact: ${ID}]\n`,
    ]);
    expect(headers(spill, { nextCall: null })[0]).toBe(
      `[Output truncated: 120,456 of 123,456 chars hidden, full output: ${ID}. Showing first 1,800 and last 1,200 chars below.]\n\n`,
    );
  });

  it('says what else is worth knowing', () => {
    expect(headers(spill, { sourceTruncated: true, lookalikes: 1 })[1]).toBe(
      `[Output truncated: 120,456 of 123,456 chars hidden, full output: ${ID}. Showing first 1,800 and last 1,200 chars below.]\n[The output had already been cut before it was recorded.]\n[Lines below that look like this notice but came from the tool: 1.]\n\n`,
    );
  });

  it('is the standard one where nothing was stored, for ranges, and where there is least room', () => {
    for (const facts of [{ notStored: 'disk full', artifact: null }, { paged: true }] as const)
      expect(headers(spill, { ...facts, cardSummary: 'summary' })).toEqual(headers(standard, facts));
    expect(headers(spill, { cardSummary: 'summary' })[2]).toBe(headers(standard)[2]);
  });
});
