/**
 * A strategy of one's own: chosen by name, held to every cap, its gaps marked and fetched back like
 * any other.
 */
import type { Segment, Strategy } from '@spillway/core/plugin';
import { describe, expect, it } from 'vitest';
import { openSpillway } from '../opening.ts';

/** Keeps the middle of an ASCII text without line ends. */
const middle: Strategy = {
  name: 'middle',
  start() {
    const held: Uint8Array[] = [];
    const all = () => Buffer.concat(held);
    return {
      push: ({ bytes }) => void held.push(bytes),
      bytes: ({ start, end }) => all().subarray(start, end),
      select({ chars, gap }) {
        const { length } = all();
        if (length <= chars) return [{ kind: 'keep', start: 0, end: length, chars: length, lines: 1 }];
        const room = Math.max(0, chars - 2 * gap.chars);
        const start = Math.floor((length - room) / 2);
        const omit = (from: number, to: number): Segment => ({
          kind: 'omit',
          start: from,
          end: to,
          chars: to - from,
          lines: 0,
          firstLine: 1,
          lastLine: 1,
        });
        const kept: Segment = { kind: 'keep', start, end: start + room, chars: room, lines: 1 };
        return [omit(0, start), kept, omit(start + room, length)];
      },
    };
  },
};

const call = { tool: 't', session: 's', scope: 'scope' };
const text = `${'a'.repeat(9_000)}THE MIDDLE${'z'.repeat(9_000)}`;

describe('a strategy of a host', () => {
  it('decides what is kept, within the limit, and every gap leads back to its text', async () => {
    const spillway = openSpillway({ strategies: [middle] });
    for (const inlineLimit of [500, 2_000]) {
      const policy = { strategy: 'middle', inlineLimit };
      const { projection } = await spillway.process(call, { kind: 'text', text }, { policy });
      expect(projection.text.length).toBeLessThanOrEqual(inlineLimit);
      expect(projection.text).toContain('aTHE MIDDLEz');
      expect(projection.metadata.strategy_used).toBe('middle');
      const id = (await spillway.sealed({ projection }))?.id;
      for (const { first_char, last_char } of projection.metadata.omitted) {
        const page = await spillway.retrieve(
          { artifact_id: id, chars: `${first_char}-${last_char}` },
          'scope',
        );
        expect(page.body).toBe(text.slice(first_char - 1, last_char));
      }
    }
  });

  it('is given every byte once, in order, and asked for a selection a few times, however long the text is', async () => {
    const counts: { pushed: number; asked: number }[] = [];
    const counting: Strategy = {
      name: 'counting',
      start(policy, reachChars) {
        const selector = middle.start(policy, reachChars);
        const count = { pushed: 0, asked: 0 };
        counts.push(count);
        return {
          ...selector,
          push(piece) {
            expect(piece.start.bytes).toBe(count.pushed);
            count.pushed += piece.bytes.length;
            selector.push(piece);
          },
          select(share) {
            count.asked++;
            return selector.select(share);
          },
        };
      },
    };
    const asked: number[] = [];
    for (const length of [100_000, 1_600_000]) {
      const spillway = openSpillway({ strategies: [counting] });
      const long = 'a'.repeat(length);
      const answer = await spillway.process(
        call,
        { kind: 'text', text: long },
        { policy: { strategy: 'counting' } },
      );
      await spillway.sealed(answer);
      // One selector, which saw the text once: the work is linear.
      expect(counts).toHaveLength(1);
      expect(counts[0]?.pushed).toBe(length);
      asked.push(counts.pop()?.asked ?? 0);
    }
    expect(asked[1]).toBeLessThanOrEqual((asked[0] ?? 0) + 2);
    expect(asked[0]).toBeLessThanOrEqual(12);
  });

  it('is known by its name in settings, and only where it was plugged in', () => {
    const plugged = openSpillway({ store: null, strategies: [middle] });
    plugged.settings.replace('mine', [{ level: 'user', source: 'mine', patch: { strategy: 'middle' } }]);
    expect(plugged.explain('any').policy.strategy).toBe('middle');
    expect(() => openSpillway({ store: null }).explain('any', { policy: { strategy: 'middle' } })).toThrow(
      /"middle".*head_tail/,
    );
  });
});
