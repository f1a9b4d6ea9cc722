/**
 * A short wording that counts chars only: `... (12,345 chars truncated from stdout)`. Whatever it does not say in its own way, it says as
 * the standard dialect does.
 */
import type { Detail, Dialect, GapFacts } from '../../model/dialect.ts';
import { counted } from '../../text/numbers.ts';
import { thingsLeftOut } from '../sentences.ts';
import { standard } from './standard.ts';

export const plain: Dialect = {
  ...standard,
  name: 'plain',
  gap,
  lookalike:
    /^(?:\[Artifact: art_|\[.*\b[Ss]howing .*\bof [\d,]+ chars\b|\.\.\. \([\d,]+ chars? truncated)/gm,
  marker:
    /^\.\.\. \((?<chars>[\d,]+) chars? truncated(?: from (?<from>[^)]{1,200}?))?(?:: .*)?\)(?: \.\.\.)?$/gm,
};

function gap({ position, chars, from, what }: GapFacts, detail: Detail): string {
  const source = from === null || detail === 'least' ? '' : ` from ${from}`;
  const said = `... (${counted(chars, 'char')} truncated${source}${thingsLeftOut(what, detail)})`;
  if (position === 'start' || position === 'all') return `${said}\n`;
  return position === 'end' ? `\n${said}` : `\n\n${said} ...\n\n`;
}
