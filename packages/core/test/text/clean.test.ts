/** Formatting is found where it is, and nothing else is taken for it. */
import { describe, expect, it } from 'vitest';
import { formattingIn, stampBytes } from '../../src/text/clean.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const stamp = (line: string) => stampBytes(bytes(line), 0, bytes(line).length);

describe('a time stamp', () => {
  it.each([
    ['2026-01-31T10:00:00Z done', 21],
    ['2026-01-31T10:00:00.1234567Z done', 29],
    ['2026-01-31 10:00:00,123 done', 24],
    ['2026-01-31 10:00:00 done', 20],
    ['2026-01-31T10:00:00+01:00 done', 26],
    ['[2026-01-31T10:00:00Z] done', 23],
    ['  2026-01-31 10:00:00 done', 22],
    ['[    1.234567] usb 1-1', 15],
    ['10:00:00 done', 9],
    ['[10:00:00.5] done', 13],
  ])('stands before %j', (line, length) => {
    expect(stamp(line)).toBe(length);
  });

  it.each([
    '2026-01-31 is a day',
    '12 files',
    '[info] x',
    'at 10:00:00',
    '',
    '2026-1-31T10:00:00Z x',
    '2026-01-31T10:00:0xZ x',
  ])('is not seen in %j', (line) => {
    expect(stamp(line)).toBe(0);
  });
});

describe('formatting', () => {
  const ranges = (text: string, stamps: boolean, lineStart = true) =>
    formattingIn(bytes(text), { stamps, lineStart }).map(({ from, to, why }) => [text.slice(from, to), why]);

  it('is every escape, and the stamp of each line that begins here', () => {
    const text = '10:00:00 a\u001b[31mb\u001b[0m\r\n10:00:01 \u001b]0;title\u0007c\r10:00:02 d';
    expect(ranges(text, true)).toEqual([
      ['10:00:00 ', 'timestamp'],
      ['\u001b[31m', 'ansi'],
      ['\u001b[0m', 'ansi'],
      ['10:00:01 ', 'timestamp'],
      ['\u001b]0;title\u0007', 'ansi'],
      ['10:00:02 ', 'timestamp'],
    ]);
    expect(ranges(text, true, false)[0]).toEqual(['\u001b[31m', 'ansi']);
    expect(ranges(text, false)).toHaveLength(3);
  });
});
