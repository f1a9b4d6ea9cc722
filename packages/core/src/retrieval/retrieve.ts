/**
 * Retrieval: a parsed request and a record go in, one bounded page comes out. A page belongs to one
 * part; asking on walks through the parts in order. Nothing here is ever cut a second time or gets
 * a handle of its own.
 */
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import { decode } from '../text/utf8.ts';
import { NO_TEXT, rangeWords, wholePartsWords } from '../wording/pages.ts';
import { type FetchedPage, fetchedPage, type RetrieveContext } from './fetched.ts';
import { type ReadRange, rangeOf, readRange } from './page.ts';
import { type Cursor, type FetchRequest, formatCursor, type Want } from './request.ts';
import { searchPage } from './search.ts';
import { isRead, type StoredPart, StoredParts } from './stored-parts.ts';
import { structurePage } from './structure.ts';

const NOTICE_CHARS = 300;

export async function retrieve(
  context: RetrieveContext,
  output: OutputRecord,
  request: FetchRequest,
): Promise<FetchedPage> {
  const parts = new StoredParts(context.store, output);
  const chosen = await parts.choose(request);
  if (chosen === undefined) return emptyPage(context, output);
  const { part } = chosen;
  const { want } = request;
  const name = parts.address(chosen);
  if (want.kind === 'pattern')
    return searchPage(context, output, parts, request.part === null ? null : chosen, want);
  const reader = parts.open(chosen);
  if (want.kind === 'structure') return structurePage(context, output, reader, name, want);
  const maxChars = context.pageLimit - NOTICE_CHARS;
  const goesOn = request.part === null && isOfEverything(want, part.bytes);
  if (goesOn && isBundledFromStart(chosen, want)) {
    const page = await partsPage(context, output, parts, chosen, maxChars);
    if (page !== null) return page;
  }
  const read = await readRange(reader, rangeOf(want), maxChars);
  const following =
    goesOn && read.next === null
      ? (await parts.first((known) => isRead(known) && known.index > part.index))?.part
      : undefined;
  const only = !goesOn && read.next !== null && read.next.end >= part.bytes ? { only: true as const } : {};
  const next =
    following === undefined ? read.next : { part: following.index, start: 0, end: following.bytes };
  return rangePage(context, output, name, part, read, next === null ? null : { ...next, ...only });
}

function isOfEverything(want: Want, bytes: number): boolean {
  if (want.kind !== 'cursor') return want.kind === 'all';
  return want.cursor.only !== true && want.cursor.end >= bytes;
}

function isBundledFromStart({ bytes }: StoredPart, want: Want): boolean {
  return bytes !== undefined && (want.kind !== 'cursor' || want.cursor.start === 0);
}

function rangePage(
  context: RetrieveContext,
  output: OutputRecord,
  name: string | undefined,
  part: PartRecord,
  { bytes, start, end }: ReadRange,
  next: Cursor | null,
): FetchedPage {
  const body = decode(bytes);
  const lastLine = end.breaks + (/[\r\n]$/.test(body) ? 0 : 1);
  const lines = body === '' ? null : ([start.breaks + 1, lastLine] as const);
  const chars = body === '' ? null : ([start.chars + 1, end.chars] as const);
  const words = rangeWords(lines, chars, part);
  const nextCursor = next === null ? null : formatCursor(next);
  return fetchedPage(context, output, { name, words, body, of: part, lines, chars, nextCursor });
}

function emptyPage(context: RetrieveContext, output: OutputRecord): FetchedPage {
  const of = { name: '', chars: 0, lines: 0, bytes: 0 };
  return fetchedPage(context, output, { name: undefined, words: NO_TEXT, body: '', of, nextCursor: null });
}

async function partsPage(
  context: RetrieveContext,
  output: OutputRecord,
  parts: StoredParts,
  first: StoredPart,
  maxChars: number,
): Promise<FetchedPage | null> {
  const taken: StoredPart[] = [];
  let chars = 0;
  let next: PartRecord | null = null;
  for await (const one of parts.content(
    ({ index, ordinal }) => ordinal !== null && index >= first.part.index,
  )) {
    chars += one.part.chars;
    // Empty parts take no room, but their number is limited, too.
    if (one.bytes === undefined || chars > maxChars || taken.length >= maxChars) {
      next = one.part;
      break;
    }
    taken.push(one);
  }
  return taken.length < 2 ? null : partsPageOf(context, output, taken, next);
}

function partsPageOf(
  context: RetrieveContext,
  output: OutputRecord,
  taken: readonly StoredPart[],
  next: PartRecord | null,
): FetchedPage {
  const body = taken.map(({ bytes }) => decode(bytes ?? new Uint8Array(0))).join('');
  const sum = (unit: 'chars' | 'lines' | 'bytes') => taken.reduce((all, { part }) => all + part[unit], 0);
  const name = `${taken[0]?.ordinal}-${taken.at(-1)?.ordinal}`;
  const of = { name, chars: sum('chars'), lines: sum('lines'), bytes: sum('bytes') };
  return fetchedPage(context, output, {
    ...{ name, body, of, words: wholePartsWords(taken.length, of.lines, of.chars) },
    lines: of.bytes === 0 ? null : [1, of.lines],
    chars: of.bytes === 0 ? null : [1, of.chars],
    nextCursor: next === null ? null : formatCursor({ part: next.index, start: 0, end: next.bytes }),
  });
}
