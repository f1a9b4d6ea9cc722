import { CLASS_BITS } from '../../src/table/stem-automaton.ts';
import { isError, verdictOf } from '../../src/vocabulary/verdict.ts';
import { standardVocabulary } from '../../src/vocabulary/vocabulary.ts';

/** By itself: an error, a failed test, a crash. */
export function speaksOfFailure(line: string): boolean {
  const vocabulary = standardVocabulary();
  const text = line.slice(0, 600);
  const { classes, next, found, words, lineStart } = vocabulary.automaton;
  const stems = new Uint32Array(words);
  let state = lineStart;
  for (const byte of Buffer.from(text)) {
    state = next[state + (classes[byte] as number)] as number;
    if (state >= 0) continue;
    state = ~state;
    for (let word = 0, k = (state >> CLASS_BITS) * words; word < words; word++)
      stems[word] = (stems[word] as number) | (found[k + word] as number);
  }
  const hasCue = stems.some((word, i) => (word & (vocabulary.cueBits[i] as number)) !== 0);
  if (!hasCue) return false;
  const { weight, flags } = verdictOf(text, vocabulary, stems, 0, true);
  return isError(weight, flags);
}
