// Small pure things that histories are made of.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryOf } from '../../src/history/compaction/compact.ts';
import { decisionsIn, demandsIn, excerpt, filesIn } from '../../src/history/compaction/excerpts.ts';
import type {
  ImportedMessage,
  ImportedPart,
  MessageMedia,
  MessagePart,
  MessageRecord,
} from '../../src/history/index.ts';
import { Kept } from '../../src/history/shapes/overlap.ts';
import { NAME } from './opened.ts';

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (callId: string): MessagePart => ({ type: 'call', callId, tool: 't', input: '{}' });
const result = (callId: string, stage?: 'preliminary'): MessagePart => ({
  type: 'result',
  callId,
  tool: 't',
  output: 'art_1_00000001',
  status: 'ok',
  ...(stage === undefined ? {} : { stage }),
});

function weighed(all: readonly (readonly MessagePart[])[], first = 1) {
  return all.map((parts, i) => {
    const message: MessageRecord = { ...NAME, id: `${i}`, role: 'user', at: 0, ordinal: first + i, parts };
    return { message, tokens: 10 };
  });
}

describe('the boundary of a summary', () => {
  it('leaves as many of the latest messages as there is room for, and always the last', () => {
    const messages = weighed(Array.from({ length: 6 }, (_, i) => [text(`${i}`)]));
    expect([0, 9, 10, 19, 20, 30, 59, 60, 100].map((keep) => boundaryOf(messages, keep))).toEqual([
      5, 5, 5, 5, 4, 3, 1, 0, 0,
    ]);
    expect(boundaryOf([], 0)).toBe(0);
    expect(boundaryOf(weighed([[text('only')]]), 0)).toBe(0);
    expect(boundaryOf(weighed([[text('a')], [text('b')], [text('c')]], 41), 10)).toBe(42);
  });

  it('lies where no call is parted from its result, and before a pair that would be', () => {
    const pairs = weighed([
      [call('a')],
      [result('a')],
      [call('b'), call('c')],
      [result('c')],
      [result('b')],
      [text('x')],
    ]);
    expect([10, 20, 30, 40, 50].map((keep) => boundaryOf(pairs, keep))).toEqual([5, 2, 2, 2, 2]);
  });

  it('goes by the first real result, and gives up on a pair that has no end in sight', () => {
    const early = weighed([
      [call('a')],
      [result('a', 'preliminary')],
      [result('a')],
      [result('a')],
      [text('x')],
    ]);
    expect([10, 20, 30].map((keep) => boundaryOf(early, keep))).toEqual([4, 3, 3]);
    const late = weighed([[call('a')], [text('1')], [text('2')], [text('3')], [result('a')]]);
    expect(boundaryOf(late, 20)).toBe(3);
  });
});

describe('an excerpt', () => {
  it('is one line of at most so many chars, and never ends in half a character', () => {
    expect(excerpt(' a\n\t b\u0000c ', 10)).toBe('a b c');
    expect(excerpt('12345', 5)).toBe('12345');
    expect(excerpt('123456', 5)).toBe('1234…');
    expect(excerpt('123😀56', 5)).toBe('123…');
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 2, max: 30 }),
        (given, chars) => {
          const made = excerpt(given, chars);
          expect(made.length).toBeLessThanOrEqual(chars);
          expect(made.isWellFormed()).toBe(true);
          expect(made).not.toMatch(/[\n\r\t]/);
        },
      ),
    );
  });

  it('of decisions, demands and files takes what was said, word for word, and no more than asked for', () => {
    const words =
      'I looked. I decided to keep v1.2 of it! Then more. We settled on B.\nThe cause was a typo. We chose C.';
    expect(decisionsIn(words, 10, 100)).toEqual([
      'I decided to keep v1.2 of it!',
      'We settled on B.',
      'The cause was a typo.',
      'We chose C.',
    ]);
    expect(decisionsIn(words, 2, 12)).toEqual(['I decided t…', 'We settled …']);
    expect(demandsIn('Go on. You must never touch it. Only b.', 5, 50)).toEqual(['You must never touch it.']);
    expect(filesIn('see src/a/b.ts, ./x.py and b.json; src/a/b.ts again, not 1.5 or e.g. that', 9)).toEqual([
      'src/a/b.ts',
      './x.py',
      'b.json',
    ]);
    expect(filesIn('a.ts b.ts c.ts', 2)).toEqual(['a.ts', 'b.ts']);
  });
});

describe('what a session has already', () => {
  const given = (words: readonly string[]): ImportedMessage[] =>
    words.map((word) => ({ role: 'user', parts: [{ type: 'text', text: word }] }));
  const urls = ({ source }: MessageMedia): string => ('url' in source ? source.url : '');
  const of = (part: ImportedPart, ...known: string[]) => ({
    parts: [{ part, known: new Set(known) }],
    kept: false,
  });
  const nothing = { parts: [], kept: false };
  const kept = (words: readonly string[]): Kept => {
    const made = new Kept();
    for (const { message } of weighed(words.map((word) => [text(word)]))) made.add(message, urls);
    return made;
  };
  const fresh = (before: readonly string[], now: readonly string[]): string[] =>
    kept(before)
      .fresh(given(now))
      .flatMap(({ parts }) => parts)
      .map(({ part }) => (part.type === 'text' ? part.text : ''));

  it('is the longest end of what is kept that what is given begins with', () => {
    expect(fresh([], ['a', 'b'])).toEqual(['a', 'b']);
    expect(fresh(['a', 'b'], ['a', 'b'])).toEqual([]);
    expect(fresh(['a', 'b'], ['a', 'b', 'c'])).toEqual(['c']);
    expect(fresh(['x', 'a', 'b'], ['a', 'b', 'c'])).toEqual(['c']);
    expect(fresh(['a', 'b', 'c'], ['a', 'b'])).toEqual(['a', 'b']);
    expect(fresh(['a'], ['b'])).toEqual(['b']);
    expect(fresh(['a', 'a', 'b', 'a'], ['a', 'b', 'a', 'a'])).toEqual(['a']);
    const word = fc.constantFrom('a', 'b');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.array(word, { maxLength: 12 }), (before, now) => {
        let most = 0;
        for (let n = 1; n <= Math.min(before.length, now.length); n++)
          if (before.slice(-n).join() === now.slice(0, n).join()) most = n;
        expect(fresh(before, now)).toEqual(now.slice(most));
      }),
    );
  });

  it('is told by words, calls, media and data, and by who said them; results are always looked at; system messages by themselves', () => {
    const parts: ImportedPart[] = [
      { type: 'text', text: 'a' },
      { type: 'call', callId: 'c', tool: 't', input: '{}' },
      { type: 'media', mediaType: 'image/png', source: { url: 'u' } },
      { type: 'data', name: 'd', json: '1' },
    ];
    const others: ImportedPart[] = [
      { type: 'text', text: 'b' },
      { type: 'call', callId: 'd', tool: 't', input: '{}' },
      { type: 'media', mediaType: 'image/gif', source: { url: 'u' } },
      { type: 'data', name: 'd', json: '2' },
    ];
    for (const [i, part] of parts.entries()) {
      const other = others[i];
      if (other === undefined) throw new Error('as many');
      const made = new Kept();
      made.add(
        { ...NAME, id: 'x', ordinal: 1, at: 0, role: 'assistant', parts: [part as MessagePart] },
        urls,
      );
      expect(made.fresh([{ role: 'assistant', parts: [part] }])).toEqual([nothing]);
      expect(made.fresh([{ role: 'assistant', parts: [other] }])).toEqual([of(other)]);
      expect(made.fresh([{ role: 'user', parts: [part] }])).toEqual([of(part)]);
    }
    const system = new Kept();
    system.add({ ...NAME, id: 's', ordinal: 1, at: 0, role: 'system', parts: [text('be careful')] }, urls);
    system.add({ ...NAME, id: 'u', ordinal: 2, at: 0, role: 'user', parts: [text('go'), result('c')] }, urls);
    const returned = { type: 'result', callId: 'c', tool: 't', result: { kind: 'text', text: 'x' } } as const;
    const again: ImportedMessage[] = [
      { role: 'system', parts: [{ type: 'text', text: 'be careful' }] },
      { role: 'system', parts: [{ type: 'text', text: 'be brief' }] },
      { role: 'user', parts: [{ type: 'text', text: 'go' }, returned] },
    ];
    expect(system.fresh(again)).toEqual([
      nothing,
      of({ type: 'text', text: 'be brief' }),
      of(returned, 'art_1_00000001'),
    ]);
  });

  it('goes back to where a conversation was taken up again, by the calls in it', () => {
    const text = (words: string) => ({ type: 'text', text: words }) as const;
    const call = (callId: string) => ({ type: 'call', callId, tool: 't', input: '{}' }) as const;
    const made = new Kept();
    for (const [i, part] of [text('go'), call('c1'), text('done'), text('more'), text('ok')].entries())
      made.add({ ...NAME, id: `${i}`, ordinal: i + 1, at: 0, role: 'user', parts: [part] }, urls);
    const fresh = (parts: readonly ImportedPart[]) =>
      made.fresh([{ role: 'user', parts }]).flatMap((message) => message.parts.map(({ part }) => part));
    expect(fresh([text('go'), call('c1'), text('done')])).toEqual([]);
    expect(fresh([text('go'), call('c1'), text('no')])).toEqual([text('no')]);
    expect(fresh([text('go'), text('no')])).toEqual([text('go'), text('no')]);
    expect(fresh([text('ok'), call('c1')])).toEqual([call('c1')]);
  });
});
