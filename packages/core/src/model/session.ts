/** One agent's run. It begins with its first output and ends by request or after lying idle. */
export interface SessionRecord {
  readonly id: string;
  readonly scope: string;
  readonly openedAt: number;
  readonly seenAt: number;
  readonly endedAt?: number;
}
