/**
 * Retrieval: a parsed request and a record go in, one bounded page comes out. A page belongs to one
 * part; asking on walks through the parts in order. Nothing here is ever cut a second time or gets
 * a handle of its own.
 */
import { fetchCall } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import { decode } from '../text/utf8.ts';
import { NO_TEXT, pageNotice, rangeWords, wholePartsWords } from '../wording/pages.ts';
import { choosePart } from './choose-part.ts';
import type { FetchedPage, RetrieveContext } from './fetched.ts';
import { type ReadRange, readRange } from './page.ts';
import { searchPage } from './pattern.ts';
import { rangeOf } from './range.ts';
import { type Cursor, type FetchRequest, formatCursor, type Want } from './request.ts';
import { isRead, type StoredPart, StoredParts } from './stored-parts.ts';
import { structurePage } from './structure/find.ts';

/** The longest page notice; the rest of the page is body. */
const NOTICE_CHARS = 300;

export async function retrieve(
  context: RetrieveContext,
  output: OutputRecord,
  request: FetchRequest,
): Promise<FetchedPage> {
  const parts = new StoredParts(context.store, output);
  const chosen = await choosePart(parts, request);
  if (chosen === undefined) return emptyPage(output);
  const { part } = chosen;
  const { want } = request;
  const store = parts.storeFor(chosen);
  const name = parts.address(chosen);
  if (want.kind === 'pattern')
    return searchPage(context, output, parts, request.part === null ? null : chosen, want);
  if (want.kind === 'structure')
    return structurePage({ ...context, store }, { store, output, part }, name, want);
  const { from, to } = rangeOf(want);
  const maxChars = context.pageLimit - NOTICE_CHARS;
  const goesOn = request.part === null && isOfEverything(want, part.bytes);
  if (goesOn && isBundledFromStart(chosen, want)) {
    const page = await partsPage(context, output, parts, chosen, maxChars);
    if (page !== null) return page;
  }
  const read = await readRange(store, output, part, from, to, maxChars);
  const following =
    goesOn && read.next === null
      ? (await parts.first((known) => isRead(known) && known.index > part.index))?.part
      : undefined;
  const only = !goesOn && read.next !== null && read.next.end >= part.bytes ? { only: true as const } : {};
  const next =
    following === undefined ? read.next : { part: following.index, start: 0, end: following.bytes };
  return pageOf(context, output, name, read, next === null ? null : { ...next, ...only });
}

/** Whether a page belongs to a walk through all parts: nothing in particular was asked for. */
function isOfEverything(want: Want, bytes: number): boolean {
  if (want.kind !== 'cursor') return want.kind === 'all';
  return want.cursor.only !== true && want.cursor.end >= bytes;
}

function isBundledFromStart({ bytes }: StoredPart, want: Want): boolean {
  return bytes !== undefined && (want.kind !== 'cursor' || want.cursor.start === 0);
}

function pageOf(
  context: RetrieveContext,
  output: OutputRecord,
  name: string | undefined,
  read: ReadRange,
  next: Cursor | null,
): FetchedPage {
  const { part, start, end } = read;
  const body = decode(read.bytes);
  const empty = read.bytes.length === 0;
  const endsLine = /[\r\n]$/.test(body);
  const lines: [number, number] | null = empty ? null : [start.breaks + 1, end.breaks + (endsLine ? 0 : 1)];
  const chars: [number, number] | null = empty ? null : [start.chars + 1, end.chars];
  const nextCursor = next === null ? null : formatCursor(next);
  const nextCall = nextCursor === null ? null : fetchCall(context.hint, output.id, { cursor: nextCursor });
  const words = rangeWords(lines, chars, part);
  const notice = pageNotice({ id: output.id, part: name }, words, nextCall);
  return {
    text: notice + body,
    notice,
    body,
    part: part.name,
    totalChars: part.chars,
    totalLines: part.lines,
    totalBytes: part.bytes,
    lines,
    chars,
    nextCursor,
    nextCall,
  };
}

function emptyPage(output: OutputRecord): FetchedPage {
  const notice = pageNotice({ id: output.id, part: undefined }, NO_TEXT, null);
  return {
    text: notice,
    notice,
    body: '',
    part: '',
    totalChars: 0,
    totalLines: 0,
    totalBytes: 0,
    lines: null,
    chars: null,
    nextCursor: null,
    nextCall: null,
  };
}

/**
 * The page that begins with `first`, which is small; null if the next one does not fit on it, and
 * it is a page by itself.
 */
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
    // Empty ones take no room, but are not endless either.
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
  const [totalChars, totalLines, totalBytes] = [sum('chars'), sum('lines'), sum('bytes')];
  const nextCursor = next === null ? null : formatCursor({ part: next.index, start: 0, end: next.bytes });
  const nextCall = nextCursor === null ? null : fetchCall(context.hint, output.id, { cursor: nextCursor });
  const ordinals = `${taken[0]?.ordinal}-${taken.at(-1)?.ordinal}`;
  const words = wholePartsWords(taken.length, totalLines, totalChars);
  const notice = pageNotice({ id: output.id, part: ordinals }, words, nextCall);
  return {
    text: notice + body,
    notice,
    body,
    part: ordinals,
    totalChars,
    totalLines,
    totalBytes,
    lines: totalBytes === 0 ? null : [1, totalLines],
    chars: totalBytes === 0 ? null : [1, totalChars],
    nextCursor,
    nextCall,
  };
}
