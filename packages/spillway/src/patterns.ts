/**
 * Patterns from users run in linear time: RE2, as a library. Loaded when the first pattern is
 * compiled.
 */

import { SpillwayError } from '@spillway/core';
import type { PatternEngine } from '@spillway/core/plugin';

/**
 * Instructions of a compiled pattern: the time for a text is its length times these, at the worst.
 */
const MOST_INSTRUCTIONS = 1_000;

/** A pattern engine on re2js. */
export async function re2Patterns(): Promise<PatternEngine> {
  const { RE2JS } = await import('re2js');
  return {
    compile(pattern) {
      const compiled = attempt(() => RE2JS.compile(pattern));
      const size = compiled.programSize();
      if (size > MOST_INSTRUCTIONS)
        throw new SpillwayError(
          'invalid_argument',
          'The pattern is too large: use fewer or smaller counted repetitions, or a shorter text.',
        );
      return {
        size,
        test: (text) => compiled.test(text),
        match(text, from) {
          const matcher = compiled.matcher(text);
          return matcher.find(from) ? [matcher.start(), matcher.end()] : null;
        },
        find(text) {
          // Far faster than looking for the place, and most texts do not match.
          if (!compiled.test(text)) return -1;
          const matcher = compiled.matcher(text);
          return matcher.find() ? matcher.start() : -1;
        },
      };
    },
  };
}

function attempt<T>(compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    const why =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it cannot be read';
    throw new SpillwayError('invalid_argument', `The pattern is not valid RE2 syntax: ${why.slice(0, 200)}.`);
  }
}
