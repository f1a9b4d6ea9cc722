/** One run of an agent: its scope and its id. */
export interface SessionName {
  /** Who may fetch what the session stores. Given by the face, opaque to a store. */
  readonly scope: string;
  /** The name of the run, unique in its scope. */
  readonly session: string;
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
