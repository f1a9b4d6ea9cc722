/**
 * JSON as people write it in configuration files: with comments, and commas before a closing
 * bracket. They are blanked out, so that positions in what is read are positions in the file.
 */

/** Each byte is looked at once, whatever the file holds. */
export function withoutComments(bytes: Buffer): Buffer {
  const plain = Buffer.from(bytes);
  /** A comma behind which only blanks have come so far. */
  let comma = -1;
  for (let at = 0; at < plain.length; ) {
    const end = commentEnd(plain, at);
    if (end > at) {
      for (let i = at; i < end; i++) if (plain[i] !== LF && plain[i] !== CR) plain[i] = SPACE;
      at = end;
      continue;
    }
    const byte = plain[at] ?? 0;
    if (comma !== -1 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST)) plain[comma] = SPACE;
    if (byte === COMMA) comma = at;
    else if (byte > SPACE) comma = -1;
    at = byte === QUOTE ? stringEnd(plain, at) : at + 1;
  }
  return plain;
}

const [LF, CR, SPACE, QUOTE, STAR, COMMA, SLASH] = [0x0a, 0x0d, 0x20, 0x22, 0x2a, 0x2c, 0x2f];
const [CLOSE_LIST, BACKSLASH, CLOSE_OBJECT] = [0x5d, 0x5c, 0x7d];

/** Where the comment ends that begins here; the same place if none does. */
function commentEnd(bytes: Buffer, at: number): number {
  if (bytes[at] !== SLASH) return at;
  if (bytes[at + 1] === SLASH) {
    let end = at;
    while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end++;
    return end;
  }
  if (bytes[at + 1] !== STAR) return at;
  const close = bytes.indexOf('*/', at + 2);
  return close === -1 ? bytes.length : close + 2;
}

/** Behind the closing quote; the end of the file if it has none. */
function stringEnd(bytes: Buffer, at: number): number {
  for (let end = at + 1; end < bytes.length; end++) {
    if (bytes[end] === BACKSLASH) end++;
    else if (bytes[end] === QUOTE) return end + 1;
  }
  return bytes.length;
}
