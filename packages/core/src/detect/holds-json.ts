/**
 * Whether most of a sample is JSON that stands behind other words: what a command printed, not
 * source code, though its lines look like it. Behind a comment it is settings that a person wrote.
 * Linear in the sample.
 */
import type { TextSample } from '../model/text-sample.ts';
import { JsonScan } from '../table/tree/json-scan.ts';

const LF = 10;
const LEAST_SHARE = 0.5;
const COMMENT = /^\s*(?:\/\/|\/\*|#|;|--)/;

export function holdsJson({ bytes, start, lines }: TextSample): boolean {
  if (COMMENT.test(lines[0]?.text ?? '')) return false;
  let covered = 0;
  for (let at = start; at < bytes.length; ) {
    const opening = openingIn(bytes, at);
    const read = opening < 0 ? NONE : valueIn(bytes.subarray(opening));
    if (read.isValue) covered += read.bytes;
    at = lineAfter(bytes, Math.max(at, opening + read.bytes));
  }
  return covered >= (bytes.length - start) * LEAST_SHARE;
}

/** Where a bracket begins the line that begins here, or -1. */
function openingIn(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return bytes[at] === 0x7b || bytes[at] === 0x5b ? at : -1;
}

const NO_SINK = { open() {}, close() {}, leaf() {} };
const NONE = { isValue: false, bytes: 0 };

/**
 * How far the value at the beginning goes, also if it is not over yet; or how far what is none was
 * read.
 */
function valueIn(bytes: Uint8Array): { readonly isValue: boolean; readonly bytes: number } {
  const scan = new JsonScan(NO_SINK, 'one');
  scan.push(bytes);
  if (scan.valueEnd >= 0) return { isValue: true, bytes: scan.valueEnd };
  return { isValue: scan.failure === null, bytes: scan.position };
}

function lineAfter(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end + 1;
}
