/**
 * Parts that are no text: images, audio, anything else. They are kept as they came, so the bytes of
 * an image may lie in base64, or in a content block of MCP, which is JSON around that.
 */
import type { Streamed } from './answer.ts';
import type { ApiRequest } from './api-request.ts';
import { bytesOf, partIn } from './content-view.ts';
import type { Inspected } from './inspected.ts';
import { Problem } from './problem.ts';

const MOST_BYTES = 32 * 1024 * 1024;

export async function showMedia(inspected: Inspected, request: ApiRequest): Promise<Streamed> {
  const { record, spillway } = await inspected.find(request.param('id'));
  const part = partIn(request);
  const known = (await spillway.reader.parts(record, 1_000)).find(({ index }) => index === part);
  if (known === undefined || known.kind !== 'binary')
    throw new Problem('not_found', 'There is no such image.');
  if (known.bytes > MOST_BYTES) throw new Problem('too_large', 'It is too large to be shown: load it down.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(spillway, record, part)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { type, body } = known.notes.includes('base64')
    ? { type: known.mediaType, body: Buffer.from(bytes.toString('latin1'), 'base64') }
    : (contentBlock(known.mediaType, bytes) ?? { type: known.mediaType, body: bytes });
  return {
    stream: 'bytes',
    chunks: only(body),
    headers: {
      'content-type': 'application/octet-stream',
      'x-media-type': (type ?? '').replace(/[^\w/+.-]/g, '').slice(0, 100),
    },
  };
}

interface Media {
  readonly type: string;
  readonly body: Buffer;
}

/** `{ type: 'image', data, mimeType }`, or a resource with a blob; null for any other part. */
function contentBlock(mediaType: string | undefined, bytes: Buffer): Media | null {
  if (mediaType !== 'application/json') return null;
  const block = parsed(bytes);
  const { data, blob, mimeType } = { ...block, ...(block.resource ?? {}) } as Record<string, unknown>;
  const held = data ?? blob;
  if (typeof held !== 'string' || typeof mimeType !== 'string') return null;
  return { type: mimeType, body: Buffer.from(held, 'base64') };
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Not a block: it is sent as it is.
    return {};
  }
}

async function* only(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}
