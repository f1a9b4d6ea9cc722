/** Names and patterns. */
import { describe, expect, it } from 'vitest';
import { globWeight, matchesGlob } from '../../src/text/glob.ts';

/** All strings over an alphabet, up to a length. */
function strings(alphabet: string, longest: number): string[] {
  let last = [''];
  const all = [''];
  for (let i = 0; i < longest; i++) {
    last = last.flatMap((text) => [...alphabet].map((char) => text + char));
    all.push(...last);
  }
  return all;
}

describe('a pattern', () => {
  it('matches what the same regular expression does, for every short pattern and name', () => {
    for (const pattern of strings('ab*?', 5)) {
      const wanted = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      for (const name of strings('ab', 5)) {
        if (matchesGlob(pattern, name) !== wanted.test(name)) expect.fail(`${pattern} on ${name}`);
      }
    }
  });

  it('matches in any case, and dots are dots', () => {
    expect(matchesGlob('MCP__*__Search', 'mcp__GitHub__search')).toBe(true);
    expect(matchesGlob('a.c', 'abc')).toBe(false);
  });

  it('takes linear time on many stars', () => {
    expect(matchesGlob(`${'*a'.repeat(20)}b`, 'a'.repeat(20_000))).toBe(false);
  });

  it('weighs as much as the chars that must be there, and a plain name more than any pattern', () => {
    expect(['*', 'a?', 'ab*c?', '**'].map(globWeight)).toEqual([0, 1, 3, 0]);
    expect(globWeight('a')).toBe(Number.MAX_SAFE_INTEGER);
  });
});
