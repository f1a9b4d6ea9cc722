/**
 * What single tools say beyond the general lexicon, as data: a pack adds patterns to cues, by the cue's name. Written from what the tools are
 * known to print; each pack has a fixture that the tool itself made. A pattern stands here only if the general one does not see the line.
 */
import type { Cue } from './lexicon.ts';

export interface Pack {
  readonly name: string;
  readonly cues: Readonly<Record<string, Pick<Cue, 'stems' | 'pattern'>>>;
}

export const PACKS: readonly Pack[] = [
  {
    name: 'npm',
    cues: {
      'error tag': { stems: ['npm error'], pattern: /^npm error (?!A complete log|Log files|node-pre)/ },
    },
  },
];
