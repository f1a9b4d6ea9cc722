/**
 * Files inside parts that have no word of their own here: a document, a recording, an image in
 * another spelling. The bytes are taken out, so that they are stored once and a message does not
 * carry them; the part around them is kept and closed again when it is written. Only the first run
 * of base64 that is long enough is taken. Units: chars.
 */

import type { SentMedia } from '../message.ts';
import type { MediaInput } from '../message-input.ts';
import { dataUrl, type Fields, isRecord, keptFor, textField } from './json.ts';

const LEAST_CHARS = 512;
const DEEPEST = 4;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const TYPE_FIELDS = ['media_type', 'mediaType', 'mimeType', 'mime_type'];

interface Found {
  readonly path: readonly string[];
  readonly mediaType: string;
  readonly base64: string;
  /** What stands before the bytes. */
  readonly before: string;
}

/** The part as media with everything around it, or null if it holds no file. */
export function embeddedMedia(shape: string, part: Fields): MediaInput | null {
  const found = findBytes(part, [], '');
  if (found === null) return null;
  const { path, mediaType, base64, before } = found;
  const around = replaced(part, path, before);
  return { type: 'media', mediaType, data: base64, foreign: { [shape]: { $around: around, $path: path } } };
}

/** The part again, with the file in its place; null if it was none. */
export function closedAround(shape: string, media: SentMedia): Fields | null {
  const { $around: around, $path: path } = keptFor(shape, media);
  if (!isRecord(around) || !Array.isArray(path) || 'url' in media.data) return null;
  return replaced(around, path as string[], null, media.data.base64);
}

function findBytes(fields: Fields, path: readonly string[], typed: string): Found | null {
  const named = TYPE_FIELDS.map((name) => textField(fields, name)).find((type) => type !== '') ?? typed;
  const format = textField(fields, 'format');
  for (const [name, value] of Object.entries(fields)) {
    if (isRecord(value) && path.length < DEEPEST) {
      const found = findBytes(value, [...path, name], named);
      if (found !== null) return found;
    }
    if (typeof value !== 'string' || value.length < LEAST_CHARS) continue;
    const data = dataUrl(value);
    if (data !== null) {
      const before = value.slice(0, value.length - data.base64.length);
      return { path: [...path, name], before, ...data };
    }
    // Without a type it is no file: signatures and encrypted thoughts look the same.
    const mediaType = named === '' && format !== '' ? `audio/${format}` : named;
    if (mediaType === '' || !BASE64.test(value) || value.length % 4 !== 0) continue;
    return { path: [...path, name], before: '', mediaType, base64: value };
  }
  return null;
}

/** A copy with `text` at the end of a path, or with `more` behind what is there. */
function replaced(
  fields: Fields,
  [name = '', ...rest]: readonly string[],
  text: string | null,
  more = '',
): Fields {
  const there = fields[name];
  if (rest.length > 0) return { ...fields, [name]: replaced(isRecord(there) ? there : {}, rest, text, more) };
  return { ...fields, [name]: text ?? `${typeof there === 'string' ? there : ''}${more}` };
}
