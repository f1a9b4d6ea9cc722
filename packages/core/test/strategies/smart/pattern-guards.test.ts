/**
 * The texts that every match of a pattern must hold are found from the pattern itself, so a line
 * that lacks them need not be tried. What is promised must hold for every pattern that we have.
 */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featuresOf } from '../../../src/strategies/smart/features.ts';
import { mayMatch, type PatternGuards } from '../../../src/strategies/smart/pattern-guards.ts';
import { requiredTexts } from '../../../src/strategies/smart/required-text.ts';
import { isSureFailure, sureGuards } from '../../../src/strategies/smart/sure.ts';
import { standardLexicon } from '../../../src/strategies/smart/words.ts';

const TOOLS = new URL('../../fixtures/tools/', import.meta.url);
const lines = readdirSync(TOOLS)
  .flatMap((name) => readFileSync(new URL(name, TOOLS), 'latin1').split(/\r\n|\n|\r/))
  .filter((line) => /^[\t -~]*$/.test(line))
  .map((line) => line.trimEnd());

/** Guards that have made their table. */
function warm(guards: PatternGuards): PatternGuards {
  for (let i = 0; i < 5_000; i++) guards.look(Buffer.from('x'), 0, 1);
  return guards;
}

function look(guards: PatternGuards, line: string) {
  const bytes = Buffer.from(line);
  return guards.look(bytes, 0, bytes.length);
}

describe('what every match of a pattern holds', () => {
  it.each([
    [/error|fatal/, ['error', 'fatal']],
    [/^Exit Code: +[1-9]/, ['exit code: ']],
    [/\b(?:CS|TS)\d{2}\b/, ['cs00', 'ts00']],
    [/timed[ -]?out/i, ['timed out', 'timed-out', 'timedout']],
    [/Ошибка|error/i, ['error']],
    [/(?:very )?bad (?=news)/, ['bad ']],
    [/\+{1,3} x/, ['+ x']],
    [/(?<name>ab)\w+cde/, ['cde']],
    [/✗/, []],
  ])('%s: %j', (pattern, texts) => {
    expect(requiredTexts(pattern)).toEqual(texts);
  });

  it.each([[/\w+/], [/a|bcd/], [/x*y?/], [/(a)\1bc/], [/[^x]yz|.*/]])('%s: nothing for sure', (pattern) => {
    expect(requiredTexts(pattern)).toBeNull();
  });

  it('is in every line that a pattern of alternatives, options and repetitions matches', () => {
    const atom = fc.constantFrom('a', 'B', '7', 'xy', '\\d', '\\s', '[ab]', '[^a]', '.', '\\w', '-');
    const item = fc.tuple(atom, fc.constantFrom('', '', '?', '*', '+', '{2}', '{1,2}', '{2,9}'));
    const sequence = fc
      .array(item, { maxLength: 5 })
      .map((items) => items.map((each) => each.join('')).join(''));
    const pattern = fc
      .array(sequence, { minLength: 1, maxLength: 3 })
      .chain((all) => fc.constantFrom(all.join('|'), `b(?:${all.join('|')})a`, `^(?:${all.join('|')})?xy`));
    const line = fc.string({ unit: fc.constantFrom(...'aabBxy7 -'), maxLength: 12 });
    fc.assert(
      fc.property(pattern, line, fc.constantFrom('', 'i'), (source, text, flags) => {
        const regexp = new RegExp(source, flags);
        const texts = requiredTexts(regexp);
        const folded = text.toLowerCase().replaceAll(/\d/g, '0');
        if (texts !== null && regexp.test(text))
          expect(texts.some((each) => folded.includes(each))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the guards of a lexicon', () => {
  const lexicon = standardLexicon();
  const guards = warm(lexicon.guards);

  it('let through every pattern that matches a line of a tool', () => {
    const missed = lines.flatMap((line) => {
      const guard = look(guards, line);
      const all = [...lexicon.cues.flatMap(({ tests }) => tests), ...lexicon.dampers];
      return all
        .filter(({ pattern, number }) => !mayMatch(guard, number) && pattern.test(line))
        .map(({ pattern }) => [String(pattern), line]);
    });
    expect(missed).toEqual([]);
  });

  it('do not change what is seen in a line', () => {
    const mask = (1 << lexicon.cues.length) - 1;
    for (const line of lines)
      expect(featuresOf(line, mask, lexicon, look(guards, line))).toEqual(featuresOf(line, mask, lexicon));
  });

  it('do not change which lines surely speak of a failure', () => {
    const sure = warm(sureGuards());
    for (const line of lines)
      for (const start of ['bare', 'stamped'] as const)
        expect(isSureFailure(line, start, look(sure, line))).toBe(isSureFailure(line, start));
  });

  it('leave few patterns to be tried on a line', () => {
    const patterns = lexicon.cues.flatMap(({ tests }) => tests).length + lexicon.dampers.length;
    const open = look(guards, 'a line of an output that does not fit 12').reduce(
      (sum, word) => sum + word.toString(2).replaceAll(/[^1]/g, '').length,
      0,
    );
    expect(patterns).toBeGreaterThan(60);
    expect(open).toBeLessThan(12);
  });
});
