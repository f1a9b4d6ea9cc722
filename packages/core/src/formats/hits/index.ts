/** Hits of a search: `path:12:text` and its relatives. */
import type { Format } from '../../model/format.ts';
import { Hits } from './grammar.ts';
import { HITS_SHAPES } from './shapes.ts';

export const hits: Format = {
  name: 'hits',
  kinds: ['hits'],
  hints: [{ kind: 'hits', tools: /(?:^|_)(?:search|grep|rg|ripgrep)(?:_|$)/ }],
  shapes: [HITS_SHAPES],
  lines: (start, facts) => new Hits(start, facts),
  errorLines: 'quoted',
};
