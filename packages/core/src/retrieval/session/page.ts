/**
 * Pages that answer for a session instead of one artifact: `search` looks through everything that was
 * said and returned, `message` fetches messages by their numbers. Within the same limit as pages of
 * artifacts; what has no room is named with the call that fetches it.
 */
import { invalidArgument } from '../../model/errors.ts';
import { type FetchHint, spellCall } from '../../model/fetch.ts';
import { parseSpan } from '../../text/span.ts';
import { messageText } from '../../wording/history.ts';
import { foundHeading, messagesHeading, searchHeading } from '../../wording/pages.ts';
import { REFUSED_ARGUMENT } from '../../wording/refused-fetches.ts';
import type { FetchedPage } from '../fetched.ts';
import { linesOf, type Searched, searchSession, termsOf } from './search.ts';

interface SessionPageContext extends Searched {
  readonly hint: FetchHint;
  readonly pageLimit: number;
}

const NOTICE_CHARS = 400;
const MOST_HITS = 10;

export function sessionPage(context: SessionPageContext, request: SessionRequest): Promise<FetchedPage> {
  return request.kind === 'search' ? searchPage(context, request) : messagesPage(context, request);
}

async function searchPage(
  context: SessionPageContext,
  { query, cursor }: Extract<SessionRequest, { readonly kind: 'search' }>,
): Promise<FetchedPage> {
  if (termsOf(query).length === 0) throw invalidArgument(REFUSED_ARGUMENT.emptySearch);
  const { hits, outputs, messages, after } = await searchSession(context, query, cursor.after);
  const room = context.pageLimit - NOTICE_CHARS;
  let body = '';
  let shown = 0;
  for (const hit of hits.slice(cursor.shown, cursor.shown + MOST_HITS)) {
    const lines = await linesOf(context, hit, query);
    const entry = [
      foundHeading(hit.of),
      ...lines.map(({ part, line, text }) => `  ${at(part, line)}${text}`),
    ];
    const text = `${entry.join('\n')}\n`;
    if (body.length + text.length > room && shown > 0) break;
    body += text.slice(0, room);
    shown++;
  }
  const next =
    cursor.shown + shown < hits.length
      ? { shown: cursor.shown + shown, after: cursor.after }
      : after === null
        ? null
        : { shown: 0, after };
  const first = cursor.shown + 1;
  const words = searchHeading({ hits: hits.length, first, last: cursor.shown + shown, outputs, messages });
  const goesOn = next === null ? null : { search: query, cursor: formatSearchCursor(next) };
  return pageOf(context.hint, words, body, goesOn);
}

async function messagesPage(
  { store, scope, session, hint, pageLimit, shown: shownAs }: SessionPageContext,
  { first, last, chars }: Extract<SessionRequest, { readonly kind: 'messages' }>,
): Promise<FetchedPage> {
  if (session === null) throw invalidArgument(REFUSED_ARGUMENT.noMessages);
  const room = pageLimit - NOTICE_CHARS;
  let text = '';
  let [above, shown, goesOn] = [first - 1, 0, true];
  while (goesOn && above < last && text.length <= chars + room) {
    const { items, next } = await store.messages({
      scope,
      session,
      above,
      limit: Math.min(50, last - above),
    });
    for (const message of items) text += `${messageText(shownAs(message))}\n`;
    above = items.at(-1)?.ordinal ?? above;
    shown += items.length;
    goesOn = next !== undefined && items.length > 0;
  }
  const body = text.slice(chars, chars + room).toWellFormed();
  const isMore = text.length > chars + room || (goesOn && above < last);
  const span = last === first ? first : `${first}-${last === Number.MAX_SAFE_INTEGER ? '' : last}`;
  const rest = isMore ? { message: span, cursor: String(chars + body.length) } : null;
  return pageOf(hint, messagesHeading(first, shown), body, rest);
}

function at(part: string | undefined, line: number): string {
  return part === undefined ? `${line}: ` : `${part} ${line}: `;
}

function pageOf(
  hint: FetchHint,
  words: string,
  body: string,
  next: Readonly<Record<string, unknown>> | null,
): FetchedPage {
  const nextCall = next === null || hint.kind !== 'tool' ? null : spellCall(hint.name, next);
  const notice = `[${words}${nextCall === null ? '' : ` Next: ${nextCall}`}]\n`;
  return {
    text: notice + body,
    notice,
    body,
    part: 'all',
    totalChars: body.length,
    totalLines: body.split('\n').length - 1,
    totalBytes: Buffer.byteLength(body),
    lines: null,
    chars: null,
    nextCursor: next === null ? null : String(next.cursor),
    nextCall,
  };
}

type SessionRequest =
  | { readonly kind: 'search'; readonly query: string; readonly cursor: SearchCursor }
  | { readonly kind: 'messages'; readonly first: number; readonly last: number; readonly chars: number };

/** How many results were shown before, and behind which output of the listing the search began. */
interface SearchCursor {
  readonly shown: number;
  readonly after: string | null;
}

const LONGEST_QUERY = 1_000;
const CURSOR = /^(\d{1,9})(?:@(.{1,500}))?$/s;

/** Null if an artifact is asked for. */
export function parseSessionRequest(args: unknown): SessionRequest | null {
  if (typeof args !== 'object' || args === null) return null;
  const given = Object.entries(args).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const { search, message, cursor, ...others } = Object.fromEntries(given) as Readonly<
    Record<string, unknown>
  >;
  if (search === undefined && message === undefined) return null;
  const [other] = search !== undefined && message !== undefined ? ['message'] : Object.keys(others);
  const asked = search === undefined ? 'message' : 'search';
  if (other !== undefined) throw invalidArgument(REFUSED_ARGUMENT.ofSession(asked, other));
  const [, count = '0', after] = cursor === undefined ? [] : (CURSOR.exec(String(cursor)) ?? [null, null]);
  if (count === null) throw invalidArgument(REFUSED_ARGUMENT.cursorOfQuestion);
  if (search === undefined) return { kind: 'messages', ...spanOf(message), chars: Number(count) };
  if (typeof search !== 'string' || search.length > LONGEST_QUERY)
    throw invalidArgument(REFUSED_ARGUMENT.tooLong('search', LONGEST_QUERY));
  return { kind: 'search', query: search, cursor: { shown: Number(count), after: after ?? null } };
}

function formatSearchCursor({ shown, after }: SearchCursor): string {
  return after === null ? String(shown) : `${shown}@${after}`;
}

/** `12`, `#12` or `12-20`. */
function spanOf(value: unknown): { readonly first: number; readonly last: number } {
  const span = parseSpan(String(value).replace(/^#/, ''));
  const { first = null, last = null } = span ?? {};
  const begin = first ?? (last === null ? 0 : 1);
  if (begin < 1 || (last !== null && last < begin))
    throw invalidArgument(REFUSED_ARGUMENT.notARange('message'));
  return { first: begin, last: last ?? Number.MAX_SAFE_INTEGER };
}
