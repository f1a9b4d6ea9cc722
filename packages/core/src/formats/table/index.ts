/** Tables: separated values (CSV, TSV), boxes, and columns aligned by blanks. */
import { CONFIDENCE, type Format } from '../../model/format.ts';
import { rowsOfTable } from './address.ts';
import { tablePlan } from './plan.ts';
import { separatedKind, tableKind } from './recognise.ts';

/** A log may have equally many commas per line. */
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
      recognise(sample, evidence) {
        const { expected, shapes } = evidence;
        const isExpected = expected.some(({ kind }) => kind === 'csv' || kind === 'tsv');
        if (shapes.weight('log') >= shapes.lines * LOG_SHARE) return null;
        const found = separatedKind(sample, isExpected);
        // Asked last: detecting source code takes longest.
        return found === undefined || (!isExpected && evidence.isSource) ? null : found;
      },
    },
    {
      confidence: CONFIDENCE.columns,
      recognise(sample, evidence) {
        const found = tableKind(sample.lines);
        return found === undefined || evidence.isSource ? null : found;
      },
    },
  ],
  plan: tablePlan,
  address: rowsOfTable,
};
