/** How a JSON file with comments is laid out; positions are bytes. */

const [TAB, LF, CR, SPACE, COMMA, SLASH, STAR] = [0x09, 0x0a, 0x0d, 0x20, 0x2c, 0x2f, 0x2a];

/** What its first indented line is indented by. */
export function unitOf(bytes: Buffer): string {
  return /\n([ \t]+)\S/.exec(bytes.toString('latin1'))?.[1] ?? '  ';
}

/** What the line of a position is indented by. */
export function lineIndent(bytes: Buffer, at: number): string {
  const start = bytes.lastIndexOf(LF, at - 1) + 1;
  let end = start;
  while (bytes[end] === SPACE || bytes[end] === TAB) end++;
  return bytes.toString('latin1', start, at < start ? start : Math.min(end, at));
}

/** Where the space before a position begins. */
export function spaceBefore(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && isSpace(bytes[start - 1])) start--;
  return start;
}

/** The comma that follows, over space and comments; -1 if something else does. */
export function commaAfter(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; ) {
    if (isSpace(bytes[at])) at++;
    else if (bytes[at] === SLASH && (bytes[at + 1] === SLASH || bytes[at + 1] === STAR))
      at = commentEnd(bytes, at);
    else return bytes[at] === COMMA ? at : -1;
  }
  return -1;
}

function commentEnd(bytes: Buffer, at: number): number {
  const isLine = bytes[at + 1] === SLASH;
  const end = bytes.indexOf(isLine ? '\n' : '*/', at + 2);
  return end === -1 ? bytes.length : end + (isLine ? 1 : 2);
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}
