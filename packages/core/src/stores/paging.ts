/**
 * Pages of a listing. A cursor is one or two whole numbers, opaque to the caller: the sort key of
 * the last row given, so that rows added meanwhile neither shift nor repeat anything.
 */
import { invalidArgument } from '../model/errors.ts';
import type { LedgerEvent } from '../model/events.ts';
import type { EventPage, Page } from '../model/store.ts';

const DEFAULT_LIMIT = 100;
const MOST = 1_000;

/** The number of rows of a page: 100 unless told, 1,000 at the most. */
export function pageLimit(limit: number = DEFAULT_LIMIT): number {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw invalidArgument('The limit of a page must be a whole number above 0.');
  }
  return Math.min(limit, MOST);
}

/** The numbers in a cursor that this module made. */
export function parseCursor(after: string | undefined): readonly [number, number] | undefined {
  if (after === undefined) return undefined;
  const match = /^(-?\d{1,16})(?:\.(\d{1,16}))?$/.exec(after);
  if (match === null) {
    throw invalidArgument('That is not a cursor; pass the `next` of the page before, unchanged.');
  }
  return [Number(match[1]), Number(match[2] ?? 0)];
}

/** A page out of up to `limit + 1` rows: the extra one only tells that there is more. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(itemOf);
  return rows.length > limit && last !== undefined ? { items, next: cursorOf(last) } : { items };
}

/** The same for the ledger, which can be followed from where a page ended. */
export function eventPageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  itemOf: (row: Row) => LedgerEvent,
): EventPage {
  const last = rows.slice(0, limit).at(-1);
  const page = pageOf(rows, limit, cursorOf, itemOf);
  return last === undefined ? page : { ...page, end: cursorOf(last) };
}

/** The most handles that a preview of retiring names. */
export const MOST_PREVIEWED = 1_000;
