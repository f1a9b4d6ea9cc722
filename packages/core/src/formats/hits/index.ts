/** Hits of a search: `path:12:text` and its relatives. */
import type { Format } from '../../model/format.ts';
import { keepHits } from './keep.ts';
import { HITS_SHAPES } from './shapes.ts';

export const hits: Format = {
  name: 'hits',
  kinds: ['hits'],
  hints: [{ kind: 'hits', tools: /(?:^|_)(?:search|grep|rg|ripgrep)(?:_|$)/ }],
  shapes: [HITS_SHAPES],
  keep: () => keepHits,
  errorLines: 'quoted',
};
