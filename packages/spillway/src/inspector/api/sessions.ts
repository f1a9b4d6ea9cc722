/** Sessions: the list, one session as a thread, and what fills its context window. */
import type { Listing } from './access.ts';
import type { FetchedRange, OutputRow } from './outputs.ts';

/**
 * `GET /api/sessions?show=open|all&q=TEXT&after=CURSOR&limit=50` — the one seen last first. `show`
 * is `all` unless told; `q` is part of a name.
 */
export type SessionsAnswer = Listing<SessionRow>;

export interface SessionRow {
  readonly id: string;
  readonly opened_at: number;
  readonly seen_at: number;
  readonly ended_at: number | null;
  readonly totals: SessionTotals;
  /** Null for hosts that keep no history here, and while no request was prepared. */
  readonly window: WindowUse | null;
}

export interface SessionTotals {
  readonly calls: number;
  readonly cut: number;
  /** Calls of which it is known what a model was shown. */
  readonly shown: number;
  readonly failed: number;
  readonly messages: number;
  readonly bytes: number;
  readonly chars: number;
  readonly shown_chars: number;
  /** Fetches by the model. */
  readonly fetches: number;
}

/**
 * What a request takes of the window, in tokens. `source: prepared`: as it was noted when the last
 * request was made. `measured`: weighed now, from frozen projections; `size` is then null unless a
 * window was given.
 */
export interface WindowUse {
  readonly source: 'prepared' | 'measured';
  readonly at: number;
  /** Tokens of the window; null where nobody told. */
  readonly size: number | null;
  readonly used: number;
  readonly system: number;
  readonly messages: number;
  readonly results: number;
  readonly reserved: number;
  /** Summaries that stand for older messages; part of `messages`. */
  readonly summary: number;
  /** Shares of the window, from the settings. */
  readonly warn_at: number;
  readonly compact_at: number;
  readonly hard_at: number;
  readonly verdict: 'fits' | 'warning' | 'needs_compaction' | 'refused';
}

/** `GET /api/sessions/ID` — 404 if there is none. */
export interface SessionAnswer extends SessionRow {
  readonly has_messages: boolean;
  /** Calls that have no result; results that were cut before they came here. */
  readonly missing: number;
  readonly legacy: number;
  readonly compactions: number;
  /** Entries of the thread. */
  readonly entries: number;
}

/** `GET /api/sessions/ID/window?size=32000` — weighs the next request now. Freezes nothing. */
export type WindowAnswer = WindowUse;

/**
 * `GET /api/sessions/ID/thread?from=0&limit=200` — entries `from` … of the thread, oldest first;
 * `from=-200` counts from the end. With `call=ID` the page that holds this output or call. With
 * `q=TEXT` only entries that hold the text: `total` counts them, the first `limit` are listed.
 */
export interface ThreadAnswer {
  readonly from: number;
  readonly total: number;
  readonly entries: readonly ThreadEntry[];
}

export type ThreadEntry = ThreadMessage | ThreadCall | ThreadSummary;

/** A text that somebody said. Longer ones are clipped: `GET /api/sessions/ID/message?place=N`. */
export interface ThreadMessage {
  readonly kind: 'message';
  readonly index: number;
  readonly place: number;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly at: number;
  readonly text: string;
  readonly chars: number;
  /** Media types of images and files in it. */
  readonly media: readonly string[];
}

/** A call with its result. Without messages each output is one. */
export interface ThreadCall {
  readonly kind: 'call';
  readonly index: number;
  /** The message that holds the call; null where only the output is known. */
  readonly place: number | null;
  readonly at: number;
  readonly call_id: string | null;
  readonly tool: string;
  /** What the call asked for, in one line. */
  readonly input: string;
  /** Null: no result was recorded, or it is no longer kept. */
  readonly output: OutputRow | null;
  readonly state: 'kept' | 'missing' | 'purged';
  readonly fetched: readonly FetchedRange[];
}

/** A compaction: what stands for the messages up to `covers`. */
export interface ThreadSummary {
  readonly kind: 'summary';
  readonly index: number;
  readonly version: number;
  readonly at: number;
  readonly covers: number;
  readonly by: 'extractive' | 'host' | 'undo';
  readonly text: string;
  readonly chars: number;
}

/** `GET /api/sessions/ID/message?place=N` — all text of one message; `summary=VERSION`: of a summary. */
export interface MessageAnswer {
  readonly place: number;
  readonly role: ThreadMessage['role'];
  readonly at: number;
  readonly text: string;
}

/** `GET /api/sessions/ID/timeline` — every request of the session, oldest first. */
export interface TimelineAnswer {
  readonly session: string;
  /** Tokens of the window; null where nobody told. */
  readonly size: number | null;
  readonly turns: readonly TimelineTurn[];
  /** What happened after the last request. */
  readonly rest: TimelineTurn['events'];
  /** The same as a picture; null while there is no request. */
  readonly svg: string | null;
}

/** A request in tokens, and what happened between the one before and it. */
export interface TimelineTurn {
  readonly turn: number;
  readonly at: number;
  readonly size: number | null;
  readonly used: number;
  readonly system: number;
  readonly messages: number;
  readonly results: number;
  readonly events: readonly {
    readonly kind: 'result' | 'cut' | 'fetch' | 'compaction';
    readonly at: number;
    readonly tool: string;
    readonly output: string | null;
    readonly chars: number;
  }[];
}

/**
 * `POST /api/sessions/ID/end` — ends a session: its handles no longer resolve. With `preview` only
 * counts.
 */
export interface EndSessionOrder {
  readonly preview: boolean;
}

export interface EndSessionAnswer {
  readonly outputs: number;
  readonly bytes_freed: number;
  readonly preview: boolean;
}
