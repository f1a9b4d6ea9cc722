/** Requests over HTTP as messages, and refusals as answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mirrored } from './http-headers.ts';
import { elementsOf } from './json-edit.ts';
import { errorMessage, type Message, readMessage } from './message.ts';
import { REFUSED } from './wording.ts';

const MOST_BODY_BYTES = 64 * 1024 * 1024;
const WITHOUT_HANDSHAKE = '2026-07-28';

/** Null if it is too large. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function messagesIn(body: Buffer): Message[] | null {
  const one = readMessage(body);
  if (one !== null) return [one];
  const all = elementsOf(body)?.map(({ start, end: to }) => readMessage(body.subarray(start, to)));
  return all === undefined || all.includes(null) ? null : (all as Message[]);
}

/** Whether a request without a session says that it needs none. */
export function claimsStateless({ headers }: IncomingMessage): boolean {
  const revision = headers['mcp-protocol-version'];
  return (
    headers['mcp-session-id'] === undefined && typeof revision === 'string' && revision >= WITHOUT_HANDSHAKE
  );
}

/** Headers that are there must say what the message says; the method must be there. */
export function disagreement(request: IncomingMessage, message: Message): string | null {
  const wanted = mirrored(message);
  for (const [name, value] of Object.entries(wanted)) {
    const given = request.headers[name];
    if (given === undefined && message.id !== null) return REFUSED.headerMissing(name);
    if (given !== undefined && given !== value) return REFUSED.headerDiffers(name);
  }
  return null;
}

export function cancelled(id: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":${JSON.stringify(REFUSED.clientGone)}}}`,
  );
}

export function refuse(
  response: ServerResponse,
  status: number,
  why: string,
  code = -32000,
  id: string | null = null,
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(errorMessage(id ?? 'null', code, why));
}
