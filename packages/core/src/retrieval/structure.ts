/**
 * Retrieval by structure: values under a JSONPath, rows of a table, and whatever else a format
 * finds. The format reads the part once, from its start or a known place, in bounded memory; the
 * first page reads to the end and tells the total. A page has things in order, each with its label
 * and exactly as stored, as many as fit. Something larger than a page is cut like any text and goes
 * on where the next page begins. Pages put together hold everything once.
 */
import { invalidArgument } from '../model/errors.ts';
import type { ByteRange } from '../model/extent.ts';
import { fetchCall } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Match, MatchSink } from '../model/stored-text.ts';
import { untilAborted } from '../text/abortable.ts';
import { decode } from '../text/utf8.ts';
import { headCut, rowsWords, thingsWords } from '../wording/pages.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import { type FetchedPage, fetchedPage, type RetrieveContext } from './fetched.ts';
import { readRange } from './page.ts';
import { formatStructureCursor, type StructureCursor, type StructureWant } from './request.ts';
import { RangeReader, type StoredPartReader } from './stored-parts.ts';

const HEADER_CHARS = 250;
const LEAST_ROOM = 200;
const LARGEST_CURSOR = 's1.999999999.999999999.999999999.999999999';

export async function structurePage(
  context: RetrieveContext,
  output: OutputRecord,
  reader: StoredPartReader,
  name: string | undefined,
  want: StructureWant,
): Promise<FetchedPage> {
  const { argument } = want.address;
  const address = { byFormat: [argument, want.value] } as const;
  const longest = fetchCall(context.hint, output.id, { ...address, cursor: LARGEST_CURSOR });
  const room = context.pageLimit - HEADER_CHARS - (longest?.length ?? 0);
  if (room < LEAST_ROOM) throw invalidArgument(REFUSED_ARGUMENT.tooLongForPages(argument, context.pageLimit));
  const { next, ...found } = await find(context, reader, want, room);
  const nextCursor = next === null ? null : formatStructureCursor(next);
  return fetchedPage(context, output, { ...found, name, of: reader.part, nextCursor, address });
}

interface Page {
  readonly body: string;
  readonly words: string;
  readonly found: NonNullable<FetchedPage['found']>;
  readonly next: StructureCursor | null;
}

/** Only matches in the range are shown, but all are counted. */
async function find(
  { paths, patterns, signal }: RetrieveContext,
  reader: StoredPartReader,
  { address, value, first, last, cursor }: StructureWant,
  room: number,
): Promise<Page> {
  const isRange = address.value === 'range';
  const done = cursor?.done ?? 0;
  const before = Math.max(first - 1, done);
  const skip = isRange ? 0 : done;
  const found = await address.find(reader, {
    text: isRange ? '' : value,
    range: { first: before + 1, last },
    resume: { from: cursor?.from ?? 0, before: done },
    sink: () => new Matches({ skip, room, counting: cursor === null }),
    patterns: address.usesPatterns ? await untilAborted(patterns?.() ?? null, signal) : null,
    paths,
  });
  const { kept } = found.matches;
  const { header, describe: addTo } = found;
  const head = header === undefined ? '' : await headerText(reader, header, Math.floor(room / 2));
  const filled = await fillPage(reader, kept, cursor?.offset ?? 0, room - head.length, address.ending);
  const total = cursor?.total ?? found.total ?? found.matches.total;
  const shown = filled.whole + (filled.cut ? 1 : 0);
  const range = shown === 0 ? null : ([before + 1, before + shown] as const);
  const words = isRange
    ? rowsWords(range, total, filled.cut)
    : thingsWords(address.units, range, total, { goesOn: filled.cut, chars: reader.part.chars });
  const more = shown > 0 && before + filled.whole < Math.min(last, total);
  // A range continues at a known byte; a path is searched from the start again.
  const from = isRange ? (kept[filled.whole]?.start ?? kept.at(-1)?.end ?? 0) : 0;
  const next = { part: reader.part.index, done: before + filled.whole, offset: filled.offset, total, from };
  return {
    body: head + filled.body,
    words: addTo?.(words, cursor === null) ?? words,
    found: { unit: address.unit, first: range?.[0] ?? null, last: range?.[1] ?? null, total },
    next: more ? next : null,
  };
}

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
  total = 0;

  /**
   * `skip` of all are not wanted, `room` is what a page holds. With `counting` the scan goes on to
   * the end, to tell how many there are.
   */
  constructor(options: { skip: number; room: number; counting: boolean }) {
    this.#skip = options.skip;
    this.#room = options.room;
    this.#counting = options.counting;
  }

  /** Null if it is only counted; otherwise finish it with `end`. */
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
    // Shown text takes at least a third of its bytes as chars.
    this.#room -= (at - match.start) / 3;
    this.#open--;
  }

  add(start: number, end: number, label: () => string): void {
    this.end(this.begin(start, label), end);
  }

  get enough(): boolean {
    return !this.#counting && this.#room <= 0 && this.#open === 0;
  }
}

interface Filled {
  readonly body: string;
  readonly whole: number;
  readonly offset: number;
  readonly cut: boolean;
}

/**
 * `offset`: bytes of the first one that an earlier page has shown. `ending` is written behind each.
 */
async function fillPage(
  part: StoredPartReader,
  matches: readonly Match[],
  offset: number,
  room: number,
  ending: '\n' | '',
): Promise<Filled> {
  const reader = new RangeReader(part);
  let body = '';
  let whole = 0;
  try {
    for (const match of matches) {
      const skipped = whole === 0 ? Math.min(offset, match.end - match.start) : 0;
      const label = skipped > 0 ? '' : labelWithin(match.label, room / 2);
      const left = room - body.length - label.length - ending.length;
      const start = match.start + skipped;
      // A char takes at most three bytes.
      const text = match.end - start <= left * 3 ? decode(await reader.read(start, match.end)) : null;
      if (text !== null && text.length <= left) {
        body += label + text + ending;
        whole++;
      } else if (body !== '') break;
      else return await cutOne(part, { ...match, start }, label, skipped, left);
    }
  } finally {
    await reader.close();
  }
  return { body, whole, offset: 0, cut: false };
}

/** Leaves room behind the label on any page. */
function labelWithin(label: string, most: number): string {
  return label.length <= most ? label : `${label.slice(0, most - 3).toWellFormed()}…: `;
}

async function cutOne(
  part: StoredPartReader,
  { start, end }: Match,
  label: string,
  skipped: number,
  room: number,
): Promise<Filled> {
  const read = await readRange(part, { from: { bytes: start }, to: { bytes: end } }, room);
  return {
    body: label + decode(read.bytes),
    whole: 0,
    offset: skipped + (read.end.bytes - start),
    cut: true,
  };
}

async function headerText(part: StoredPartReader, { start, end }: ByteRange, room: number): Promise<string> {
  const text = decode(await part.bytes(start, Math.min(end, start + room * 3)));
  if (text.length <= room && end - start <= room * 3)
    return /[\r\n]$/.test(text) || text === '' ? text : `${text}\n`;
  const shown = text.slice(0, room).toWellFormed();
  return `${shown}${headCut(end - start - Buffer.byteLength(shown))}`;
}
