/**
 * What compaction made of the older part of a session. It stands beside the messages and never in
 * their place: every version is kept, the last one counts, and undoing one adds another that says
 * what the one before it said.
 */

import type { SessionName } from './session.ts';

/** A summary before it has its version. */
export interface SummaryDraft extends SessionName {
  /** When it was made. Milliseconds since 1970. */
  readonly at: number;
  /** The latest version when this one was made; 0 for none. Any other is a conflict. */
  readonly parent: number;
  /** The place of the last message it stands for; 0 for none. */
  readonly covers: number;
  /** Who worded it: our rules, a model of the host, or an undo. */
  readonly by: 'extractive' | 'host' | 'undo';
  /** Of an undo: the version that counts again; 0 for none. */
  readonly restores?: number;
  /** What a model reads in place of the messages. */
  readonly text: string;
  /** What the next compaction goes on from. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A summary as it is kept. */
export interface SummaryRecord extends SummaryDraft {
  /** 1 for the first summary of the session, without gaps. */
  readonly version: number;
}
