/** Who may look: the start page, new start codes, downloads, and what a refusal looks like. */

/** The header that carries the key. */
export type KeyHeader = 'x-spillway-key';

/**
 * `GET /start/CODE` — the page, opened with a start code that is valid once and for 60 seconds. The
 * answer is the page itself with two more tags in its head, and the cookie:
 *
 *     <meta name="spillway-key" content="KEY">      the page keeps it in localStorage
 *     <meta name="spillway-open" content="/o/art_…"> where to go next; absent: the sessions
 *
 * The page then replaces the address. A code that was used, is too old or was never issued: 403 and
 * the page without these tags.
 */
export interface Start {
  readonly 'spillway-key': string;
  readonly 'spillway-open'?: string;
}

/**
 * `POST /api/code` — needs neither cookie nor key. Prints a new start address in the terminal in
 * which the inspector runs. Body: `{}`. 202; 429 within 5 seconds of the last one.
 */
export interface CodeAnswer {
  readonly printed: true;
  /** Where to look: the command that was started there. */
  readonly command: string;
}

/**
 * `POST /api/outputs/ID/raw` — a link to the exact bytes of one part, or of all text parts one
 * after the other. The link works once, within 60 seconds, as a download (`GET /raw/TOKEN/NAME`).
 */
export interface RawOrder {
  /** Index of the part; null for all text parts. */
  readonly part: number | null;
}

export interface RawLink {
  readonly url: string;
  readonly name: string;
  readonly bytes: number;
  readonly expires_at: number;
}

/** What every refusal looks like. `message` is a sentence for people; it never quotes content. */
export interface ApiProblem {
  readonly error: {
    readonly code:
      | 'invalid_argument'
      | 'invalid_policy'
      | 'not_started'
      | 'forbidden'
      | 'not_found'
      | 'wrong_method'
      | 'changed'
      | 'gone'
      | 'too_large'
      | 'too_often'
      | 'corrupt'
      | 'store_unavailable'
      | 'failed';
    readonly message: string;
    /** Of a purged output (410). */
    readonly purged_at?: number;
  };
}

/** A page of a listing; pass `next` as `after` to go on. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
