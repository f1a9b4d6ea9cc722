/**
 * What the agent is after, as far as its host tells. Lines that touch it count more where only a part
 * of a text can be shown. It is kept with the projection record and never logged.
 */
export interface About {
  /** What the agent was asked to do. */
  readonly task?: string | undefined;
  /** The latest message of the user. */
  readonly userMessage?: string | undefined;
  /** What the agent said last, before it made the call. */
  readonly lastMessage?: string | undefined;
}
