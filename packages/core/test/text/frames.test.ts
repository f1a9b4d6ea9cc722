/** The quick way through lines that were drawn once, and what frames look like. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlsIn } from '../../src/text/byte-scan.ts';
import { type FormattingRange, formattingIn, type Line, leaveOutEscapes } from '../../src/text/frames.ts';

function lineOf(text: string): Line {
  const bytes = Buffer.from(text);
  const to = bytes.length;
  const controls = controlsIn(bytes, to);
  const all = { controls, first: 0, last: controls.length };
  return { bytes, from: 0, to, seenTo: to, drawsOver: true, continues: null, ...all };
}

function escapesOf(line: Line): FormattingRange[] | null {
  const ranges: FormattingRange[] = [];
  return leaveOutEscapes(line, { leaveOut: (from, to) => ranges.push({ from, to }) }) ? ranges : null;
}

/** What is left of a line. */
function cleaned(text: string): string {
  const line = lineOf(text);
  let left = '';
  let at = 0;
  for (const { from, to } of formattingIn(line)) {
    left += Buffer.from(line.bytes.subarray(at, from)).toString();
    at = to;
  }
  return left + Buffer.from(line.bytes.subarray(at)).toString();
}

const parts = fc.constantFrom(
  ...[
    'a',
    'é',
    ' ',
    '\x1b[31m',
    '\x1b[0m',
    '\x1b]0;title\x07',
    '\x1b',
    '\x1b[',
    '\r',
    '\x1b[K',
    '\x1b[2K',
    '\x1b[0G',
  ],
);

describe('a line that was drawn once', () => {
  it('loses the same sequences whether or not frames are looked for', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', ''), (all, end) => {
        const line = lineOf(`${all.join('')}${end}`);
        const escapes = escapesOf(line);
        if (escapes !== null) expect(escapes).toEqual(formattingIn(line));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is told from one with frames', () => {
    expect(escapesOf(lineOf('\x1b[1mbold\x1b[0m\r\n'))).toEqual([
      { from: 0, to: 4 },
      { from: 8, to: 12 },
    ]);
    expect(escapesOf(lineOf('10 %\r20 %\n'))).toBeNull();
    expect(escapesOf(lineOf('10 %\x1b[0G20 %\n'))).toBeNull();
  });
});

describe('a frame that was drawn over', () => {
  it('goes if the next one looks like it apart from numbers and bars', () => {
    expect(cleaned('Loading ███░░ 10 %\rLoading █████ 20 %\n')).toBe('Loading █████ 20 %\n');
    expect(cleaned('10 %\r20 %\n')).toBe('20 %\n');
    expect(cleaned('⠋ build\r⠙ build\n')).toBe('⠙ build\n');
  });

  it('stays if the next one has other letters, nothing to compare or is hardly there', () => {
    for (const text of ['Loading 10 %\rDone 20 %\n', '--- \r+++ \n', 'ab\rab\n', 'text\r\r\n', '\r\r\n'])
      expect(cleaned(text)).toBe(text);
  });

  it('goes if it was erased, unless it speaks of a failure', () => {
    expect(cleaned('Compiling x\r\x1b[2KDone\n')).toBe('Done\n');
    expect(cleaned('error: no disk\r\x1b[2KDone\n')).toBe('error: no disk\rDone\n');
  });
});
