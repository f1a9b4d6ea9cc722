/**
 * A short wording that counts chars only: `... (12,345 chars truncated from stdout)`. Everything
 * else is worded as in the standard dialect.
 */
import type { Detail, Dialect, GapFacts } from '../../model/dialect.ts';
import { markerWords, readMarkers, TRUNCATED, withoutAddress } from '../markers.ts';
import { standard } from './standard.ts';

export const plain: Dialect = {
  ...standard,
  name: 'plain',
  marker,
  readMarkers: (text) => readMarkers(Object.values(TRUNCATED), text),
};

function marker(facts: GapFacts, detail: Detail): string {
  const words = markerWords(withoutAddress(facts), detail);
  if (facts.position === 'middle') return `\n\n${TRUNCATED.closed.write(words)}\n\n`;
  return facts.position === 'end' ? `\n${TRUNCATED.open.write(words)}` : `${TRUNCATED.open.write(words)}\n`;
}
