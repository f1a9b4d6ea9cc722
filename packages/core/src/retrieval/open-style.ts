/**
 * The colours of a terminal that are in force where a line begins: the escape sequences (SGR) since
 * the last reset. A person who opens a log in its middle sees it as a terminal would show it. Looks
 * back over two stored pieces at most; colours that were set before count as ended.
 */
import { advance } from '../text/utf8.ts';
import type { StoredPartReader } from './stored-part-reader.ts';

const ESCAPE = 0x1b;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /\x1b\[([0-9;:]*)m/g;

/** The sequences as one text; empty where none is in force. */
export async function openStyle(
  reader: StoredPartReader,
  line: number,
  signal?: AbortSignal,
): Promise<string> {
  if (line <= 1) return '';
  const near = await reader.read({ breaks: line - 1 }, signal);
  const { at, pieces } = await reader.read({ bytes: Math.max(0, near.at.bytes - 1) }, signal);
  const before: Uint8Array[] = [];
  let toPass = line - 1 - at.breaks;
  for await (const piece of pieces) {
    const { bytes, breaks } = advance(piece, 0, Number.POSITIVE_INFINITY, toPass);
    before.push(piece.subarray(0, bytes));
    toPass -= breaks;
    if (toPass <= 0) break;
  }
  return stylesIn(before);
}

function stylesIn(pieces: readonly Uint8Array[]): string {
  if (!pieces.some((piece) => piece.includes(ESCAPE))) return '';
  let open = '';
  for (const [sequence, codes = ''] of Buffer.concat(pieces).toString('latin1').matchAll(STYLE)) {
    // What follows a reset in the same sequence begins anew.
    const rest = codes.split(';');
    const reset = rest.findLastIndex((code) => Number(code) === 0);
    if (reset < 0) open += sequence;
    else open = reset === rest.length - 1 ? '' : `\x1b[${rest.slice(reset + 1).join(';')}m`;
  }
  return open;
}
