/**
 * Finds the first line of a stored output that reports an error. It reads the text parts in order;
 * a line of stderr comes before one of another part. Reading stops at the line, or after MOST_BYTES
 * of a part. The result is one line without control chars, at most MOST_CHARS long.
 */
import { NOTHING } from '../model/extent.ts';
import type { OutputRecord } from '../model/output.ts';
import type { ContentPart } from '../options.ts';
import { storedPieces } from '../text/stored-pieces.ts';
import { RowStream } from '../vocabulary/found-lines.ts';
import { isError } from '../vocabulary/verdict.ts';
import { standardVocabulary } from '../vocabulary/vocabulary.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_CHARS = 200;

/** A line that is labelled as an error is one, whatever else it says. */
const LABELLED =
  /^\W{0,4}(?:[\dTZ:.,/+-]+\s+){0,2}[[(]?(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b[\])]?\s*[:|-]/;

/**
 * Null if there is none and the outcome is `ok`; a failed output falls back to its opening line.
 */
export async function firstError(
  { outcome }: Pick<OutputRecord, 'outcome'>,
  parts: AsyncIterable<ContentPart>,
): Promise<string | null> {
  let first: string | null = null;
  let opening: string | null = null;
  for await (const content of parts) {
    const { kind, name } = content.part;
    const isStderr = name === 'stderr' || name === 'error';
    if (kind === 'binary' || (first !== null && !isStderr)) continue;
    const found = await firstOf(content);
    if (found.error !== null && isStderr) return found.error;
    first ??= found.error;
    opening = isStderr ? (found.opening ?? opening) : (opening ?? found.opening);
  }
  return first ?? (outcome.status === 'ok' ? null : opening);
}

interface Found {
  error: string | null;
  /** The first line that is not blank. */
  opening: string | null;
}

async function firstOf({ bytes }: ContentPart): Promise<Found> {
  const found: Found = { error: null, opening: null };
  const feed = new RowStream(standardVocabulary(), (row, { table, judge }) => {
    const isCued = judge.isCued(row);
    if (found.error !== null || (!isCued && found.opening !== null)) return;
    const text = table.textOf(row);
    if (text.trim() === '') return;
    found.opening ??= oneLine(text);
    const verdict = judge.of(row, true);
    if (LABELLED.test(text) || isError(judge.weight(verdict), judge.flags(verdict)))
      found.error = oneLine(text);
  });
  for await (const piece of storedPieces(NOTHING, bytes)) {
    feed.push(piece);
    if (found.error !== null || piece.start.bytes > MOST_BYTES) break;
  }
  if (found.error === null) feed.finish();
  return found;
}

function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  return line.length <= MOST_CHARS ? line : `${line.slice(0, MOST_CHARS - 1).toWellFormed()}…`;
}
