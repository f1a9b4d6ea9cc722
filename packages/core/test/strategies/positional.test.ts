import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shown } from '../opening.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

describe('head_tail', () => {
  it('splits the body 60 to 40 within 5 %', async () => {
    const { metadata } = await shown('x'.repeat(100_000), { artifactThreshold: 200_000 });
    const [gap] = metadata.omitted;
    const head = (gap?.first_char ?? 0) - 1;
    const body = metadata.original_size - (gap?.chars ?? 0);
    expect(Math.abs(head / body - 0.6)).toBeLessThan(0.05);
  });

  it('under the profile spill leaves 40,000 chars alone and of 40,001 shows exactly the first and the last 10,000', async () => {
    const spill = {
      strategy: 'head_tail',
      inlineLimit: 40_000,
      maxLines: 2_000,
      shown: 20_000,
      headRatio: 0.5,
      snap: 'exact',
      dialect: 'spill',
    } as const;
    const text = Array.from({ length: 40_001 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
    expect((await shown(text.slice(0, 40_000), spill)).metadata.was_truncated).toBe(false);
    const { text: cut, metadata } = await shown(text, spill);
    expect(metadata.omitted).toMatchObject([{ chars: 20_001, first_char: 10_001, last_char: 30_001 }]);
    expect(cut).toContain(
      `\n\n${text.slice(0, 10_000)}\n\n... (20,001 characters truncated) ...\n\n[Last 10,000 chars below]\n${text.slice(-10_000)}`,
    );
  });
});

describe('tail', () => {
  it('with max_lines and tail_lines shows lines 451 to 500 and says that 450 were left out', async () => {
    const { text, metadata } = await shown(numbered(500), {
      strategy: 'tail',
      inlineLimit: 1_000,
      maxLines: 60,
      tailLines: 50,
    });
    expect(metadata.omitted).toMatchObject([{ first_line: 1, last_line: 450, lines: 450 }]);
    expect(text).toContain('\n... [Beginning omitted: 450 lines / 3,942 chars] ...\nline 451\n');
    expect(text.endsWith('line 499\nline 500\n')).toBe(true);
  });

  it('of two long streams shows both labels, both ends and both counts within the budget', async () => {
    const { text } = await shown(
      {
        kind: 'exec',
        stdout: `${'o'.repeat(19_990)}END-OF-OUT`,
        stderr: `${'e'.repeat(19_990)}END-OF-ERR`,
        exitCode: 1,
      },
      { strategy: 'tail' },
    );
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(text).toMatch(
      /\[stdout: 20,000 chars, 1 line\]\n\.\.\. \[Beginning omitted from stdout: 0 lines \/ [\d,]+ chars\] \.\.\.\no+END-OF-OUT\n/,
    );
    expect(text).toMatch(
      /\[stderr: 20,000 chars, 1 line\]\n\.\.\. \[Beginning omitted from stderr: 0 lines \/ [\d,]+ chars\] \.\.\.\ne+END-OF-ERR$/,
    );
  });
});

describe('head', () => {
  it('shows the beginning and marks the rest', async () => {
    const { text } = await shown(numbered(5_000), { strategy: 'head', inlineLimit: 1_000 });
    expect(text).toMatch(/^\[Showing [\d,]+ of 48,893 chars .*\nline 1\nline 2\n/);
    expect(text).toMatch(/\n\.\.\. \[Remainder omitted: [\d,]+ lines \/ [\d,]+ chars: \d+-5000\] \.\.\.$/);
  });
});

describe('size_limit', () => {
  it('cuts back to a line end, else to a word end', async () => {
    const byLine = await shown(`${'word '.repeat(18)}\n${numbered(900)}`, {
      strategy: 'size_limit',
      inlineLimit: 2_000,
    });
    expect(byLine.text).toMatch(/\nline \d+\n\n\.\.\. \[Remainder/);
    const byWord = await shown('seventeen letters '.repeat(900), {
      strategy: 'size_limit',
      inlineLimit: 2_000,
    });
    expect(byWord.text).toMatch(/(?:seventeen|letters) \n\.\.\. \[Remainder/);
  });
});

describe('lines', () => {
  it('shows whole lines only', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 300, max: 3_000 }),
        async (lengths, inlineLimit) => {
          const text = lengths.map((length, i) => `${i}${'x'.repeat(length)}\n`).join('');
          const { metadata } = await shown(text, { strategy: 'lines', inlineLimit });
          for (const gap of metadata.omitted) {
            expect(gap.first_char === 1 || text[gap.first_char - 2] === '\n').toBe(true);
            expect(text[gap.last_char - 1]).toBe('\n');
            expect(gap.lines).toBe(gap.last_line - gap.first_line + 1);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('leaves out a line that does not fit, and names its length and the call that fetches it', async () => {
    const { text, metadata } = await shown(`${'x'.repeat(558_000)}\n`, { strategy: 'lines' });
    expect(text).toContain(
      `[Line 1 is too long to be shown (558,001 chars). Read it: get_artifact(artifact_id="${metadata.artifact_id}", chars="1-558001")]\n`,
    );
    expect(text.split('\n').slice(1).join('\n')).not.toContain('xxx');
    const between = await shown(`first\n${'y'.repeat(30_000)}\nlast\n`, { strategy: 'lines' });
    expect(between.text).toContain('[Line 2 is too long to be shown (30,001 chars).');
    expect(between.text).toContain('\nfirst\n\n... [1 line / 30,001 chars omitted: 2-2] ...\nlast\n');
  });
});

describe('none', () => {
  it('shows everything, whatever the limits', async () => {
    const text = numbered(20_000);
    expect((await shown(text, { strategy: 'none', maxLines: 10 })).text).toBe(text);
  });
});

describe('per_part_limit', () => {
  it('caps each stream even where the whole would fit', async () => {
    const { text, metadata } = await shown(
      { kind: 'exec', stdout: 'o'.repeat(9_000), stderr: '', exitCode: 0 },
      { strategy: 'tail', inlineLimit: 16_000, perPartLimit: 8_000, dialect: 'plain' },
    );
    expect(metadata.was_truncated).toBe(true);
    expect(text.length).toBeLessThan(8_300);
    expect(text).toMatch(/\n\.\.\. \([\d,]+ chars truncated from stdout\)\no+$/);
  });
});

describe('an interpreter', () => {
  it('has what it printed, its value and its error bounded each and together', async () => {
    const repl = {
      strategy: 'head_tail',
      headRatio: 0.5,
      inlineLimit: 16_000,
      perPartLimit: 8_000,
      dialect: 'plain',
    } as const;
    const { text } = await shown(
      {
        kind: 'repl',
        printed: 'p'.repeat(60_000),
        value: { rows: 'v'.repeat(60_000) },
        error: 'ValueError: no',
      },
      repl,
    );
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(text).toMatch(/^\[Artifact: .*\n\[Failed\. Showing [\d,]+ of 120,025 chars \(3 lines/);
    expect(text).toMatch(
      /\[printed: 60,000 chars, 1 line\]\np+\n\n\.\.\. \([\d,]+ chars truncated from printed\) \.\.\.\n\np+\n/,
    );
    expect(text).toMatch(
      /\[value: 60,011 chars, 1 line\]\n\{"rows":"v+\n\n\.\.\. \([\d,]+ chars truncated from value\) \.\.\.\n\nv+"\}\n/,
    );
    expect(text.endsWith('[error: 14 chars, 1 line]\nValueError: no')).toBe(true);
    expect((await shown({ kind: 'repl', printed: 'hi\n', value: 3 }, repl)).text).toBe(
      '[printed]\nhi\n[value]\n3',
    );
  });
});
