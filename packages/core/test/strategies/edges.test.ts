/**
 * Where beginnings stop and ends start, on every short text, against the rules said in terms of
 * strings.
 */
import { describe, expect, it } from 'vitest';
import { type Edge, fitHead, fitTail, type Run } from '../../src/strategies/edges.ts';

import { Ruler } from '../../src/text/ruler.ts';
import { encode, measure } from '../../src/text/utf8.ts';

const EDGES: readonly Edge[] = ['line', 'exact', 'word', 'whole_line'];
const START = { bytes: 0, chars: 0, breaks: 0 };

const runOf = (start: Run['start'], bytes: Uint8Array): Run => ({
  start,
  bytes,
  base: 0,
  ruler: new Ruler(bytes),
});

function* texts(alphabet: string, longest: number): Generator<string> {
  for (let length = 0; length <= longest; length++)
    for (let n = 0; n < alphabet.length ** length; n++)
      yield Array.from(
        { length },
        (_, i) => alphabet[Math.floor(n / alphabet.length ** i) % alphabet.length],
      ).join('');
}

function* cases() {
  for (const text of texts('a \n', 5))
    for (let chars = 0; chars <= text.length + 1; chars++)
      for (const lines of [0, 1, 2, 9])
        for (const slack of [0, 1, 3]) for (const edge of EDGES) yield { text, chars, lines, slack, edge };
}

/** Behind each char. */
const positions = (text: string): number[] => Array.from(text, (_, i) => i + 1);
const lineStarts = (text: string): number[] => positions(text).filter((at) => text[at - 1] === '\n');

function headEnd(text: string, room: { chars: number; lines: number }, edge: Edge, slack: number): number {
  const starts = lineStarts(text);
  const byLines = room.lines === 0 ? 0 : (starts[room.lines - 1] ?? text.length);
  const at = Math.min(room.chars, byLines, text.length);
  if (at === 0 || at === text.length || starts.includes(at)) return at;
  if (edge === 'whole_line') return starts.findLast((start) => start <= at) ?? 0;
  if (edge === 'exact') return at;
  const near = (offsets: readonly number[]) =>
    offsets.findLast((position) => position <= at && position > at - slack);
  const words = positions(text).filter((position) => text[position - 1] === ' ');
  return near(starts) ?? (edge === 'word' ? near(words) : undefined) ?? at;
}

function tailStart(text: string, room: { chars: number; lines: number }, edge: Edge, slack: number): number {
  if (room.chars <= 0 || room.lines <= 0) return text.length;
  const starts = lineStarts(text);
  const lines = starts.length + (text !== '' && !text.endsWith('\n') ? 1 : 0);
  const skipped = lines - room.lines;
  const at = Math.max(0, text.length - room.chars, skipped > 0 ? (starts[skipped - 1] ?? 0) : 0);
  if (at === 0 || at >= text.length || starts.includes(at)) return at;
  const next = starts.find((start) => start >= at && start < text.length);
  if (edge === 'whole_line') return next ?? text.length;
  return edge !== 'exact' && next !== undefined && next <= at + slack ? next : at;
}

function same(which: object, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) expect([which, found]).toEqual([which, wanted]);
}

describe('a beginning', () => {
  it('stops where its edge allows, within its chars and lines', () => {
    for (const { text, chars, lines, slack, edge } of cases()) {
      const end = headEnd(text, { chars, lines }, edge, slack);
      const kept = text.slice(0, end);
      const breaks = lineStarts(kept).length;
      const open = kept !== '' && !kept.endsWith('\n') ? 1 : 0;
      const found = fitHead(runOf(START, encode(text)), { chars, lines }, edge, slack);
      same({ text, chars, lines, slack, edge }, found, {
        bytes: end,
        chars: end,
        breaks,
        lines: breaks + open,
      });
    }
  });

  it('is counted in chars, and never stops inside a grapheme', () => {
    const run = runOf(START, encode('né👍🏽\nzz'));
    expect(fitHead(run, { chars: 3, lines: 9 }, 'exact', 0)).toEqual({
      bytes: 3,
      chars: 2,
      breaks: 0,
      lines: 1,
    });
    expect(fitHead(run, { chars: 6, lines: 9 }, 'exact', 0)).toEqual({
      bytes: 11,
      chars: 6,
      breaks: 0,
      lines: 1,
    });
    const wide = runOf(START, encode('é\nbbb'));
    expect([2, 3].map((slack) => fitHead(wide, { chars: 4, lines: 9 }, 'line', slack).bytes)).toEqual([5, 3]);
    expect(fitHead(run, { chars: 8, lines: 9 }, 'line', 4)).toEqual({
      bytes: 12,
      chars: 7,
      breaks: 1,
      lines: 1,
    });
  });
});

describe('an end', () => {
  it('starts where its edge allows, within its chars and lines, also where the beginning is no longer held', () => {
    for (const { text, chars, lines, slack, edge } of cases()) {
      const bytes = encode(text);
      const { illFormed, ...total } = measure(bytes);
      const start = tailStart(text, { chars, lines }, edge, slack);
      const breaks = lineStarts(text.slice(0, start)).length;
      const insideLine = start > 0 && start < text.length && text[start - 1] !== '\n';
      const wanted = { bytes: start, chars: start, breaks, insideLine };
      same(
        { text, chars, lines, slack, edge },
        fitTail(runOf(START, bytes), total, { chars, lines }, edge, slack),
        wanted,
      );
      // The same with two bytes before it that are not held, where they are not needed.
      const far = { bytes: total.bytes + 4, chars: total.chars + 3, breaks: total.breaks + 1 };
      const held = runOf({ bytes: 4, chars: 3, breaks: 1 }, bytes);
      if (chars > 0 && lines > 0 && chars <= text.length && start > 0) {
        const { insideLine: _, ...ordinal } = fitTail(held, far, { chars, lines }, edge, slack);
        same({ text, chars, lines, slack, edge, far: true }, ordinal, {
          bytes: start + 4,
          chars: start + 3,
          breaks: breaks + 1,
        });
      }
    }
  });

  it('is counted in chars, and never starts inside a grapheme', () => {
    const bytes = encode('zz\né👍🏽n');
    const { illFormed, ...total } = measure(bytes);
    const from = (chars: number) =>
      fitTail(runOf(START, bytes), total, { chars, lines: 9 }, 'exact', 0).bytes;
    expect([1, 2, 4, 5, 6, 7].map(from)).toEqual([13, 13, 13, 5, 3, 2]);
  });
});
