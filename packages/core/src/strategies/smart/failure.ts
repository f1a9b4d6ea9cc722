/**
 * Whether one line, by itself, speaks of failure. For those who look through text without selecting
 * from it.
 */
import { encode } from '../../text/utf8.ts';
import { featuresOf, TESTED_CHARS } from './features.ts';
import { stemsIn } from './line-scan.ts';
import { isError } from './tally.ts';
import { NO_CUE, standardLexicon } from './words.ts';

/** Whether a line surely speaks of failure: an error, a failed test, a crash. */
export function speaksOfFailure(line: string): boolean {
  const lexicon = standardLexicon();
  const text = line.slice(0, TESTED_CHARS);
  const bytes = encode(text);
  const mask = stemsIn(lexicon.table, bytes, 0, bytes.length, lexicon.table.lineStart) & ~NO_CUE;
  return mask !== 0 && isError(featuresOf(text, mask, lexicon));
}
