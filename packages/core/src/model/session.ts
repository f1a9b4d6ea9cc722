/** One run of an agent: its scope and its id. */
export interface SessionName {
  /** Who may fetch what the session stores. Given by the face, opaque to a store. */
  readonly scope: string;
  /** The name of the run, unique in its scope. */
  readonly session: string;
}

/** A key of the session for maps in memory. */
export function sessionKey({ scope, session }: SessionName): string {
  return JSON.stringify([scope, session]);
}

/** One agent's run. It begins with its first output and ends by request or after lying idle. */
export interface SessionRecord {
  /** The name of the run. */
  readonly id: string;
  /** Who may fetch what it stored. */
  readonly scope: string;
  /** When its first output began. Milliseconds since 1970. */
  readonly openedAt: number;
  /** When something was last added. */
  readonly seenAt: number;
  /** When it ended; absent while it is open. */
  readonly endedAt?: number;
}

/**
 * What compaction made of the older part of a session. It stands beside the messages: every version
 * is kept, the last one counts, and undoing one adds another.
 */
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
