/**
 * What a fetch is asked with and noted as, and the first error line of what was fetched.
 */
import type { LedgerEvent } from '../model/events.ts';
import { NOTHING } from '../model/extent.ts';
import type { OutputRecord } from '../model/output.ts';
import type { WaitOptions } from '../model/store.ts';
import type { ContentPart } from '../options.ts';
import type { FetchedPage } from '../retrieval/fetched.ts';
import type { FetchRequest } from '../retrieval/request.ts';
import { storedPieces } from '../text/pieces.ts';
import { RowStream } from '../vocabulary/found-lines.ts';
import { isError } from '../vocabulary/verdict.ts';
import { standardVocabulary } from '../vocabulary/vocabulary.ts';

/** Who asks for a page. */
export interface RetrieveOptions extends WaitOptions {
  /** The session whose messages can be searched and fetched. Without it only outputs are searched. */
  readonly session?: string | null;
}

type EventData = NonNullable<LedgerEvent['data']>;

/** Why bytes are streamed: a `survey`, or a person who looks, is not noted in the ledger. */
export interface StreamOptions extends WaitOptions {
  /** Default: `fetch`. */
  readonly purpose?: 'fetch' | 'survey';
}

/** What the ledger notes of a page. */
export function fetchedData({ want }: FetchRequest, page: FetchedPage): EventData {
  const by = want.kind === 'structure' ? want.address.argument : want.kind;
  return { chars: page.body.length, by, ...rangeOf(page) };
}

function rangeOf({ part, lines, chars }: FetchedPage): EventData {
  return {
    part,
    ...(lines === null ? {} : { first_line: lines[0], last_line: lines[1] }),
    ...(chars === null ? {} : { first_char: chars[0], last_char: chars[1] }),
  };
}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_CHARS = 200;
/** A line labelled as an error counts, whatever else it says. */
const LABELLED =
  /^\W{0,4}(?:[\dTZ:.,/+-]+\s+){0,2}[[(]?(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b[\])]?\s*[:|-]/;

/**
 * The first line of an output that reports an error: the text parts in order, and stderr before any
 * other. Null if there is none and the outcome is `ok`; a failed output falls back to its opening
 * line.
 */
export async function firstErrorIn(
  contents: AsyncIterable<ContentPart>,
  outcome: OutputRecord['outcome'],
): Promise<string | null> {
  let first: string | null = null;
  let opening: string | null = null;
  for await (const content of contents) {
    const { kind, name } = content.part;
    const isStderr = name === 'stderr' || name === 'error';
    if (kind === 'binary' || (first !== null && !isStderr)) continue;
    const found = await firstErrorOf(content);
    if (found.error !== null && isStderr) return found.error;
    first ??= found.error;
    opening = isStderr ? (found.opening ?? opening) : (opening ?? found.opening);
  }
  return first ?? (outcome.status === 'ok' ? null : opening);
}

interface FirstLines {
  error: string | null;
  opening: string | null;
}

async function firstErrorOf({ bytes }: ContentPart): Promise<FirstLines> {
  const found: FirstLines = { error: null, opening: null };
  const feed = new RowStream(standardVocabulary(), (row, { table, judge }) => {
    const isCued = judge.isCued(row);
    if (found.error !== null || (!isCued && found.opening !== null)) return;
    const text = table.textOf(row);
    if (text.trim() === '') return;
    found.opening ??= oneLine(text);
    const verdict = judge.of(row, true);
    if (LABELLED.test(text) || isError(judge.weight[verdict] as number, judge.flags[verdict] as number))
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
