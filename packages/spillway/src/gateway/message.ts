/**
 * JSON-RPC messages: what the gateway reads of one (id as written, method, where params and result
 * lie), the headers that repeat it, and messages of its own. Others pass as the bytes they came as.
 */
import { edited, type Member, type Members, membersOf, stringIn, textIn, valueIn } from './json-edit.ts';

/** The revision from which results may hold links to resources. */
const LINKS_SINCE = '2025-06-18';
/** From this revision on, requests name their revision and need no handshake. */
export const WITHOUT_HANDSHAKE = '2026-07-28';
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  serverError: -32000,
  resourceNotFound: -32002,
  headerMismatch: -32020,
} as const;
export const PROTOCOL_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
export const TRUNCATION_KEY = 'spillway/truncation';

export function readMessage(bytes: Buffer): Message | null {
  const members = membersOf(bytes);
  if (members === null) return null;
  const message = new Message(bytes, members);
  return message.method !== null || members.has('result') || members.has('error') ? message : null;
}

/** A whole, valid message. Inner objects are read on demand, once. */
export class Message {
  readonly bytes: Buffer;
  readonly members: Members;
  /** The id as written, e.g. `7` or `"a"`; null for a notification. */
  readonly id: string | null;
  /** Null for a response. */
  readonly method: string | null;
  readonly #inside = new Map<Member, Members>();

  constructor(bytes: Buffer, members: Members) {
    this.bytes = bytes;
    this.members = members;
    this.id = this.written(members.get('id')) ?? null;
    this.method = this.string(members.get('method')) ?? null;
  }

  get params(): Members {
    return this.inside(this.members.get('params'));
  }

  get result(): Members {
    return this.inside(this.members.get('result'));
  }

  get meta(): Members {
    return this.inside(this.params.get('_meta'));
  }

  inside(member: Member | undefined): Members {
    if (member === undefined) return new Map();
    const known = this.#inside.get(member) ?? membersOf(this.bytes, member.value) ?? new Map();
    this.#inside.set(member, known);
    return known;
  }

  value(member: Member | undefined): unknown {
    return member === undefined ? undefined : valueIn(this.bytes, member.value);
  }

  string(member: Member | undefined): string | undefined {
    return stringIn(this.bytes, member);
  }

  written(member: Member | undefined): string | undefined {
    return member === undefined ? undefined : textIn(this.bytes, member.value);
  }

  with(member: Member | undefined, json: string): Buffer {
    return member === undefined ? this.bytes : edited(this.bytes, [{ ...member.value, by: json }]);
  }
}

export interface AnswerRules {
  /** Results say what kind they are (2026-07-28 and later: each request names its revision). */
  readonly stateless: boolean;
  /** Results may hold links to resources. */
  readonly links: boolean;
}

export function rulesOf(revision: string, stateless: boolean): AnswerRules {
  return { stateless, links: revision >= LINKS_SINCE };
}

export function ownMessage(id: string | null, method: string, params: string): Message {
  const named = id === null ? '' : `"id":${id},`;
  const json = `{"jsonrpc":"2.0",${named}"method":${JSON.stringify(method)},"params":${params}}`;
  return readMessage(Buffer.from(json)) as Message;
}

export function cancellation(id: string, reason: string): Message {
  const params = `{"requestId":${id},"reason":${JSON.stringify(reason)}}`;
  return ownMessage(null, 'notifications/cancelled', params);
}

/** Stops asking a server that always names a next page. */
const MOST_PAGES = 1_000;

/** All pages of a list. `meta`: as JSON, what each request says beside its cursor. */
export async function* pagesOf(
  meta: string | undefined,
  ask: (params: string) => Promise<Message | null>,
): AsyncGenerator<Message> {
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const given = [
      ...(meta === undefined ? [] : [`"_meta":${meta}`]),
      ...(cursor === undefined ? [] : [`"cursor":${JSON.stringify(cursor)}`]),
    ];
    const page: Message | null = await ask(`{${given.join(',')}}`);
    if (page === null || !page.members.has('result')) return;
    yield page;
    const next: string | undefined = page.string(page.result.get('nextCursor'));
    if (next === undefined || next === cursor) return;
    cursor = next;
  }
}

export function resultMessage(
  id: string,
  rules: AnswerRules,
  result: Readonly<Record<string, unknown>>,
): Buffer {
  const kind = rules.stateless ? { resultType: 'complete' } : {};
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify({ ...kind, ...result })}}`);
}

export function toolError(id: string, rules: AnswerRules, text: string): Buffer {
  return resultMessage(id, rules, { content: [{ type: 'text', text }], isError: true });
}

export function errorMessage(id: string, code: number, message: string, data?: unknown): Buffer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`);
}

/** Ids compare by value: `1.0` is `1`. Integers beyond JavaScript's range compare as written. */
export function sameId(written: string): string {
  if (written.startsWith('"')) return JSON.stringify(JSON.parse(written));
  const value = Number(written);
  return Number.isSafeInteger(value) ? String(value) : written;
}

// Headers that the protocol wants mirrored from the message. Values that a header cannot hold are
// wrapped as `=?base64?…?=`.

const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

export function mirrored(message: Message): Readonly<Record<string, string>> {
  const revision = message.value(message.meta.get(PROTOCOL_KEY));
  if (typeof revision !== 'string' || message.method === null) return {};
  const name = nameOf(message);
  return {
    'mcp-protocol-version': revision,
    'mcp-method': message.method,
    ...(name === undefined ? {} : { 'mcp-name': headerValue(name) }),
  };
}

export function nameOf(message: Message): string | undefined {
  const field = NAMED_BY[message.method ?? ''];
  return field === undefined ? undefined : message.string(message.params.get(field));
}

function headerValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

export function argumentHeaders(schema: unknown, args: unknown): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  collect(schema, args, found, 0);
  return found;
}

function collect(schema: unknown, args: unknown, found: Record<string, string>, depth: number): void {
  const properties = (schema as { properties?: Record<string, Record<string, unknown>> } | null)?.properties;
  if (typeof properties !== 'object' || typeof args !== 'object' || args === null || depth > 20) return;
  for (const [key, property] of Object.entries(properties)) {
    const value = (args as Record<string, unknown>)[key];
    const header = property?.['x-mcp-header'];
    const isScalar = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
    if (typeof header === 'string' && isScalar) found[`mcp-param-${header}`] = headerValue(String(value));
    else collect(property, value, found, depth + 1);
  }
}
