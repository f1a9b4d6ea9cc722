/**
 * What a shape is: a way to read messages of a framework into messages of ours, and to write ours
 * in its words. Shapes are plain data in and out; no framework is imported. What a shape has no
 * word for is kept beside (`foreign`) and comes back in the same shape; what another shape cannot
 * carry is said, message by message, never left out in silence.
 */
import type { ToolResult } from '../../capture/result.ts';
import type { ToolDefinition } from '../../model/fetch.ts';
import type {
  CallName,
  MessageCall,
  MessageData,
  MessageResult,
  MessageText,
  Role,
  WithExtras,
} from '../../model/message.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { MediaInput, Message } from '../message.ts';
import { type Fields, isRecord } from './json.ts';
import type { ShapeTypes } from './shape-types.ts';

/** The names of the shapes: an open list, see `ShapeTypes`. */
export type ShapeName = keyof ShapeTypes & string;

/** A result that is still to be recorded. */
export interface ImportedResult extends CallName, WithExtras, Pick<MessageResult, 'stage'> {
  readonly type: 'result';
  /** What the tool returned, to be recorded whole. */
  readonly result: ToolResult;
  /** How the call ended, where the message tells. */
  readonly outcome?: Outcome | undefined;
}

/** Media by its address elsewhere. */
export interface ImportedMedia extends WithExtras {
  readonly type: 'media';
  /** Such as `image/png`; `image/*` where it is not known. */
  readonly mediaType: string;
  /** Where it is. */
  readonly source: { readonly url: string };
}

/** One part of a message that is read. */
export type ImportedPart =
  | MessageText
  | MessageData
  | MessageCall
  | MediaInput
  | ImportedMedia
  | ImportedResult;

/** A message that is read. */
export interface ImportedMessage extends WithExtras {
  /** The framework's own id, where it has one. */
  readonly id?: string;
  /** Who speaks, in our words. */
  readonly role: Role;
  /** What is said, in order. */
  readonly parts: readonly ImportedPart[];
}

/** Something that could not be carried over. */
export interface Loss {
  /** The id of the message, or its number. */
  readonly message: string;
  /** What it is, without a full stop: it ends a sentence about the message. */
  readonly what: string;
}

/** What was written, and what had no place in it. */
export interface Written {
  /** One object for each message of the framework. */
  readonly messages: readonly Fields[];
  /** What had no place in them. */
  readonly losses: readonly Loss[];
}

/** The words of one shape. */
export interface Vocabulary {
  /** Who can speak. */
  readonly roles: readonly string[];
  /** Types of parts; one that ends with `*` stands for all that begin so. */
  readonly types: readonly string[];
  /** Where a message has what is said. */
  readonly content: string;
  /** Fields beside it that are read, and whose names must be right. */
  readonly fields: readonly string[];
  /** Fields that are read in parts of these types. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  /** Keeps a message whose role is not known, and reports it. One without a role is refused. */
  readonly takesAnyRole?: true;
  /** The field that holds the role. Default: `role`. */
  readonly roleField?: string;
  /** The list also holds items that are no messages: they have a type and no role. */
  readonly hasItems?: true;
  /** The type of a part is the name of one of its fields. */
  readonly hasKeyedParts?: true;
}

/** Reads and writes one shape. Give your own wherever a shape is named. */
export interface Shape {
  /** Under which `foreign` keeps what only this shape has. */
  readonly name: string;
  /** Its words, to tell typing errors from what is new. Without it nothing is checked. */
  readonly vocabulary?: Vocabulary;
  /** Fields, at any depth, that no request holds: they are not counted. */
  readonly unsent?: readonly string[];
  /** Results can be texts only: images in them are named. */
  readonly textResults?: true;
  /** Where a response tells what the provider read: the sum of these fields, in tokens. */
  readonly usage?: readonly (readonly string[])[];
  /** The role and the fields of a message. Default: its `role`, and itself. */
  unwrap?(message: Fields): { readonly role: string; readonly fields: Fields };
  /** Messages of the framework as ours. */
  read(given: unknown): { readonly messages: readonly ImportedMessage[]; readonly losses: readonly Loss[] };
  /** Our messages in the words of the framework. */
  write(messages: readonly Message[]): Written;
  /** The messages in a provider's answer; undefined if it is not an answer. */
  messagesOf?(response: Fields): unknown;
  /** The fields of a request that hold the messages. Default: `messages`. */
  bodyOf?(messages: readonly Fields[]): Fields;
  /** A tool in the words of the shape. Default: as it is. */
  toolOf?(tool: ToolDefinition): unknown;
}

/** The tokens that the provider read for a response, where it tells them. */
export function usageIn({ usage = [] }: Shape, response: unknown): number | undefined {
  const found = usage.map((path) =>
    path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), response),
  );
  const numbers = found.filter((value) => typeof value === 'number');
  return typeof found[0] === 'number' ? numbers.reduce((sum, value) => sum + value, 0) : undefined;
}

/** Collects what is lost, with where. */
export class Losses {
  readonly list: Loss[] = [];

  add(message: string | number, what: string): void {
    this.list.push({ message: String(message), what });
  }
}
