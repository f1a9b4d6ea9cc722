/**
 * What was said in a session. Invariant: a message never holds what a tool returned, nor an image:
 * it refers to outputs by their id, so there is nothing in it that could be shortened. Messages are
 * appended, never changed; `ordinal` counts from 1 within a session.
 */
import type { ArtifactId } from './artifact.ts';
import type { OutcomeStatus } from './outcome.ts';
import type { SessionName } from './session.ts';

/** Who speaks. A `tool` message holds results. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Fields that have no word here, by shape: the same shape gets them back. */
export type ShapeExtras = Readonly<Record<string, unknown>>;

/** What may come from a framework. */
export interface WithExtras {
  /** What the shape it came from has no word for here. */
  readonly foreign?: ShapeExtras | undefined;
}

/** A call, as its result names it. */
export interface CallName {
  /** The id that the model or its provider gave the call. */
  readonly callId: string;
  /** The name of the tool that was called. */
  readonly tool: string;
}

/** A text, exactly as it was said. */
export interface MessageText extends WithExtras {
  readonly type: 'text';
  /** What was said. */
  readonly text: string;
}

/** An image, sound or file: a part of a stored output, or an address elsewhere. */
export interface MessageMedia extends WithExtras {
  readonly type: 'media';
  /** Such as `image/png`; `image/*` where only the address is known. */
  readonly mediaType: string;
  /** Where the bytes are. */
  readonly source: { readonly output: ArtifactId; readonly part: number } | { readonly url: string };
}

/** JSON data, or a foreign part without a word of its own (reasoning, a citation). */
export interface MessageData extends WithExtras {
  readonly type: 'data';
  /** What the data is, such as `reasoning`. */
  readonly name: string;
  /** The data itself. */
  readonly json: string;
}

/** A call of a tool. `input` is the text of the arguments as the host had it, normally JSON. */
export interface MessageCall extends CallName, WithExtras {
  readonly type: 'call';
  /** The arguments. */
  readonly input: string;
}

/** The result of a call: the output that holds it. */
export interface MessageResult extends CallName, WithExtras {
  readonly type: 'result';
  /** The handle of the output. */
  readonly output: ArtifactId;
  /** How the call ended, as the output has it: known also when the output is no longer kept. */
  readonly status: OutcomeStatus;
  /** `preliminary`: more was to come. `backfilled`: fetched later from a durable source. */
  readonly stage?: 'preliminary' | 'backfilled' | undefined;
  /** The output could not be stored when this was said. It may have been since. */
  readonly unstored?: true;
  /** No message made the call: its run was given up. A model is told of the result. */
  readonly unsaid?: true;
  /** What makes it likely that the text was cut before it reached us. */
  readonly legacy?: LegacyMark | undefined;
}

/** How sure it is, from 0 to 1, that a text had been cut elsewhere, and by which signs. */
export interface LegacyMark {
  /** From 0 to 1. */
  readonly confidence: number;
  /** What was found in the text, by name. */
  readonly signs: readonly string[];
}

/** One part of a message. */
export type MessagePart = MessageText | MessageMedia | MessageData | MessageCall | MessageResult;

/** A message before it has its number. */
export interface MessageDraft extends WithExtras {
  /** Unique in its session. The same id again is the same message. */
  readonly id: string;
  /** Who speaks. */
  readonly role: Role;
  /** When it was said. Milliseconds since 1970. */
  readonly at: number;
  /** What is said, in order. */
  readonly parts: readonly MessagePart[];
}

/** A message as it is kept. */
export interface MessageRecord extends MessageDraft, SessionName {
  /** 1 for the first message of the session, without gaps. */
  readonly ordinal: number;
}

/** A message as stores and exports write it: `ordinal` is called `place` there. */
export type StoredMessage = Omit<MessageRecord, 'ordinal'> & {
  /** The same as `ordinal`. */ readonly place: number;
};
