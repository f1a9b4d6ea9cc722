/**
 * What a marker says about lines that repeat a diagnostic: how many there are, and where some of
 * them stand. The longest form is known before it is made, so that a strategy can reserve room.
 */
import { formatCount } from '../text/numbers.ts';

/** `the same in 95 more lines: src/a.ts:12, src/b.ts:4 … and 93 more`. */
export function sameInWords(more: number, locations: readonly string[]): string {
  const sentence = `the same in ${formatCount(more)} more ${more === 1 ? 'line' : 'lines'}`;
  if (locations.length === 0) return sentence;
  const rest = more - locations.length;
  return `${sentence}: ${locations.join(', ')}${rest > 0 ? ` … and ${formatCount(rest)} more` : ''}`;
}

/** The most chars that these words take for so many lines, with locations of so many chars. */
export function mostSameInChars(more: number, locationChars: number): number {
  return (
    'the same in  more lines: '.length + locationChars + ' … and  more'.length + 2 * formatCount(more).length
  );
}
