/**
 * Retrieval by structure: values under a JSONPath, rows of a table, and whatever else a format
 * finds. The format reads the part once, from its start or a known place, in bounded memory; the
 * first page reads to the end and tells the total.
 */
import { SpillwayError } from '../../model/errors.ts';
import { fetchCall } from '../../model/fetch.ts';
import type { Match, MatchSink } from '../../model/stored-text.ts';
import { pageNotice, rowsWords, thingsWords } from '../../wording/pages.ts';
import { REFUSED_ARGUMENT } from '../../wording/refused-fetches.ts';
import type { FetchedPage, RetrieveContext } from '../fetched.ts';
import { fillPage, headerText } from './page.ts';
import { type Source, textOf } from './source.ts';
import { formatStructureCursor, type StructureCursor, type StructureWant } from './want.ts';

/**
 * Collects what a scan finds, in the order of the document: everything is counted, and as much is
 * kept as a page can show at the most. Kept are places, not text, so memory is bounded by the page
 * whatever is found. Units: bytes of the part; chars for room.
 */
class Matches implements MatchSink {
  readonly kept: Match[] = [];
  readonly #skip: number;
  readonly #counting: boolean;
  #room: number;
  #open = 0;
  total: number;

  /**
   * `before` were found before the scan began, `skip` of all are not wanted, `room` is what a page
   * holds. With `counting` the scan goes on to the end, to tell how many there are.
   */
  constructor(options: { before: number; skip: number; room: number; counting: boolean }) {
    this.total = options.before;
    this.#skip = options.skip;
    this.#room = options.room;
    this.#counting = options.counting;
  }

  /** Something begins. Null if it is only counted; else it is to be ended with `end`. */
  begin(start: number, label: () => string): Match | null {
    this.total++;
    if (this.total <= this.#skip || this.#room <= 0) return null;
    const match = { label: label(), start, end: -1 };
    this.#room -= match.label.length + 1;
    this.kept.push(match);
    this.#open++;
    return match;
  }

  end(match: Match | null, at: number): void {
    if (match === null) return;
    match.end = at;
    // What is shown takes a third of its bytes as chars, at the least.
    this.#room -= (at - match.start) / 3;
    this.#open--;
  }

  /** Something whose end is known. */
  add(start: number, end: number, label: () => string): void {
    this.end(this.begin(start, label), end);
  }

  /** Whether the scan may stop. */
  get enough(): boolean {
    return !this.#counting && this.#room <= 0 && this.#open === 0;
  }
}

/** The longest page notice without the next call. */
const HEADER_CHARS = 250;
const LEAST_ROOM = 200;
const LARGEST_CURSOR = 's1.999999999.999999999.999999999.999999999';

export async function structurePage(
  context: RetrieveContext,
  source: Source,
  name: string | undefined,
  want: StructureWant,
): Promise<FetchedPage> {
  const { argument } = want.address;
  const byFormat = [argument, want.value] as const;
  const call = (cursor: string) => fetchCall(context.hint, source.output.id, { byFormat, cursor });
  const room = context.pageLimit - HEADER_CHARS - (call(LARGEST_CURSOR)?.length ?? 0);
  if (room < LEAST_ROOM)
    throw new SpillwayError(
      'invalid_argument',
      REFUSED_ARGUMENT.tooLongForPages(argument, context.pageLimit),
    );
  const found = await find(context, source, want, room);
  const nextCursor = found.next === null ? null : formatStructureCursor(found.next);
  const nextCall = nextCursor === null ? null : call(nextCursor);
  const notice = pageNotice({ id: source.output.id, part: name }, found.words, nextCall);
  const { name: part, chars: totalChars, lines: totalLines, bytes: totalBytes } = source.part;
  return {
    text: notice + found.body,
    notice,
    body: found.body,
    part,
    totalChars,
    totalLines,
    totalBytes,
    lines: null,
    chars: null,
    found: found.found,
    nextCursor,
    nextCall,
  };
}

interface Page {
  readonly body: string;
  /** What the notice says. */
  readonly words: string;
  readonly found: NonNullable<FetchedPage['found']>;
  readonly next: StructureCursor | null;
}

/** Things of a range have numbers of their own: only those in it are shown, but all are counted. */
async function find(
  { paths, patterns }: RetrieveContext,
  source: Source,
  { address, value, first, last, cursor }: StructureWant,
  room: number,
): Promise<Page> {
  const isRange = address.value === 'range';
  const done = cursor?.done ?? 0;
  const before = Math.max(first - 1, done);
  const skip = isRange ? 0 : done;
  const found = await address.find(textOf(source), {
    text: isRange ? '' : value,
    range: { first: before + 1, last },
    resume: { from: cursor?.from ?? 0, before: done },
    sink: () => new Matches({ before: 0, skip, room, counting: cursor === null }),
    patterns,
    paths,
  });
  const { kept } = found.matches;
  const { header, describe: addTo } = found;
  const head = header === undefined ? '' : await headerText(source, header, Math.floor(room / 2));
  const filled = await fillPage(source, kept, cursor?.offset ?? 0, room - head.length, address.ending);
  const total = cursor?.total ?? found.total ?? found.matches.total;
  const shown = filled.whole + (filled.cut ? 1 : 0);
  const range = shown === 0 ? null : ([before + 1, before + shown] as const);
  const words = isRange
    ? rowsWords(range, total, filled.cut)
    : thingsWords(address.units, range, total, { goesOn: filled.cut, chars: source.part.chars });
  const more = shown > 0 && before + filled.whole < Math.min(last, total);
  // Where a range goes on is known; a path is looked for from the start again.
  const from = isRange ? (kept[filled.whole]?.start ?? kept.at(-1)?.end ?? 0) : 0;
  const next = { part: source.part.index, done: before + filled.whole, offset: filled.offset, total, from };
  return {
    body: head + filled.body,
    words: addTo?.(words, cursor === null) ?? words,
    found: { unit: address.unit, first: range?.[0] ?? null, last: range?.[1] ?? null, total },
    next: more ? next : null,
  };
}
