/** What people write for people, Markdown included. Only recognised. */
import { CONFIDENCE, type Format } from '../../model/format.ts';

export const prose: Format = {
  name: 'prose',
  kinds: ['prose'],
  hints: [
    {
      kind: 'prose',
      extensions: ['md', 'markdown', 'mdx', 'rst', 'txt', 'adoc', 'tex'],
      mediaTypes: /markdown/,
    },
  ],
  recognisers: [
    {
      confidence: CONFIDENCE.writing,
      recognise: (_sample, { written }) => (written.kind === 'prose' ? { kind: 'prose' } : null),
    },
    {
      confidence: CONFIDENCE.hint,
      recognise: (_sample, { expected, written }) =>
        written.kind === 'text' && expected.some(({ kind }) => kind === 'prose') ? { kind: 'prose' } : null,
    },
  ],
};
