/** What an agent is after. Lines of a result that touch it count more. Kept with projections, never logged. */
export interface About {
  readonly task?: string;
  /** The latest message of the user. */
  readonly userMessage?: string;
  /** The latest message of the assistant. */
  readonly lastMessage?: string;
}
