/**
 * Where strings, numbers and literals end that are all there, each in one loop over its bytes.
 * Strict (RFC 8259): what is not valid, and what the bytes break off, has no end here.
 */

const TRUE: Uint8Array = Buffer.from('true');
const FALSE: Uint8Array = Buffer.from('false');
const NULL: Uint8Array = Buffer.from('null');
/** What may stand in a string as it is: all but quotes, backslashes and control characters. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x22 || byte === 0x5c ? 0 : 1,
);

/** Just behind a scalar that is all there, valid, and followed by something; -1 if it is not. */
export function scalarEnd(bytes: Uint8Array, from: number): number {
  const byte = bytes[from] as number;
  if (byte === 0x22) return stringEnd(bytes, from + 1);
  const word = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : byte === 0x6e ? NULL : null;
  if (word === null) return numberEnd(bytes, from);
  for (let i = 1; i < word.length; i++) if (bytes[from + i] !== word[i]) return -1;
  return from + word.length;
}

function numberEnd(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  const end = bytes[at] === 0x30 ? at + 1 : digitsEnd(bytes, at);
  if (end === at) return -1;
  at = end;
  if (bytes[at] === 0x2e) {
    const fraction = digitsEnd(bytes, at + 1);
    if (fraction === at + 1) return -1;
    at = fraction;
  }
  if (((bytes[at] ?? 0) | 0x20) === 0x65) {
    const isSigned = bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d;
    const digits = isSigned ? at + 2 : at + 1;
    at = digitsEnd(bytes, digits);
    if (at === digits) return -1;
  }
  return at < bytes.length ? at : -1;
}

function digitsEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++;
  return at;
}

function stringEnd(bytes: Uint8Array, from: number): number {
  let at = plainEnd(bytes, from);
  while (bytes[at] === 0x5c) {
    if (isEscaped(bytes[at + 1] ?? 0)) at += 2;
    else if (bytes[at + 1] === 0x75 && isUnit(bytes, at + 2)) at += 6;
    else return -1;
    at = plainEnd(bytes, at);
  }
  return bytes[at] === 0x22 ? at + 1 : -1;
}

/** Up to the next quote, backslash or control character. */
export function plainEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  const end = bytes.length;
  while (at < end && PLAIN[bytes[at] as number] === 1) at++;
  return at;
}

/** Four digits of an escape. */
function isUnit(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i++) if (!isHex(bytes[i] ?? 0)) return false;
  return true;
}

/** What may follow a backslash, and is all that follows it. */
export function isEscaped(byte: number): boolean {
  switch (byte) {
    case 0x22:
    case 0x2f:
    case 0x5c:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

export function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
