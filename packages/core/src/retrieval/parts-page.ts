/**
 * A page of many small parts in a row, for outputs that have so many that one a page would never
 * end. Their bytes follow each other as they are stored; the notice tells which parts they are.
 * Only whole parts: the first that does not fit begins the next page.
 */
import { fetchCall } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import { decode } from '../text/utf8.ts';
import { pageNotice, wholePartsWords } from '../wording/pages.ts';
import type { FetchedPage, RetrieveContext } from './fetched.ts';
import { formatCursor } from './request.ts';
import type { StoredPart, StoredParts } from './stored-parts.ts';

/**
 * The page that begins with `first`, which is small; null if the next one does not fit on it, and
 * it is a page by itself.
 */
export async function partsPage(
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
  return taken.length < 2 ? null : pageOf(context, output, taken, next);
}

function pageOf(
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
