/** What a retrieval needs, and what it gives. */
import type { FetchHint } from '../model/fetch.ts';
import type { PathEngine } from '../model/path.ts';
import type { PatternEngine } from '../model/pattern.ts';
import type { StoredBytes } from '../model/store.ts';

export interface RetrieveContext {
  readonly store: StoredBytes;
  readonly hint: FetchHint;
  readonly pageLimit: number;
  readonly patterns: PatternEngine | null;
  readonly paths: PathEngine | null;
}

/** A page of a stored output, and how to go on. */
export interface FetchedPage {
  /** Header and body, as a model reads it. */
  readonly text: string;
  readonly notice: string;
  /** The text asked for and nothing else. */
  readonly body: string;
  /** The name of the part; `all` for a search in several. */
  readonly part: string;
  readonly totalChars: number;
  readonly totalLines: number;
  readonly totalBytes: number;
  /** First and last line and char of the body; null when it is empty. */
  readonly lines: readonly [number, number] | null;
  readonly chars: readonly [number, number] | null;
  /** Of a page by path, rows or file: which of how many it shows; null when it shows none. */
  readonly found?: {
    /** `match`, `row`, `block` or what a format of your own finds. */
    readonly unit: string;
    readonly first: number | null;
    readonly last: number | null;
    readonly total: number;
  };
  readonly nextCursor: string | null;
  /** The exact call for the next page. */
  readonly nextCall: string | null;
}
