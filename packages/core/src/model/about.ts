/**
 * What the agent is after, as far as its host tells. Lines that touch it count more where only a
 * part of a text can be shown. It is kept with the projection record and never logged.
 */
export interface About {
  /** What the agent was asked to do. */
  readonly task?: string | undefined;
  /** The latest message of the user. */
  readonly userMessage?: string | undefined;
  /** What the agent said last, before it made the call. */
  readonly lastMessage?: string | undefined;
}

/** Chars of a field that are used and kept. */
export const ABOUT_CHARS = 8_000;

/** The same with every field within its length; undefined if all are empty. */
export function boundedAbout(about: About | undefined): About | undefined {
  if (about === undefined) return undefined;
  const { task, userMessage, lastMessage } = about;
  const fields = Object.entries({ task, userMessage, lastMessage }).flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [[name, text.slice(0, ABOUT_CHARS)]],
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
