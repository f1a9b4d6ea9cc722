/**
 * Search in a stored part: matching lines with their numbers, in order, page by page. Streams the part once; memory is bounded by the page and
 * the longest line looked at (longer lines are matched by their first 64 K chars). Matching is linear in the text: the engine sees to it.
 */
import { SpillwayError } from '../model/errors.ts';
import { fetchCall, partAddress } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import { LineSplitter } from '../text/lines.ts';
import { count } from '../text/numbers.ts';
import type { FetchedPage, RetrieveContext } from './fetched.ts';
import { type Cursor, formatCursor } from './request.ts';

const LINE_CHARS = 500;
const HEADER_CHARS = 400;

export async function searchPage(
  context: RetrieveContext,
  output: OutputRecord,
  part: PartRecord,
  parts: readonly PartRecord[],
  pattern: string,
  cursor: Cursor | null,
): Promise<FetchedPage> {
  if (context.patterns === null)
    throw new SpillwayError(
      'invalid_argument',
      'Pattern search is not available here. Ask by lines or chars.',
    );
  const matcher = context.patterns.compile(pattern);
  const room = context.pageLimit - HEADER_CHARS;
  let body = '';
  let total = 0;
  let shown = 0;
  let firstLine = 0;
  let lastLine = 0;
  let nextByte: number | null = null;
  const reading = await context.store.read(output.id, part.index, { bytes: 0 });
  const splitter = new LineSplitter();
  const look = (text: string, number: number, byte: number) => {
    if (!matcher.test(text)) return;
    total++;
    if (byte < (cursor?.start ?? 0) || nextByte !== null) return;
    const line = `${number}:${text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS).toWellFormed()} ... [${count(text.length - LINE_CHARS)} chars omitted] ...` : text}\n`;
    if (body.length + line.length > room && shown > 0) {
      nextByte = byte;
      return;
    }
    body += line;
    shown++;
    firstLine ||= number;
    lastLine = number;
  };
  for await (const piece of reading.pieces) splitter.push(piece, look);
  splitter.finish(look);
  const nextCursor =
    nextByte === null ? null : formatCursor({ part: part.index, start: nextByte, end: part.bytes });
  const nextCall =
    nextCursor === null ? null : fetchCall(context.hint, output.id, { pattern, cursor: nextCursor });
  const name = partAddress(parts, part.index);
  const header = `[${output.id}${name === undefined ? '' : ` ${name}`}: ${count(shown)} of ${count(total)} matching lines, ${count(part.lines)} lines in all${nextCall === null ? '' : `. Next: ${nextCall}`}]\n`;
  return {
    text: header + body,
    header,
    body,
    part: part.name,
    totalChars: part.chars,
    totalLines: part.lines,
    totalBytes: part.bytes,
    lines: shown === 0 ? null : [firstLine, lastLine],
    chars: null,
    nextCursor,
    nextCall,
  };
}
