/** A strategy is dropped while a text streams by only if `auto` cannot choose it in the end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentKind } from '../../src/model/content.ts';
import type { Piece } from '../../src/model/piece.ts';
import type { Selector, Strategy } from '../../src/model/strategy.ts';
import { DEFAULT_POLICY } from '../../src/policy/resolve.ts';
import { AutoSelector } from '../../src/strategies/auto/auto-selector.ts';
import { decide } from '../../src/strategies/auto/decide.ts';
import { isPossible } from '../../src/strategies/auto/possible.ts';
import { DocumentRoom } from '../../src/strategies/deferred.ts';

const kinds = fc.array(
  fc.constantFrom<ContentKind>('text', 'log', 'test', 'code', 'prose', 'csv', 'listing', 'diff', 'json'),
  { minLength: 1, maxLength: 8 },
);
const errors = fc.record({ any: fc.boolean(), sure: fc.boolean() });
const call = fc.record({ isFile: fc.boolean(), isCommand: fc.boolean(), isSearch: fc.boolean() });
const end = fc.record({
  element: fc.constantFrom('valid document', 'lines', null),
  failed: fc.boolean(),
  standsOut: fc.boolean(),
});

describe('what auto may still decide', () => {
  it('includes what it decides in the end, whatever follows', () => {
    fc.assert(
      fc.property(call, kinds, kinds, errors, errors, end, (made, first, later, before, behind, ended) => {
        const all = [...first, ...later];
        const { choice } = decide({
          ...made,
          kinds: all,
          element: ended.element,
          failed: ended.failed,
          hasErrors: (evidence) => before[evidence] || behind[evidence],
          standsOut: () => ended.standsOut,
        });
        const soFar = { ...made, kinds: first, hasErrors: before };
        if (choice !== 'element') expect(isPossible(choice, soFar)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a strategy that cannot be chosen any more', () => {
  const run = (
    kindAt: ContentKind | ((sample: number) => ContentKind),
    isFile: boolean,
    tellsErrors: boolean,
    { pieces = 4, isCommand = !isFile } = {},
  ) => {
    let samples = 0;
    const pushed = new Map<string, number>();
    const released: string[] = [];
    const strategy = (name: string): Strategy => ({
      name,
      start: (): Selector => ({
        push: () => pushed.set(name, (pushed.get(name) ?? 0) + 1),
        select: () => [],
        bytes: () => new Uint8Array(0),
        hasErrors: () => tellsErrors,
        hasErrorsAlready: () => tellsErrors,
        release: () => released.push(name),
      }),
    });
    const auto = new AutoSelector({
      room: new DocumentRoom(),
      start: (each) => each.start(DEFAULT_POLICY, 1_000),
      detect: () => ({ kind: typeof kindAt === 'string' ? kindAt : kindAt(samples++) }),
      candidates: () => ({
        ...{ smart: strategy('smart'), reading: strategy('reading') },
        ...{ plain: strategy('plain'), plainFailed: strategy('plainFailed') },
      }),
      call: { isFile, isCommand, isSearch: false },
      reachChars: 1_000,
    });
    for (let at = 0; at < pieces; at++) auto.push(pieceAt(at));
    auto.select({ chars: 1_000, lines: 100, gap: { chars: 40, lines: 1 } });
    return { pushed: Object.fromEntries(pushed), released: released.sort(), decided: auto.decidedBy };
  };

  it('sees no more of a command that tells of errors: only a summary does', () => {
    expect(run('prose', false, true)).toEqual({
      pushed: { smart: 4, reading: 3, plain: 3, plainFailed: 3 },
      released: ['plain', 'plainFailed', 'reading'],
      decided: 'smart',
    });
  });

  it('sees no more of a file that is no log: only reading does', () => {
    expect(run('csv', true, true)).toEqual({
      pushed: { reading: 4, smart: 3, plain: 3, plainFailed: 3 },
      released: ['plain', 'plainFailed', 'smart'],
      decided: 'reading',
    });
  });

  it('sees no more of a text half of whose samples are of a log: it is not read', () => {
    // Samples lie at distances that double: the tenth, from where on half of them are, at 4 MB.
    const kindAt = (sample: number) => (sample < 5 ? 'code' : 'log');
    const { pushed, decided } = run(kindAt, false, false, { pieces: 80, isCommand: false });
    expect(pushed).toEqual({ reading: 64, smart: 80, plain: 80, plainFailed: 80 });
    expect(decided).toBe('smart');
  });

  it('sees everything as long as it may be chosen', () => {
    expect(run('prose', false, false)).toEqual({
      pushed: { smart: 4, reading: 4, plain: 4, plainFailed: 4 },
      released: [],
      decided: 'reading',
    });
  });
});

/** The next 64 KB of a text. */
function pieceAt(at: number): Piece {
  const size = 65_536;
  const bytes = new Uint8Array(Buffer.alloc(size, 'a line\n'));
  const extent = { bytes: size, chars: size, breaks: 1 };
  const start = { bytes: at * size, chars: at * size, breaks: at };
  return { bytes, start, extent, illFormed: 0 } as Piece;
}
