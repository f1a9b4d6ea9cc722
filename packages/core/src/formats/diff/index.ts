/** Unified diffs, plain or from git. */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { fileOfDiff } from './address.ts';
import { Diff } from './grammar.ts';
import { diffKind } from './recognise.ts';

export const diff: Format = {
  name: 'diff',
  kinds: ['diff'],
  hints: [
    {
      kind: 'diff',
      extensions: ['diff', 'patch'],
      mediaTypes: /diff|patch/,
      tools: /(?:^|_)(?:diff|patch|show_commit)(?:_|$)/,
    },
  ],
  recognisers: [{ confidence: CONFIDENCE.marks, recognise: ({ lines }) => diffKind(lines) ?? null }],
  lines: (start, facts) => new Diff(start, facts),
  errorLines: 'quoted',
  address: fileOfDiff,
};
