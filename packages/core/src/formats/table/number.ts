/**
 * Reads a decimal number straight from bytes: `12`, `-0.5`, `1.2e-9`, `1,234`, `98%`, `$5`;
 * anything else is NaN.
 */
const ZERO = 48;
const NINE = 57;

export function numberIn(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  let end = to;
  const first = bytes[at] ?? 0;
  const negative = first === 45;
  if (negative || first === 43 || first === 36) at++;
  if (bytes[end - 1] === 37) end--;
  if (end - at > 24 || end === at) return Number.NaN;
  let value = 0;
  let digits = 0;
  let scale = 0;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      digits++;
      if (scale > 0) scale *= 10;
    } else if (byte === 46 && scale === 0) scale = 1;
    else if ((byte === 101 || byte === 69) && digits > 0) return withExponent(bytes, from, end);
    else if (byte !== 44 || scale > 0 || digits === 0) return Number.NaN;
  }
  if (digits === 0) return Number.NaN;
  const size = scale > 1 ? value / scale : value;
  return negative ? -size : size;
}

function withExponent(bytes: Uint8Array, from: number, to: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
  return /^[-+]?(?:\d+(?:\.\d+)?|\.\d+)e[-+]?\d{1,3}$/i.test(text) ? Number(text) : Number.NaN;
}
