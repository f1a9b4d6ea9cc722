/**
 * Search in a stored part, as grep does it: `12:a matching line`, `13-a line of context`, `--` between groups. The first page reads the
 * part once to its end, so that it can tell the total; later pages start at their cursor and stop when they are full. Memory is bounded
 * by the page. Of a long line the surroundings of the match are shown, with the chars left out on either side.
 */
import { SpillwayError } from '../model/errors.ts';
import { fetchCall } from '../model/fetch.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import type { Pattern } from '../model/pattern.ts';
import { type LinePlace, type LineSink, LineSplitter } from '../text/lines.ts';
import { count, counted } from '../text/numbers.ts';
import type { FetchedPage, RetrieveContext } from './fetched.ts';
import { type Cursor, formatCursor, type SearchWant } from './request.ts';

const LINE_CHARS = 400;
/** Chars of a long line shown before its match. */
const LEAD_CHARS = 100;
const HEADER_CHARS = 400;
/** Time that matching may take: some for itself, and more the longer the text is. A simple pattern needs a tenth of it. */
const MATCHING_MS = 10_000;
const MATCHING_MS_PER_CHAR = 0.000_2;

export async function searchPage(
  context: RetrieveContext,
  output: OutputRecord,
  part: PartRecord,
  name: string | undefined,
  want: SearchWant,
): Promise<FetchedPage> {
  if (context.patterns === null) {
    throw new SpillwayError(
      'invalid_argument',
      'Pattern search is not available here. Ask by lines or chars.',
    );
  }
  const search = new Search(context.patterns.compile(want.pattern), want, context.pageLimit - HEADER_CHARS);
  const reading = await context.store.read(output.id, part.index, { bytes: want.cursor?.start ?? 0 });
  const lines = new LineSplitter(search, reading.at);
  for await (const piece of reading.pieces) {
    lines.push(piece);
    if (search.full && want.cursor !== null) break;
  }
  if (!search.full || want.cursor === null) lines.finish();
  return pageOf(context, output, part, name, want, search);
}

/** Collects matching lines and their context until the page is full; then only counts. */
class Search implements LineSink {
  readonly #pattern: Pattern;
  readonly #want: SearchWant;
  readonly #room: number;
  readonly #before: string[] = [];
  #after = 0;
  #matched: Excerpt | null = null;
  #lineText = '';
  #lastShown = 0;
  #matchingMs = 0;
  #chars = 0;
  body = '';
  shown = 0;
  total = 0;
  first = 0;
  last = 0;
  nextByte: number | null = null;

  constructor(pattern: Pattern, want: SearchWant, room: number) {
    this.#pattern = pattern;
    this.#want = want;
    this.#room = room;
  }

  get full(): boolean {
    return this.nextByte !== null;
  }

  text(text: string, _place: LinePlace, skippedChars: number): void {
    if (skippedChars === 0) this.#lineText = text;
    if (this.#matched !== null) return;
    const found = this.#find(text);
    if (found >= 0) this.#matched = excerpt(text, found, skippedChars);
  }

  #find(text: string): number {
    const before = performance.now();
    const found = this.#pattern.find(text);
    this.#matchingMs += performance.now() - before;
    this.#chars += text.length;
    if (this.#matchingMs > MATCHING_MS + this.#chars * MATCHING_MS_PER_CHAR)
      throw new SpillwayError(
        'invalid_argument',
        'This pattern takes too long on an output of this size. Use a simpler one, or ask by lines or chars.',
      );
    return found;
  }

  end(place: LinePlace, chars: number): void {
    const matched = this.#matched;
    this.#matched = null;
    // Reading starts at a checkpoint, which may lie before the page.
    const early = place.byte < (this.#want.cursor?.start ?? 0);
    if (matched !== null && !early) this.#match(place, withRest(matched, chars));
    else this.#other(place, chars);
  }

  #match(place: LinePlace, text: string): void {
    this.total++;
    if (this.full) return;
    const gap =
      this.#lastShown > 0 &&
      place.number - this.#before.length > this.#lastShown + 1 &&
      this.#want.context > 0;
    const block = `${gap ? '--\n' : ''}${this.#before.join('')}${place.number}:${text}\n`;
    if (this.body.length + block.length > this.#room && this.shown > 0) {
      this.nextByte = place.byte;
      return;
    }
    this.body += block.slice(0, this.#room);
    this.shown++;
    this.first ||= place.number;
    this.last = place.number;
    this.#lastShown = place.number;
    this.#before.length = 0;
    this.#after = this.#want.context;
  }

  #other(place: LinePlace, chars: number): void {
    if (this.full || this.#want.context === 0) return;
    const line = `${place.number}-${withRest(excerpt(this.#lineText, 0, 0), chars)}\n`;
    if (this.#after > 0 && this.body.length + line.length <= this.#room) {
      this.#after--;
      this.body += line;
      this.#lastShown = place.number;
      return;
    }
    this.#before.push(line);
    if (this.#before.length > this.#want.context) this.#before.shift();
  }
}

interface Excerpt {
  readonly skipped: number;
  readonly text: string;
}

/** The part of a line around a match; the end of the line may still be to come. */
function excerpt(text: string, found: number, skippedChars: number): Excerpt {
  const fits = skippedChars === 0 && text.length <= LINE_CHARS;
  const from = fits ? 0 : Math.max(0, found - LEAD_CHARS);
  const shown = text.slice(from, from + LINE_CHARS).toWellFormed();
  return { skipped: skippedChars + from, text: shown };
}

function withRest({ skipped, text }: Excerpt, chars: number): string {
  const rest = chars - skipped - text.length;
  const omitted = (left: number) => (left > 0 ? `... [${count(left)} chars omitted] ...` : '');
  return [omitted(skipped), text, omitted(rest)].filter((piece) => piece !== '').join(' ');
}

function pageOf(
  context: RetrieveContext,
  output: OutputRecord,
  part: PartRecord,
  name: string | undefined,
  want: SearchWant,
  { body, shown, total, first, last, nextByte }: Search,
): FetchedPage {
  const all = want.cursor?.total ?? total;
  const next: Cursor | null =
    nextByte === null ? null : { part: part.index, start: nextByte, end: part.bytes, total: all };
  const nextCursor = next === null ? null : formatCursor(next);
  const address = { pattern: want.pattern, ...(want.context > 0 ? { context: want.context } : {}) };
  const nextCall =
    nextCursor === null ? null : fetchCall(context.hint, output.id, { ...address, cursor: nextCursor });
  const where = name === undefined ? output.id : `${output.id} ${name}`;
  const header = `[${where}: ${count(shown)} of ${counted(all, 'matching line')}, ${counted(part.lines, 'line')} in all${nextCall === null ? '' : `. Next: ${nextCall}`}]\n`;
  const { name: partName, chars: totalChars, lines: totalLines, bytes: totalBytes } = part;
  const lines: [number, number] | null = shown === 0 ? null : [first, last];
  return {
    text: header + body,
    header,
    body,
    part: partName,
    totalChars,
    totalLines,
    totalBytes,
    lines,
    chars: null,
    nextCursor,
    nextCall,
  };
}
