/** What a call asks for: held to the rule for terms, written with patterns, on any text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Query } from '../../src/text/query.ts';
import { fnvLower, isStopWord } from '../../src/text/stop-words.ts';

/** Stems of parts of words with at least four letters, and names of several parts with six chars. */
function termsOf(text: string): Set<string> {
  const names = text.match(/[A-Za-z0-9_]+/g) ?? [];
  const wholes = names.filter(
    (name) => name.length >= 6 && partsOf(name, /[A-Z]*[a-z]+|[A-Z]+|[0-9_]+/g) > 1,
  );
  const parts = names.flatMap((name) => name.match(/[A-Z]*[a-z]+|[A-Z]+/g) ?? []);
  const stems = parts.map((part) => stemOf(part.toLowerCase())).filter((stem) => stem.length >= 4);
  const terms = [...stems, ...wholes.map((name) => `whole ${name.toLowerCase()}`)];
  return new Set(terms.filter((term) => !isStopWord(fnvLower(Buffer.from(term), 0, term.length))));
}

function partsOf(name: string, part: RegExp): number {
  return name.match(part)?.length ?? 0;
}

function stemOf(word: string): string {
  if (word.length < 4) return word;
  if (word.length > 6 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 5 && word.endsWith('ed')) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

const text = fc.string({ unit: fc.constantFrom(...'abABsngied_17 .'), maxLength: 60 });

const worthOf = (query: Query, text: string | Uint8Array) => {
  const bytes = Buffer.from(text);
  return query.worthOf(bytes, 0, bytes.length);
};

describe('a query', () => {
  it('asks for a text that holds one of its terms, and for no other', () => {
    fc.assert(
      fc.property(text, text, (asked, unit) => {
        const terms = termsOf(asked);
        const isAsked = [...termsOf(unit)].some((term) => terms.has(term));
        const query = new Query({ pattern: asked });
        expect((query.relevance([Buffer.from(unit)])[0] ?? 0) > 0).toBe(isAsked);
        expect(worthOf(query, unit) > 0).toBe(isAsked);
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows words in either case, by their stems, and names as a whole', () => {
    const query = new Query({ pattern: 'readFiles step12' });
    const held = ['to READ it', 'a file', 'step12', 'stepping', 'rea dfi les'];
    expect(held.map((text) => worthOf(new Query({ pattern: 'readFiles step12' }), text))).toEqual([
      1, 1, 2, 0, 0,
    ]);
    expect(worthOf(query, 'readFiles')).toBe(3);
    expect(worthOf(query, 'readFiles')).toBe(1.5);
  });
});
