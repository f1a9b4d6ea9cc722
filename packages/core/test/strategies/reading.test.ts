/** What `reading` shows of files and reports, and that it is a selection like any other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../src/model/selection.ts';
import type { SelectionContext, Share } from '../../src/model/strategy.ts';
import { anyText } from '../arbitraries.ts';
import { openSpillway } from '../opening.ts';
import { selectedFrom } from '../part-text.ts';

const GAP = { chars: 40, lines: 2 };

/** What is selected of a text that arrives in chunks. */
function selected(
  text: string,
  share: Partial<Share>,
  context: SelectionContext = {},
  cuts: readonly number[] = [],
) {
  const { isFile = false, input, about } = context;
  const call = { tool: isFile ? 'read_file' : 'search', input: input ?? { path: 'a.js' }, about };
  const policy = { strategy: 'reading', inlineLimit: 4_000, clean: 'never' } as const;
  const { selection, texts } = selectedFrom(
    text,
    { chars: 2_000, gap: GAP, ...share },
    { call, policy, cuts },
  );
  return { segments: selection, shown: texts.filter((each) => each !== '') };
}

/** A file of functions; the one in the middle is the only one with a name of its own. */
function fileWith(middle: string): string {
  const one = (i: number) =>
    `function step(value) {\n  const result = value + ${i};\n  return result;\n}\n\n`;
  const many = Array.from({ length: 60 }, (_, i) => one(i));
  return [
    '// Steps of the pipeline.\n\n',
    ...many.slice(0, 30),
    middle,
    ...many.slice(30),
    'export { step };\n',
  ].join('');
}

const OWN =
  'function retryWithBackoff(requestOptions) {\n  return openConnection(requestOptions, maxAttempts);\n}\n\n';

describe('reading', () => {
  it('shows both ends and the block in the middle that brings new names', () => {
    const { shown } = selected(fileWith(OWN), { chars: 1_200 }, { isFile: true });
    const text = shown.join('');
    expect(text.startsWith('// Steps of the pipeline.\n')).toBe(true);
    expect(text.endsWith('export { step };\n')).toBe(true);
    expect(text).toContain(OWN);
  });

  it('shows blocks of a file whole, up to a blank line', () => {
    const { shown } = selected(fileWith(OWN), { chars: 1_200 }, { isFile: true });
    for (const run of shown) expect(run).toMatch(/^(?:\/\/ |function |export )[\s\S]*\n$/);
  });

  it('knows blank lines behind line numbers', () => {
    const numbered = fileWith(OWN)
      .split('\n')
      .map((line, i) => `${String(i + 1).padStart(6)}→${line}`)
      .join('\n');
    const { shown } = selected(numbered, { chars: 1_600 }, { isFile: true });
    expect(shown.some((run) => /^ +\d+→function retryWithBackoff[\s\S]*→\}\n/.test(run))).toBe(true);
  });

  it('shows what the call asks for before what it does not', () => {
    const blocks = Array.from({ length: 200 }, (_, i) => `Paragraph ${i} speaks of plain matters.\n`);
    blocks[120] = 'Paragraph 120 speaks of the invoice ledger.\n';
    const asked = { about: { lastMessage: 'Where are invoices written?' } };
    expect(selected(blocks.join(''), { chars: 600 }, asked).shown.join('')).toContain('invoice ledger');
    const input = { input: { pattern: 'invoice' } };
    expect(selected(blocks.join(''), { chars: 600 }, input).shown.join('')).toContain('invoice ledger');
  });

  it('shows the block with a name that the agent wrote, also where all names have the same parts', () => {
    const block = (i: number) =>
      `def compute_rate_${i}(account):\n    total = account.total\n    return total * ${i}\n\n`;
    const file = Array.from({ length: 80 }, (_, i) => block(i)).join('');
    const about = { lastMessage: 'Next I change compute_rate_47.' };
    const { shown } = selected(file, { chars: 1_000 }, { isFile: true, about });
    expect(shown.join('')).toContain(block(47));
  });

  it('shows the headings of a document before its paragraphs', () => {
    const section = (i: number) =>
      `## Part ${i}\n\n${'The ledger moves every parcel to another harbor. '.repeat(6)}\n\n`;
    const file = Array.from({ length: 12 }, (_, i) => section(i)).join('');
    const { shown } = selected(file, { chars: 2_000 }, { isFile: true });
    for (let i = 0; i < 12; i++) expect(shown.join('')).toContain(`## Part ${i}\n`);
  });

  it('finds new names anywhere in a text that is far larger than what it remembers', () => {
    const filler = 'The quick brown foxes jumped over the lazy dogs again.\n'.repeat(20_000);
    const { shown } = selected(`${filler}const uniqueFactoryName = makeFactory();\n${filler}`, {
      chars: 1_000,
    });
    expect(shown.join('')).toContain('uniqueFactoryName');
  });

  it('cuts a giant line where a list item ends', () => {
    const items = Array.from({ length: 2_000 }, (_, i) => `"entry_${i}": ${i}`).join(', ');
    const { segments, shown } = selected(items, {});
    expect(segments.length).toBeGreaterThan(2);
    for (const run of shown.slice(0, -1)) expect(run).toMatch(/[ ,]$/);
  });

  it('is within its share, markers included, and covers the part exactly', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 100, max: 4_000 }),
        fc.integer({ min: 8, max: 60 }),
        fc.boolean(),
        (text, chars, lines, isFile) => {
          const { segments } = selected(text, { chars, lines }, { isFile });
          expect(charsOf(segments)).toBeLessThanOrEqual(Math.max(chars, GAP.chars));
          let at = 0;
          for (const { start, end } of segments) {
            expect(start).toBe(at);
            at = end;
          }
          expect(at).toBe(Buffer.byteLength(text));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('selects the same whatever the chunks', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(fc.nat(20_000), { maxLength: 40 }),
        fc.boolean(),
        (text, cuts, isFile) => {
          const whole = selected(text, { chars: 700 }, { isFile });
          expect(selected(text, { chars: 700 }, { isFile }, cuts)).toEqual(whole);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('can be named, and says so', async () => {
    const spillway = openSpillway();
    const { projection } = await spillway.process(
      { tool: 'read_file', session: 's', scope: 's', input: { path: 'steps.js' } },
      { kind: 'text', text: fileWith(OWN) },
      { policy: { strategy: 'reading', inlineLimit: 1_500 } },
    );
    expect(projection.metadata.strategy_used).toBe('reading');
    expect(projection.text).toContain(OWN);
    expect(projection.text.length).toBeLessThanOrEqual(1_500);
  });
});

function charsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { kind, chars }) => sum + (kind === 'keep' ? chars : GAP.chars), 0);
}
