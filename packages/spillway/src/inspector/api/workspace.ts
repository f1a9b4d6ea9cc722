/** The workspace that is looked at: what every view needs first. */
import type { WindowUse } from './sessions.ts';

/** `GET /api/workspace` */
export interface WorkspaceAnswer {
  readonly name: string;
  readonly root: string;
  readonly version: string;
  readonly pid: number;
  /** False while nothing was stored: every list is empty then. */
  readonly has_store: boolean;
  /** Why the store cannot be read, for people; null where it can, or there is none. */
  readonly store_problem: string | null;
  /** A store in this workspace that is not used, because somebody else may have made it. */
  readonly untrusted_store: string | null;
  readonly outputs: number;
  readonly sessions: number;
  /** The window of the session that was sent last; null while no session has told a window. */
  readonly window: (WindowUse & { readonly session: string }) | null;
  /** Where the ledger ends now: the cursor for `/api/live`. */
  readonly cursor: string;
}
