/**
 * What can be said in a session, and what a result must tell: nothing in these types can hold what
 * our renderer made.
 */
import type { CallName, MessageDraft, MessagePart, MessageResult, WithExtras } from '../model/message.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ProjectedText } from '../model/projection.ts';
import type { Derived } from './message.ts';

/** What can be said: text, data, calls, media with its bytes, results by their outputs. */
export type PartInput = MessagePart | MediaInput;

/** An image, sound or file, stored with the message. A string is base64, kept as written. */
export interface MediaInput extends WithExtras {
  readonly type: 'media';
  /** Such as `image/png`. */
  readonly mediaType: string;
  /** Base64, or bytes. */
  readonly data: string | Uint8Array;
}

/** A message that is about to be said. Without an id it gets one, and saying it twice makes two. */
export interface MessageInput
  extends Pick<MessageDraft, 'role' | 'foreign'>,
    Partial<Pick<MessageDraft, 'id' | 'at'>> {
  /** What is said, in order. */
  readonly parts: readonly PartInput[];
}

/** `never` for a message that we derived, or that holds text of our renderer. */
export type NotRendered<M> = M extends Derived
  ? never
  : M extends { readonly parts: readonly (infer P)[] }
    ? true extends (P extends { readonly text: ProjectedText } ? true : false)
      ? never
      : M
    : M;

/** Which call a result belongs to. */
export interface ResultOf extends CallName, WithExtras, Pick<MessageResult, 'stage'> {
  /** The arguments, kept with the output. */
  readonly input?: unknown;
  /** The message that holds the result; a new one for each if not given. */
  readonly messageId?: string;
  /** How the call ended. Default: as the result itself tells, else well. */
  readonly outcome?: Outcome | undefined;
  /** Known to have been cut before it reached us. */
  readonly sourceTruncated?: boolean;
  /** `imported`: from somebody else's history, which may have been cut; signs of that are marked. */
  readonly origin?: 'live' | 'imported';
}
