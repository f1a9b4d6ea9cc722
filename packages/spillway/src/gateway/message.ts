/**
 * What the gateway looks at in a JSON-RPC message: its id (as it is written), its method, and where
 * its params and result lie. Nothing else is read; messages are passed on as the bytes they came
 * as.
 */
import { JsonScan, type TreeSink, type TreeToken } from '@spillway/core/plugin';
import { keyOf, type Member, membersOf, stringIn, textIn, valueIn } from './json-edit.ts';

/** A message that is whole and valid. */
export interface Message {
  readonly bytes: Buffer;
  /** The id as written, e.g. `7` or `"a"`; null for a notification. */
  readonly id: string | null;
  /** Null for a response. */
  readonly method: string | null;
  readonly members: ReadonlyMap<string, Member>;
  /**
   * The members of its params, of its result, and of `_meta` in its params; none where there is no
   * such object.
   */
  readonly params: ReadonlyMap<string, Member>;
  readonly result: ReadonlyMap<string, Member>;
  readonly meta: ReadonlyMap<string, Member>;
}

/** The revision from which results may hold links to resources. */
const LINKS_SINCE = '2025-06-18';
export const PROTOCOL_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
/** What is asked of one call beside its arguments. */
export const TRUNCATION_KEY = 'spillway/truncation';

/** The message in these bytes, or null if they are none. */
export function readMessage(bytes: Buffer): Message | null {
  const members = membersOf(bytes);
  if (members === null) return null;
  const id = members.get('id');
  const method = stringIn(bytes, members.get('method')) ?? null;
  if (method === null && !members.has('result') && !members.has('error')) return null;
  return new ReadMessage(bytes, members, method, id === undefined ? null : textIn(bytes, id.value));
}

/** What is inside is read when it is first asked for, and once. */
class ReadMessage implements Message {
  readonly bytes: Buffer;
  readonly members: ReadonlyMap<string, Member>;
  readonly method: string | null;
  readonly id: string | null;
  #params: ReadonlyMap<string, Member> | null = null;
  #result: ReadonlyMap<string, Member> | null = null;
  #meta: ReadonlyMap<string, Member> | null = null;

  constructor(bytes: Buffer, members: ReadonlyMap<string, Member>, method: string | null, id: string | null) {
    this.bytes = bytes;
    this.members = members;
    this.method = method;
    this.id = id;
  }

  get params(): ReadonlyMap<string, Member> {
    this.#params ??= this.#inside(this.members.get('params'));
    return this.#params;
  }

  get result(): ReadonlyMap<string, Member> {
    this.#result ??= this.#inside(this.members.get('result'));
    return this.#result;
  }

  get meta(): ReadonlyMap<string, Member> {
    this.#meta ??= this.#inside(this.params.get('_meta'));
    return this.#meta;
  }

  #inside(member: Member | undefined): ReadonlyMap<string, Member> {
    return (member === undefined ? null : membersOf(this.bytes, member.value)) ?? new Map();
  }
}

/** What `_meta` of a request says under a key; undefined if nothing. */
export function metaOf(
  message: Message,
  key: string,
): { readonly value: unknown; readonly member: Member } | undefined {
  const member = message.meta.get(key);
  return member === undefined ? undefined : { value: valueIn(message.bytes, member.value), member };
}

/** Which rules an answer must follow. */
export interface AnswerRules {
  /** Results say what kind they are (2026-07-28 and later: each request names its revision). */
  readonly stateless: boolean;
  /** Results may hold links to resources. */
  readonly links: boolean;
}

export function rulesOf(revision: string, stateless: boolean): AnswerRules {
  return { stateless, links: revision >= LINKS_SINCE };
}

/** A result of our own. */
export function resultMessage(
  id: string,
  rules: AnswerRules,
  result: Readonly<Record<string, unknown>>,
): Buffer {
  const kind = rules.stateless ? { resultType: 'complete' } : {};
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify({ ...kind, ...result })}}`);
}

/** The result of a tool that failed, in words that a model can read. */
export function toolError(
  id: string,
  rules: AnswerRules,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Buffer {
  return resultMessage(id, rules, { content: [{ type: 'text', text }], isError: true, ...more });
}

export function errorMessage(id: string, code: number, message: string, data?: unknown): Buffer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`);
}

/** Finds id and method of a message that arrives in chunks. */
export class HeaderReader implements TreeSink {
  id: string | null = null;
  method: string | null = null;
  /** Whether there are params: then it is no answer, wherever its method stands. */
  hasParams = false;
  readonly #scan = new JsonScan(this, 'one', Number.POSITIVE_INFINITY);
  /** From the beginning of a header that is not complete, or of what could not be read yet. */
  #held: Uint8Array = Buffer.alloc(0);
  #from = 0;

  push(chunk: Uint8Array): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#scan.push(chunk);
    const { openString, start, position } = this.#scan;
    const isHeader = openString === start && this.#header(this.#scan) !== '';
    const needed = Math.max(this.#from, isHeader ? start : position);
    this.#held = this.#held.slice(needed - this.#from);
    this.#from = needed;
  }

  /** Whether what has arrived may still become a message. */
  get possible(): boolean {
    return this.#scan.failure === null;
  }

  /** Whether it has become one. */
  get whole(): boolean {
    return this.possible && this.#scan.depth === 0 && this.#scan.valueEnd >= 0;
  }

  open(token: TreeToken): void {
    if (this.#scan.depth === 1 && keyOf(token) === 'params') this.hasParams = true;
  }

  close(): void {}

  leaf(token: TreeToken): void {
    const key = this.#header(token);
    if (key === '') return;
    const text = Buffer.from(
      this.#held.subarray(token.start - this.#from, token.end - this.#from),
    ).toString();
    if (key === 'id') this.id = text;
    else if (key === 'params') this.hasParams = true;
    else if (text.startsWith('"')) this.method = JSON.parse(text) as string;
  }

  /** The key of a value, if it is one that is looked at. */
  #header(token: TreeToken): string {
    const key = this.#scan.depth === 1 ? keyOf(token) : '';
    return key === 'id' || key === 'method' || key === 'params' ? key : '';
  }
}

/**
 * An id as JSON text compares by what it says: `1.0` is `1`. Integers too large for a JavaScript
 * number only compare as they are written.
 */
export function sameId(written: string): string {
  if (written.startsWith('"')) return JSON.stringify(JSON.parse(written));
  const value = Number(written);
  return Number.isSafeInteger(value) ? String(value) : written;
}
