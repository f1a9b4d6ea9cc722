/** Tables: separated values (CSV, TSV), boxes, and columns aligned by blanks. */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { rowsOfTable } from './address.ts';
import { keepRows } from './keep.ts';
import { separatedKind, tableKind } from './recognise.ts';

/** A log whose lines happen to have equally many commas is a log. */
const LOG_SHARE = 0.5;

export const table: Format = {
  name: 'table',
  kinds: ['csv', 'tsv', 'table'],
  hints: [
    { kind: 'csv', extensions: ['csv'], mediaTypes: /csv/ },
    { kind: 'tsv', extensions: ['tsv', 'tab'], mediaTypes: /tab-separated/ },
  ],
  recognisers: [
    {
      confidence: CONFIDENCE.separators,
      recognise(sample, { shapes, isSource }) {
        const isLog = shapes.weight('log') >= shapes.lines * LOG_SHARE;
        return isLog || isSource ? null : (separatedKind(sample) ?? null);
      },
    },
    {
      confidence: CONFIDENCE.columns,
      recognise: ({ lines }, { isSource }) => (isSource ? null : (tableKind(lines) ?? null)),
    },
  ],
  keep: ({ detail }) => keepRows(detail),
  address: rowsOfTable,
};
