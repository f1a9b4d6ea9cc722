/**
 * A message with everything in it, ready to be put into the shape of a provider or a screen: results
 * as they are to be read, media as base64. It is derived from canonical messages and never becomes
 * one: no type of what can be said (`MessageInput`) can hold what our renderer made.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type {
  CallName,
  MessageCall,
  MessageData,
  MessageDraft,
  MessagePart,
  MessageResult,
  MessageText,
  ShapeExtras,
  WithExtras,
} from '../model/message.ts';
import type { Outcome, OutcomeStatus } from '../model/outcome.ts';
import type { ProjectedText } from '../model/projection.ts';
import { parsed } from './shapes/json.ts';

declare const derived: unique symbol;

/** An image, sound or file with its bytes, or where they are. */
export interface SentMedia extends WithExtras {
  readonly type: 'media';
  /** Such as `image/png`; `image/*` where only the address is known. */
  readonly mediaType: string;
  /** The bytes, or their address. */
  readonly data: { readonly base64: string } | { readonly url: string };
}

/** A block of a result. `json` with a `shape` is a foreign block of that framework. */
export type ResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly text: string; readonly shape?: string | undefined }
  | SentMedia;

/** Why a result is not the tool's own: never came, deleted, not stored, or unreadable. */
export type Synthetic = 'missing' | 'gone' | 'unstored' | 'damaged';

/** The result of a call, as it is to be read. */
export interface SentResult extends CallName, WithExtras, Pick<MessageResult, 'legacy'> {
  readonly type: 'result';
  /** The canonical output that it is a view of; null for a synthetic one. */
  readonly output: ArtifactId | null;
  /** How the call ended. */
  readonly status: OutcomeStatus;
  /** Why this stands for a result that is not there; null for a real one. */
  readonly synthetic: Synthetic | null;
  /** What the model reads of it. */
  readonly blocks: readonly ResultBlock[];
}

/** One part of such a message. */
export type SentPart = MessageText | MessageData | MessageCall | SentMedia | SentResult;

/** A message that can be sent or shown. */
export interface Message extends Pick<MessageDraft, 'role' | 'foreign'> {
  /** The id of its canonical message; results have that of the message with their calls. */
  readonly id: string;
  /** What is sent or shown, in order. */
  readonly parts: readonly SentPart[];
}

/** A message that was made out of kept ones: it can be sent and shown, and cannot be said again. */
export type DerivedMessage = Message & Derived;

/** Marks what we made: the canonical writer takes nothing that has it. */
export interface Derived {
  readonly [derived]: true;
}

/** Whether a model must be told that the call went wrong. */
export function isError({ status }: Pick<SentResult, 'status'>): boolean {
  return status !== 'ok';
}

/** All text of a result, blocks one below the other. */
export function textOf({ blocks }: Pick<SentResult, 'blocks'>): string {
  return blocks.flatMap((block) => (block.type === 'media' ? [] : [block.text])).join('\n');
}

interface TextParts {
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

/** The texts of a message, one below the other. */
export function wordsOf({ parts }: TextParts): string {
  return parts.flatMap(({ type, text }) => (type === 'text' ? (text ?? []) : [])).join('\n');
}

/** What stands for a message of a user that says nothing. */
const EMPTY_MESSAGE = '[The message is empty.]';

/** Drops empty texts, which providers refuse. An empty user message says that it is empty. */
export function withoutEmpty(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter((part) => part.type !== 'text' || part.text.trim() !== '');
    if (parts.length === message.parts.length && parts.length > 0) return [message];
    // What a framework keeps beside an empty content (a refusal) may be all that it says.
    if (parts.length > 0 || message.foreign !== undefined) return [{ ...message, parts }];
    return message.role === 'user' ? [{ ...message, parts: [{ type: 'text', text: EMPTY_MESSAGE }] }] : [];
  });
}

/** Lone surrogates, which no provider takes, are sent as U+FFFD; they stay stored as they are. */
export function wellFormed(message: Message): Message {
  return { ...wellFormedFields(message), parts: message.parts.map(wellFormedFields) };
}

/** Fields that hold JSON as text; what results show is well formed already, and media is base64. */
const JSON_FIELDS = ['json', 'input'];

function wellFormedFields<T extends Message | SentPart>(value: T): T {
  const fields = Object.entries(value).map(([name, field]) => {
    if (name === 'foreign') return [name, wellFormedExtras(field)];
    if (typeof field !== 'string') return [name, field];
    return [name, JSON_FIELDS.includes(name) ? wellFormedJson(field) : field.toWellFormed()];
  });
  return Object.fromEntries(fields);
}

/** What a framework keeps beside it is sent along. */
function wellFormedExtras(extras: ShapeExtras | undefined): ShapeExtras | undefined {
  if (extras === undefined) return undefined;
  const json = JSON.stringify(extras);
  const whole = escapedWell(json);
  return whole === json ? extras : JSON.parse(whole);
}

/** Arguments need not be JSON: what looks like an escape in a free text is text. */
function wellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  return parsed(whole, () => undefined) === undefined ? whole : escapedWell(whole);
}

/** In JSON lone surrogates are escaped; pairs and escaped backslashes stay. */
function escapedWell(json: string): string {
  return json
    .toWellFormed()
    .replaceAll(/\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]../g, (found) =>
      found.length === 6 ? '\\ufffd' : found,
    );
}

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
