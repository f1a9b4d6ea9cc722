/**
 * Records as JSON text, with a checksum behind it where a store asks for one. Text without a
 * checksum is read as it is.
 */
import { crc32 } from '../text/digest.ts';

const HEX_DIGITS = 8;

export function checkedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return `${json}\n${sum(json)}`;
}

/**
 * The value as its parser gives it, or undefined if it is damaged: by its checksum, or because the
 * parser refuses it.
 */
export function readChecked<T>(text: string | null, parse: (value: unknown) => T): T | undefined {
  if (typeof text !== 'string') return undefined;
  const at = text.length - HEX_DIGITS - 1;
  const json = text.endsWith('}') ? text : text.slice(0, Math.max(0, at));
  if (json !== text && (text[at] !== '\n' || text.slice(at + 1) !== sum(json))) return undefined;
  try {
    return parse(JSON.parse(json));
  } catch {
    // The message of JSON.parse would quote the text.
    return undefined;
  }
}

function sum(json: string): string {
  return crc32(json).toString(16).padStart(HEX_DIGITS, '0');
}
