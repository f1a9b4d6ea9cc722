/**
 * Files in model messages of the AI SDK: as base64, as bytes or by their address, bare or tagged;
 * each comes back in its form.
 */
import type { ContentBlock } from '../../capture/result.ts';
import type { ResultBlock, SentMedia } from '../message.ts';
import { extrasOf, type Fields, isRecord, ownFields, textField } from './json.ts';
import type { ImportedPart } from './shape.ts';

const NAME = 'ai_model';

/** A file or an image; null if its content is none of these. */
export function readMedia(part: Fields): ImportedPart | null {
  const form = part.type === 'image' ? part.image : part.data;
  const tagged = isRecord(form) && (form.type === 'data' || form.type === 'url') ? form.type : null;
  const data = isRecord(form) && tagged !== null ? form[tagged] : form;
  const typed = typeof part.mediaType === 'string';
  const mediaType = typed ? String(part.mediaType) : 'image/*';
  const about = (how: string) =>
    extrasOf(NAME, part, ['type', 'image', 'data', 'mediaType'], {
      $type: part.type,
      $how: how,
      ...(tagged === null ? {} : { $tagged: tagged }),
      ...(typed ? {} : { $noType: true }),
    });
  if (data instanceof URL)
    return { type: 'media', mediaType, source: { url: data.href }, ...about('address') };
  const bytes = bytesIn(data);
  if (bytes !== null) return { type: 'media', mediaType, data: bytes, ...about('bytes') };
  if (typeof data !== 'string' || tagged === 'url') return null;
  if (/^https?:\/\//.test(data)) return { type: 'media', mediaType, source: { url: data }, ...about('text') };
  return /^[A-Za-z0-9+/=]+$/.test(data) ? { type: 'media', mediaType, data, ...about('text') } : null;
}

export function writeMedia({ mediaType, data }: SentMedia, kept: Fields): Fields {
  const text = 'url' in data ? data.url : data.base64;
  const form =
    kept.$how === 'address'
      ? new URL(text)
      : kept.$how === 'bytes'
        ? new Uint8Array(Buffer.from(text, 'base64'))
        : text;
  const { $tagged: tagged } = kept;
  const content = typeof tagged === 'string' ? { type: tagged, [tagged]: form } : form;
  const typed = kept.$noType === true ? {} : { mediaType };
  const named = kept.$type === 'image' ? { type: 'image', image: content } : { type: 'file', data: content };
  return { ...named, ...typed, ...ownFields(kept) };
}

/** A file in a result: only what can be put together again from its bytes and its type. */
export function mediaBlock(block: Fields): ContentBlock | null {
  const data = isRecord(block.data) ? block.data : {};
  const plain = block.type === 'file' && Object.keys(block).length === 3 && data.type === 'data';
  const bytes = typeof data.data === 'string' ? data.data : bytesIn(data.data);
  if (!plain || bytes === null || Object.keys(data).length !== 2) return null;
  return { type: 'image', data: bytes, mimeType: textField(block, 'mediaType') };
}

export function writeBlock(block: ResultBlock): Fields {
  if (block.type !== 'media') return { type: 'text', text: block.text };
  const { mediaType } = block;
  const data =
    'url' in block.data ? { type: 'url', url: block.data.url } : { type: 'data', data: block.data.base64 };
  return { type: 'file', mediaType, data };
}

function bytesIn(data: unknown): Uint8Array | null {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return data instanceof Uint8Array ? data : null;
}
