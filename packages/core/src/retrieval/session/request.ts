/**
 * The arguments that ask for a session instead of one artifact: `search` looks through everything
 * that was said and returned, `message` fetches messages by their numbers.
 */
import { SpillwayError } from '../../model/errors.ts';
import { parseSpan } from '../../text/span.ts';
import { REFUSED_ARGUMENT } from '../../wording/refused-fetches.ts';

export type SessionRequest =
  | { readonly kind: 'search'; readonly query: string; readonly cursor: SearchCursor }
  | { readonly kind: 'messages'; readonly first: number; readonly last: number; readonly chars: number };

/** How many results were shown before, and behind which output of the listing the search began. */
export interface SearchCursor {
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
  if (other !== undefined) throw invalid(REFUSED_ARGUMENT.ofSession(asked, other));
  const [, count = '0', after] = cursor === undefined ? [] : (CURSOR.exec(String(cursor)) ?? [null, null]);
  if (count === null) throw invalid(REFUSED_ARGUMENT.cursorOfQuestion);
  if (search === undefined) return { kind: 'messages', ...spanOf(message), chars: Number(count) };
  if (typeof search !== 'string' || search.length > LONGEST_QUERY)
    throw invalid(REFUSED_ARGUMENT.tooLong('search', LONGEST_QUERY));
  return { kind: 'search', query: search, cursor: { shown: Number(count), after: after ?? null } };
}

export function formatSearchCursor({ shown, after }: SearchCursor): string {
  return after === null ? String(shown) : `${shown}@${after}`;
}

/** `12`, `#12` or `12-20`. */
function spanOf(value: unknown): { readonly first: number; readonly last: number } {
  const span = parseSpan(String(value).replace(/^#/, ''));
  const { first = null, last = null } = span ?? {};
  const begin = first ?? (last === null ? 0 : 1);
  if (begin < 1 || (last !== null && last < begin)) throw invalid(REFUSED_ARGUMENT.notARange('message'));
  return { first: begin, last: last ?? Number.MAX_SAFE_INTEGER };
}

function invalid(message: string): SpillwayError {
  return new SpillwayError('invalid_argument', message);
}
