// Which strategies see a part, and from when on. A document is held while its grammar alone reads
// it; whoever is asked later has missed nothing.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { Piece } from '../../src/model/piece.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { DEFAULT_POLICY } from '../../src/policy/resolve.ts';
import { Contest, HOLD_BYTES } from '../../src/strategies/auto/contest.ts';
import { DeferredSelector, DOCUMENT_BYTES, DocumentRoom } from '../../src/strategies/deferred.ts';

const PIECE = 65_536;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function piece(at: number): Piece {
  const extent = { bytes: PIECE, chars: PIECE, breaks: 0 };
  const start = { bytes: at * PIECE, chars: at * PIECE, breaks: 0 };
  return { bytes: new Uint8Array(PIECE), start, extent, illFormed: 0 } as Piece;
}

/** Notes the pieces that each strategy is given, in order. */
function contesting(document: 'grammar' | 'none', room = new DocumentRoom()) {
  const given: Record<string, number[]> = {};
  const strategy = (name: string): Strategy => ({
    name,
    start: () => {
      const seen: number[] = [];
      given[name] = seen;
      return {
        push: ({ start }) => seen.push(start.bytes / PIECE),
        select: () => [],
        bytes: () => new Uint8Array(0),
      };
    },
  });
  const [grammar, text] = [strategy('grammar'), strategy('text')];
  const contest = new Contest<string>({
    start: (each) => each.start(DEFAULT_POLICY, 1_000),
    begin: () => [
      ['text', text],
      ['grammar', grammar],
    ],
    document: () => (document === 'grammar' ? ['grammar', grammar] : undefined),
    room,
  });
  const push = (count: number) => {
    for (let at = 0; at < count; at++) contest.push(piece(at));
  };
  return { contest, given, push, text, grammar };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('a part that is too long to be held', () => {
  it('is seen by all strategies from its beginning', () => {
    const { contest, given, push } = contesting('none');
    push(5);
    expect(given).toEqual({ text: upTo(5), grammar: upTo(5) });
    expect(contest.held).toEqual([]);
  });

  it('is seen by its grammar alone if it looks like a document', () => {
    const { contest, given, push, grammar } = contesting('grammar');
    push(40);
    expect(contest.get('grammar', grammar)).not.toBeNull();
    expect(given).toEqual({ grammar: upTo(40) });
    expect(contest.holdsAll).toBe(false);
  });

  it('is given to the others from its beginning once one of them is asked', () => {
    const { contest, given, push, text } = contesting('grammar');
    push(40);
    expect(contest.get('text', text)).not.toBeNull();
    expect(given).toEqual({ grammar: upTo(40), text: upTo(40) });
    expect(contest.held).toEqual([]);
  });

  it('is not held beyond the size of a document', () => {
    const { contest, given, push } = contesting('grammar');
    const most = DOCUMENT_BYTES / PIECE;
    push(most);
    expect([contest.held.length, given.text]).toEqual([most, undefined]);
    contest.push(piece(most));
    expect([contest.held.length, given.text]).toEqual([0, upTo(most + 1)]);
  });
});

describe('documents that stream by at the same time', () => {
  it('share their room: who finds none left is seen by all at once', () => {
    const room = new DocumentRoom();
    const held = upTo(4).map(() => contesting('grammar', room));
    for (const { push } of held) push(DOCUMENT_BYTES / PIECE);
    const late = contesting('grammar', room);
    late.push(40);
    expect(late.given).toEqual({ grammar: upTo(40), text: upTo(40) });
    held[0]?.contest.letGo();
    expect(held[0]?.contest.held).toEqual([]);
    const next = contesting('grammar', room);
    next.push(40);
    expect(next.given).toEqual({ grammar: upTo(40) });
  });

  it('give back what they took when they are given up and collected', async () => {
    const room = new DocumentRoom();
    // In a function of its own: nothing here holds on to them.
    (() => {
      for (const { push } of upTo(4).map(() => contesting('grammar', room))) push(DOCUMENT_BYTES / PIECE);
    })();
    await vi.waitFor(
      () => {
        collectGarbage();
        const next = contesting('grammar', room);
        next.push(40);
        expect(next.given).toEqual({ grammar: upTo(40) });
      },
      { timeout: 20_000, interval: 20 },
    );
  });
});

describe('a short part', () => {
  it('starts only who is asked', () => {
    const { contest, given, push, text } = contesting('grammar');
    push(HOLD_BYTES / PIECE);
    expect(given).toEqual({});
    contest.get('text', text);
    expect(given).toEqual({ text: upTo(2) });
  });
});

describe('a deferred strategy', () => {
  const deferring = (room = new DocumentRoom()) => {
    const seen: number[] = [];
    const selector = new DeferredSelector(
      () => ({
        push: ({ start }) => seen.push(start.bytes / PIECE),
        select: () => [],
        bytes: () => new Uint8Array(0),
      }),
      room,
    );
    return { selector, seen };
  };
  const share = (chars: number, lines: number) => ({ chars, lines, gap: { chars: 0, lines: 0 } });

  it('is begun when it is asked, and misses nothing', () => {
    const { selector, seen } = deferring();
    for (const at of upTo(3)) selector.push(piece(at));
    expect([selector.fits(share(3 * PIECE, 1)), selector.fits(share(3 * PIECE - 1, 1))]).toEqual([
      true,
      false,
    ]);
    expect(seen).toEqual([]);
    selector.select(share(10, 10));
    selector.push(piece(3));
    expect(seen).toEqual(upTo(4));
  });

  it('is begun on the way if the part is larger than documents are', () => {
    const { selector, seen } = deferring();
    const most = DOCUMENT_BYTES / PIECE;
    for (const at of upTo(most)) selector.push(piece(at));
    expect(seen).toEqual([]);
    selector.push(piece(most));
    expect(seen).toEqual(upTo(most + 1));
  });
});
