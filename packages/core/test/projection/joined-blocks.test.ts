/** Ten content blocks or more are judged as one text, and shown block by block. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore, Spillway } from '../../src/index.ts';

const CALL = { tool: 'run', session: 's', scope: 'x' };
const ERROR = 'ERROR: cannot open the database: disk I/O error';

const quiet = (block: number, line: number) => `block ${block} line ${line}: stored without any trouble`;

function textsOf(count: number, bad: number): string[] {
  return Array.from({ length: count }, (_, block) => {
    const lines = Array.from({ length: 40 }, (_, line) =>
      block === bad && line === 17 ? ERROR : quiet(block, line),
    );
    return lines.join('\n') + (block % 2 === 0 ? '\n' : '');
  });
}

async function projected(texts: readonly string[]) {
  const spillway = new Spillway({ store: memoryStore() });
  const blocks = texts.map((text) => ({ type: 'text' as const, text }));
  const { projection } = await spillway.process(CALL, { kind: 'blocks', blocks });
  return { spillway, ...projection };
}

describe('many blocks', () => {
  it.each([10, 20, 300, 1_500])('keep the error in one of %i as one text would', async (count) => {
    const { text, metadata } = await projected(textsOf(count, Math.floor(count / 3)));
    expect(text).toContain(`\n${ERROR}\n`);
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(metadata).toMatchObject({ strategy_used: 'smart_summary', original_lines: count * 40 });
  });

  it('tell at each gap which block it lies in, and count together those of which nothing is shown', async () => {
    const { text, blocks } = await projected(textsOf(20, 6));
    const markers = text.match(/^\.\.\. \[.*\] \.\.\.$/gm) ?? [];
    expect(markers[0]).toMatch(
      /^\.\.\. \[Remainder omitted from part 1\/20: \d+ lines \/ [\d,]+ chars: \d+-40\]/,
    );
    expect(markers).toContainEqual(
      expect.stringMatching(/^\.\.\. \[\d parts: [\d,]+ lines \/ [\d,]+ chars omitted\] \.\.\.$/),
    );
    expect(markers).toContainEqual(expect.stringMatching(/ omitted from part 7\/20: .*\b\d+-40\] \.\.\.$/));
    expect(blocks.map((block) => (block.type === 'text' ? block.part : -1))).toContain(6);
  });

  it('add up exactly, block by block, and every gap leads back to its text', async () => {
    const line = fc.oneof(
      fc.constantFrom('', 'a', ERROR, 'warning: é 😀', '\u001b[31mred\u001b[0m', 'x'.repeat(200)),
      fc.string({ maxLength: 60 }),
    );
    const block = fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 10, maxLength: 60 }), async (texts) => {
        const { metadata, spillway, text } = await projected(texts);
        if (!metadata.was_truncated) return;
        const record = (await spillway.store.list({ scope: 'x', show: 'all' })).items[0];
        if (record === undefined) throw new Error('it was not stored');
        const lines = record.parts.reduce((all, part) => all + part.lines, 0);
        expect(metadata.original_lines).toBe(lines);
        for (const gap of metadata.omitted.filter(({ part, last_part }) => part === last_part)) {
          const whole = texts[gap.part] ?? '';
          const omitted = whole.toWellFormed().slice(gap.first_char - 1, gap.last_char);
          expect(omitted).toHaveLength(gap.chars);
          const bytes = Buffer.from(whole.toWellFormed()).subarray(gap.bytes.start, gap.bytes.end);
          expect(bytes.toString()).toBe(omitted);
        }
        const again = await spillway.preview({ scope: 'x', id: record.id });
        expect(again.text).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});
