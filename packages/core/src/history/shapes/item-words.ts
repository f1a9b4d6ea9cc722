/**
 * How an API spells its items: OpenAI's responses and OpenAI Agents have the same ones under other
 * names.
 */
import type { SentResult } from '../message.ts';
import type { Fields } from './json.ts';
import type { ImportedMessage } from './shape.ts';

/** An image by its address, and what else is said about it. */
interface ItemImage {
  readonly url: string;
  readonly rest: Fields;
}

/** The words of one API. */
export interface ItemWords {
  /** The name of the shape. */
  readonly name: string;
  /** The field that holds the id of a call. */
  readonly callId: 'call_id' | 'callId';
  /** The field of a screenshot that holds the picture. */
  readonly screenshot: 'image_url' | 'data';
  /** The field that tells how a command of a shell ended. */
  readonly exitCode: 'exit_code' | 'exitCode';
  /** The type of calls that carry their own output, if there are such. */
  readonly hosted?: string;
  /** Whether an output may be one object, such as `{ type: 'text', text }`. */
  readonly hasObjects?: true;
  /** The type of the item that answers a call of this type. */
  outputOf(callType: string): string;
  isOutput(type: string): boolean;
  /** The image in a part of a message or a result; null if it is none. */
  imageOf(part: Fields): ItemImage | null;
  imagePart(url: string): Fields;
  /** The fields of a message that came from elsewhere, and whether its content is one text. */
  newMessage(role: ImportedMessage['role']): { readonly about: Fields; readonly asText: boolean };
  /** The fields of an answer that came from elsewhere, beside its type, its call and its output. */
  newOutput(result: SentResult, type: string): Fields;
  /** An output that is one text; `kept` is what was left of the item that it was read from. */
  textOutput(text: string, kept: Fields): unknown;
}
