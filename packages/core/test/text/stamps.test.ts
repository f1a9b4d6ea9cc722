/** A time stamp is found at the beginning of a line, and nothing else is taken for one. */
import { describe, expect, it } from 'vitest';
import { stampBytes } from '../../src/text/stamps.ts';

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
