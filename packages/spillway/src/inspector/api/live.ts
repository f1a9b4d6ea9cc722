/**
 * `GET /api/live?after=CURSOR` — what happens, as server-sent events. Read it with `fetch` and a
 * stream, as `EventSource` cannot send the key. Close it while the tab is hidden, and go on from
 * the last `cursor`. A comment line comes every 15 seconds. The inspector counts open streams as
 * tabs.
 */
export type LiveMessage =
  /** First: from where on events follow. */
  | { readonly event: 'hello'; readonly data: { readonly cursor: string } }
  | { readonly event: 'events'; readonly data: LiveEvents }
  /** Files with settings changed. */
  | { readonly event: 'settings'; readonly data: { readonly problem: string | null } };

export interface LiveEvents {
  readonly cursor: string;
  /** Numbers and names only; for anything else ask the routes. */
  readonly items: readonly LiveEvent[];
}

export interface LiveEvent {
  readonly type: string;
  readonly at: number;
  readonly session: string | null;
  readonly tool: string | null;
  readonly output: string | null;
  readonly data: Readonly<Record<string, string | number | boolean>>;
}
