/** Makes the table of a text: cleaned or as it is, in any chunks. */
import type { Piece } from '../src/model/piece.ts';
import { LineScan } from '../src/table/line-scan.ts';
import { LineTable } from '../src/table/line-table.ts';
import { type CleanBytes, Cleaner } from '../src/text/cleaner.ts';
import { PieceCutter } from '../src/text/pieces.ts';
import { standardVocabulary, type Vocabulary } from '../src/vocabulary/vocabulary.ts';
import { chunked } from './arbitraries.ts';

export interface TableGiven {
  readonly vocabulary?: Vocabulary;
  readonly clean?: 'cleaned' | 'as it is';
  readonly cuts?: readonly number[];
}

export function tableOf(content: string | Uint8Array, given: TableGiven = {}): LineTable {
  const { vocabulary = standardVocabulary(), clean = 'as it is', cuts = [] } = given;
  const { automaton } = vocabulary;
  const scan = new LineScan(new LineTable(automaton.words), automaton);
  const cleaner = new Cleaner((each: CleanBytes) => scan.push(each));
  const give = (piece: Piece) => {
    if (clean === 'cleaned') cleaner.push(piece);
    else scan.push({ bytes: piece.bytes, wellFormed: piece.illFormed === 0, elisions: [] });
  };
  for (const piece of piecesIn(content, cuts)) give(piece);
  cleaner.finish();
  scan.finish();
  return scan.table;
}

/** The pieces of a text that arrives in chunks, each cut off as a piece of its own. */
export function piecesIn(content: string | Uint8Array, cuts: readonly number[] = []): Piece[] {
  const cutter = new PieceCutter('text');
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const pieces = chunked(bytes, cuts).flatMap((chunk) => [...cutter.push(chunk), ...cutter.flush()]);
  return [...pieces, ...cutter.finish()];
}

export function bytesOf({ bytes, from, to }: LineTable, row: number): Buffer {
  return bytes.subarray(from[row], to[row]);
}

/** The cleaned text of each row. */
export function rowsOf(table: LineTable): string[] {
  return Array.from({ length: table.rows }, (_, row) => bytesOf(table, row).toString());
}
