/**
 * Search in the stored parts of an output, as grep does it: `12:a matching line`, `13-a line of
 * context`, `--` between groups. Where several parts have content, each line begins with the name
 * of its part: `stderr:12:…`. The first page reads every part once to its end, so that it can tell
 * the total; later pages start at their cursor and stop when they are full. Memory is bounded by
 * the page.
 */
import { SpillwayError } from '../model/errors.ts';
import { fetchCall } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import { LineSplitter } from '../text/lines.ts';
import { matchesWords, pageNotice } from '../wording/pages.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import type { FetchedPage, RetrieveContext } from './fetched.ts';
import { formatCursor, type SearchWant } from './request.ts';
import { Search } from './search.ts';
import { isRead, type StoredPart, type StoredParts } from './stored-parts.ts';

const NOTICE_CHARS = 400;

/** `only`: the part that was asked for; null to search all parts, from the cursor's on. */
export async function searchPage(
  context: RetrieveContext,
  output: OutputRecord,
  parts: StoredParts,
  only: StoredPart | null,
  want: SearchWant,
): Promise<FetchedPage> {
  if (context.patterns === null) {
    throw new SpillwayError('invalid_argument', REFUSED_ARGUMENT.noPatterns);
  }
  const search = new Search(
    context.patterns.compile(want.pattern),
    want.context,
    context.pageLimit - NOTICE_CHARS,
  );
  const { cursor } = want;
  const searched: StoredPart[] = [];
  const totals = { lines: 0, chars: 0, bytes: 0 };
  for await (const found of only === null ? parts.content(isRead) : [only]) {
    const { part } = found;
    if (part.bytes === 0 && only === null) continue;
    totals.lines += part.lines;
    totals.chars += part.chars;
    totals.bytes += part.bytes;
    if (searched.length < 2) searched.push(found);
    if (cursor !== null && (part.index < cursor.part || search.full)) continue;
    const start = cursor?.part === part.index ? cursor.start : 0;
    const reading = await parts.storeFor(found).read(output.id, part.index, { bytes: start });
    const label = only === null ? parts.address(found) : undefined;
    search.begin({ index: part.index, label, start, bytes: part.bytes });
    const lines = new LineSplitter(search, reading.at);
    for await (const piece of reading.pieces) {
      lines.push(piece);
      if (search.full && cursor !== null) break;
    }
    if (!search.full || cursor === null) lines.finish();
  }
  return pageOf(context, output, { parts, only, searched, totals }, want, search);
}

/** What was searched: the first two parts tell whether there are several. */
interface Searched {
  readonly parts: StoredParts;
  readonly only: StoredPart | null;
  readonly searched: readonly StoredPart[];
  readonly totals: { readonly lines: number; readonly chars: number; readonly bytes: number };
}

function pageOf(
  context: RetrieveContext,
  output: OutputRecord,
  { parts, only, searched, totals }: Searched,
  want: SearchWant,
  { body, shown, total, lines, next }: Search,
): FetchedPage {
  const all = want.cursor?.total ?? total;
  const nextCursor = next === null ? null : formatCursor({ ...next, total: all });
  const [first] = searched;
  const one = searched.length === 1 ? first : undefined;
  const name = one === undefined ? undefined : parts.address(one);
  const address = {
    ...(only === null || name === undefined ? {} : { part: name }),
    pattern: want.pattern,
    ...(want.context > 0 ? { context: want.context } : {}),
  };
  const nextCall =
    nextCursor === null ? null : fetchCall(context.hint, output.id, { ...address, cursor: nextCursor });
  const words = matchesWords(shown, all, totals.lines);
  const notice = pageNotice({ id: output.id, part: name }, words, nextCall);
  return {
    text: notice + body,
    notice,
    body,
    part: one?.part.name ?? 'all',
    totalChars: totals.chars,
    totalLines: totals.lines,
    totalBytes: totals.bytes,
    lines,
    chars: null,
    nextCursor,
    nextCall,
  };
}
