/**
 * Headers that the protocol wants mirrored from the message. Values that a header cannot hold are
 * wrapped as `=?base64?…?=`.
 */
import { type Message, PROTOCOL_KEY } from './message.ts';

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
