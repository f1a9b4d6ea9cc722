/** What a retrieval needs, and the page that it gives. */
import { type FetchAddress, type FetchHint, fetchCall } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PathEngine } from '../model/path.ts';
import type { PatternEngine } from '../model/pattern.ts';
import type { StoredBytes, WaitOptions } from '../model/store.ts';
import { pageNotice } from '../wording/pages.ts';

export interface RetrieveContext extends WaitOptions {
  readonly store: StoredBytes;
  readonly hint: FetchHint;
  readonly pageLimit: number;
  readonly patterns: (() => Promise<PatternEngine>) | null;
  readonly paths: PathEngine | null;
}

/** A page of a stored output, and how to go on. */
export interface FetchedPage {
  /** Header and body, as a model reads it. */
  readonly text: string;
  /** The header alone. */
  readonly notice: string;
  /** The text asked for and nothing else. */
  readonly body: string;
  /** The name of the part; `all` for a search in several. */
  readonly part: string;
  /** Chars of the part. */
  readonly totalChars: number;
  /** Lines of the part. */
  readonly totalLines: number;
  /** Bytes of the part. */
  readonly totalBytes: number;
  /** First and last line of the body; null when it is empty. */
  readonly lines: readonly [number, number] | null;
  /** First and last char of the body; null when it is empty. */
  readonly chars: readonly [number, number] | null;
  /** Of a page by path, rows or file: which of how many it shows; null when it shows none. */
  readonly found?: {
    /** `match`, `row`, `block` or what a format of your own finds. */
    readonly unit: string;
    readonly first: number | null;
    readonly last: number | null;
    readonly total: number;
  };
  /** Fetches the next page; null on the last one. */
  readonly nextCursor: string | null;
  /** The exact call for the next page. */
  readonly nextCall: string | null;
}

interface PageFacts extends Partial<Pick<FetchedPage, 'lines' | 'chars' | 'found'>> {
  readonly name: string | undefined;
  readonly words: string;
  readonly body: string;
  readonly of: {
    readonly name: string;
    readonly chars: number;
    readonly lines: number;
    readonly bytes: number;
  };
  readonly nextCursor: string | null;
  readonly address?: FetchAddress;
}

export function fetchedPage(
  { hint }: Pick<RetrieveContext, 'hint'>,
  { id }: OutputRecord,
  { name, words, body, of, nextCursor, address, lines = null, chars = null, found }: PageFacts,
): FetchedPage {
  const nextCall = nextCursor === null ? null : fetchCall(hint, id, { ...address, cursor: nextCursor });
  const notice = pageNotice({ id, part: name }, words, nextCall);
  const totals = { part: of.name, totalChars: of.chars, totalLines: of.lines, totalBytes: of.bytes };
  const positions = found === undefined ? { lines, chars } : { lines, chars, found };
  return { text: notice + body, notice, body, ...totals, ...positions, nextCursor, nextCall };
}
