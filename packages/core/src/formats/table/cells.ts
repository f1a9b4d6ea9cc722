/**
 * Divides records into cells. Quotes open only where a field begins, so a stray one inside a field
 * is just a character; a quoted field may hold separators, doubled quotes and line ends.
 */
import type { Layout } from './layout.ts';

const QUOTE = 34;

export type Cells = readonly string[];

/** The cells of a record, without quotes and blanks around them. */
export function cellsIn(record: string, layout: Layout): Cells {
  if (layout.kind === 'delimited') return separatedCells(record, String.fromCharCode(layout.delimiter));
  if (layout.kind === 'ruled')
    return record
      .replace(/^\s*[|│┃║]|[|│┃║]\s*$/g, '')
      .split(/[|│┃║]/)
      .map((cell) => cell.trim());
  return record.trim().split(layout.leastBlanks === 1 ? /\s+/ : /\t| {2,}/);
}

function separatedCells(record: string, delimiter: string): Cells {
  if (!record.includes('"')) return record.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  for (let at = 0; at <= record.length; at++) {
    const isQuoted = record[at] === '"';
    const from = isQuoted ? at + 1 : at;
    let end = from;
    while (isQuoted && end < record.length && (record[end] !== '"' || record[end + 1] === '"'))
      end += record[end] === '"' ? 2 : 1;
    const next = record.indexOf(delimiter, end);
    at = next < 0 ? record.length : next;
    cells.push(record.slice(from, isQuoted ? end : at).trim());
  }
  return cells;
}

export class QuoteTracker {
  readonly #delimiter: number;
  #state: 'start' | 'plain' | 'quoted' | 'closing' = 'start';

  constructor(delimiter: number, open = false) {
    this.#delimiter = delimiter;
    if (open) this.#state = 'quoted';
  }

  get open(): boolean {
    return this.#state === 'quoted';
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.take(bytes[at] as number);
  }

  take(byte: number): void {
    if (this.#state === 'quoted') {
      if (byte === QUOTE) this.#state = 'closing';
    } else if (byte === QUOTE && this.#state !== 'plain') this.#state = 'quoted';
    else this.#state = byte === this.#delimiter ? 'start' : 'plain';
  }

  endRow(): void {
    this.#state = 'start';
  }
}
