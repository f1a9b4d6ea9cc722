/** Patterns from users run in linear time: RE2, as a library. Loaded when the first pattern is compiled. */
import { type PatternEngine, SpillwayError } from '@spillway/core';

/** A pattern engine on re2js. */
export async function re2Patterns(): Promise<PatternEngine> {
  const { RE2JS } = await import('re2js');
  return {
    compile(pattern) {
      try {
        const compiled = RE2JS.compile(pattern);
        return {
          find(text) {
            const matcher = compiled.matcher(text);
            return matcher.find() ? matcher.start() : -1;
          },
        };
      } catch (error) {
        const why =
          error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it cannot be read';
        throw new SpillwayError(
          'invalid_argument',
          `The pattern is not valid RE2 syntax: ${why.slice(0, 200)}.`,
        );
      }
    },
  };
}
