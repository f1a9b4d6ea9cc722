/** JSON documents, and texts with one JSON value a line (NDJSON). */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { embedNotice, jsonGap } from '../../wording/json-gap.ts';
import { jsonPath } from './address.ts';
import { structuredKind } from './recognise.ts';
import { keepJson } from './tree.ts';

export const json: Format = {
  name: 'json',
  kinds: ['json', 'ndjson'],
  hints: [
    {
      kind: 'ndjson',
      extensions: ['ndjson', 'jsonl'],
      mediaTypes: /ndjson|jsonl|json-seq|json-lines/,
    },
    { kind: 'json', extensions: ['json', 'map', 'sarif', 'ipynb', 'geojson'], mediaTypes: /json/ },
  ],
  recognisers: [
    {
      confidence: CONFIDENCE.grammar,
      recognise(sample, { expected }) {
        const jsonLines = expected.some(({ kind }) => kind === 'ndjson');
        const kind = structuredKind(sample, jsonLines ? 'expected' : 'unknown');
        return kind === undefined ? null : { kind };
      },
    },
  ],
  keep: () => keepJson,
  staysValid: true,
  grammar: {
    mark: (what) => jsonGap(what),
    embed: (body, notice) => embedNotice(body, notice),
  },
  address: jsonPath,
};
