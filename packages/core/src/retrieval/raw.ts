/**
 * The exact bytes of what was asked for, without paging: for `--raw`, for plain copies and for
 * programs. Each part is opened once and read once, from the checkpoint before the range to the
 * piece in which it ends; memory holds one piece.
 */
import { SpillwayError } from '../model/errors.ts';
import { sum } from '../model/extent.ts';
import type { OutputRecord } from '../model/output.ts';
import { redactedIn } from '../model/part.ts';
import type { ReadFrom, Store, StoredBytes } from '../model/store.ts';
import { measure } from '../text/utf8.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import { choosePart } from './choose-part.ts';
import { endWithin, type Reach, rangeOf, startWithin } from './range.ts';
import type { FetchRequest } from './request.ts';
import { isRead, type StoredPart, StoredParts } from './stored-parts.ts';

export async function* readRaw(
  store: Store,
  output: OutputRecord,
  request: Pick<FetchRequest, 'part' | 'want'>,
): AsyncGenerator<Uint8Array> {
  const { want } = request;
  if (want.kind === 'pattern' || want.kind === 'structure')
    throw new SpillwayError(
      'invalid_argument',
      REFUSED_ARGUMENT.noRawForm(want.kind === 'pattern' ? 'A pattern search' : want.address.argument),
    );
  const parts = new StoredParts(store, output);
  const { from, to } = rangeOf(want);
  const isAll = request.part === null && want.kind === 'all';
  const chosen = isAll ? parts.content(isRead) : [await choosePart(parts, request)];
  for await (const found of chosen) {
    if (found === undefined) continue;
    // The bytes as they came, where no range of the text is asked for.
    const isAsCame =
      want.kind === 'all' && (found.part.encoding !== undefined || redactedIn([found.part]) > 0);
    yield* readPart(isAsCame ? store : parts.storeFor(found), output, found, from, to);
  }
}

async function* readPart(
  store: StoredBytes,
  output: OutputRecord,
  { part }: StoredPart,
  from: ReadFrom,
  to: Reach,
): AsyncGenerator<Uint8Array> {
  const reading = await store.read(output.id, part.index, from);
  const isWhole = 'bytes' in to && to.bytes >= part.bytes;
  let at = reading.at;
  let hasBegun = false;
  for await (const piece of reading.pieces) {
    const start: number = hasBegun ? 0 : startWithin(piece, at, from);
    hasBegun ||= start < piece.length;
    const end: number = isWhole ? Number.POSITIVE_INFINITY : endWithin(piece, at, to);
    if (end > start && start < piece.length) yield piece.subarray(start, end);
    if (end <= piece.length) return;
    if (!(isWhole && hasBegun)) at = sum(at, measure(piece));
  }
}
