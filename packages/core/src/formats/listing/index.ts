/** Lists of files and folders. */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { Listing } from './grammar.ts';
import { areNames } from './recognise.ts';
import { LISTING_SHAPES } from './shapes.ts';

export const listing: Format = {
  name: 'listing',
  kinds: ['listing'],
  hints: [{ kind: 'listing', tools: /(?:^|_)(?:list|ls|glob|find_files|tree|dir)(?:_|$)|directory/ }],
  shapes: [LISTING_SHAPES],
  recognisers: [
    {
      confidence: CONFIDENCE.lines,
      recognise: ({ lines }, { shaped, shapes }) =>
        shaped === null && areNames(lines, shapes) ? { kind: 'listing' } : null,
    },
  ],
  lines: (start, facts) => new Listing(start, facts),
  errorLines: 'quoted',
};
