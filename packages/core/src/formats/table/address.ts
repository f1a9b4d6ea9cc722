/** Rows of a stored table, asked for by their numbers below the header. */
import type { FormatAddress } from '../../model/format.ts';
import { findRows } from './find-rows.ts';

export const rowsOfTable: FormatAddress = {
  argument: 'rows',
  value: 'range',
  description: 'For tables: rows wanted, below the header, e.g. "100-200".',
  unit: 'row',
  units: 'rows',
  ending: '',
  async find(stored, { range, resume, sink }) {
    const matches = sink();
    const { header, rows } = await findRows(stored, range, resume, matches);
    return { matches, header, total: rows };
  },
};
