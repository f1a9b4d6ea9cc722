/** Results that are themselves a requested range. */
import { describe, expect, it } from 'vitest';
import { requestedRange } from '../../src/capture/range.ts';
import { openSpillway } from '../opening.ts';

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('');

describe('a call that asks for a range', () => {
  it.each([
    [
      { path: 'a', start_line: 200, end_line: 400 },
      { path: 'a', start_line: 250, end_line: 400 },
    ],
    [
      { file_path: 'a', offset: 200, limit: 100 },
      { file_path: 'a', offset: 250, limit: 50 },
    ],
    [
      { path: 'a', lines: '200-400' },
      { path: 'a', lines: '250-400' },
    ],
    [
      { path: 'a', view_range: [200, -1] },
      { path: 'a', view_range: [250, -1] },
    ],
    [
      { artifact_id: 'art_1_abcd', chars: '1-5000' },
      { artifact_id: 'art_1_abcd', chars: '1001-5000' },
    ],
  ])('%j goes on with %j', (input, next) => {
    expect(requestedRange(input)?.next({ lines: 50, chars: 1_000 })).toEqual(next);
  });

  it.each([
    { path: 'a' },
    { path: 'a', offset: 0 },
    { query: 'x', offset: 20, limit: 10 },
    { path: 'a', limit: 10 },
    'text',
    null,
    ['path'],
  ])('is not %j', (input) => {
    expect(requestedRange(input)).toBeNull();
  });
});

describe('the result of such a call', () => {
  it('is shown from its start without a hole, names the next call, and has no handle', async () => {
    const spillway = openSpillway();
    const call = {
      tool: 'read_file',
      session: 's',
      scope: 's',
      input: { path: 'big.log', start_line: 5_000, end_line: 9_000 },
    };
    // An error further behind makes no hole.
    const text = numbered(5_000, 9_000).replace('line 8500', 'ERROR: cannot open the file');
    const { projection } = await spillway.process(call, { kind: 'text', text });
    const shown = [...projection.text.matchAll(/^line (\d+)$/gm)].map((match) => Number(match[1]));
    expect(shown).toEqual(Array.from({ length: shown.length }, (_, i) => 5_000 + i));
    const next = 5_000 + shown.length;
    expect(projection.text.split('\n')[0]).toBe(
      `[Showing the first ${(shown.length * 10).toLocaleString('en-US')} of ${text.length.toLocaleString('en-US')} chars of what was asked for. Next: read_file(path="big.log", start_line=${next}, end_line=9000)]`,
    );
    expect(projection.metadata).toMatchObject({
      artifact_id: null,
      was_truncated: true,
      strategy_used: 'paged',
    });
    expect(await spillway.sealed({ projection })).toMatchObject({ disclosed: false });
    expect(projection.text.length).toBeLessThanOrEqual(8_000);
    expect(projection.metadata.omitted).toHaveLength(1);
  });

  it('that fits is passed on as it is', async () => {
    const spillway = openSpillway();
    const call = { tool: 'read_file', session: 's', scope: 's', input: { path: 'a', lines: '3-5' } };
    expect((await spillway.process(call, { kind: 'text', text: numbered(3, 5) })).projection.text).toBe(
      numbered(3, 5),
    );
  });
});
