/**
 * Search in the stored parts of an output, as grep does it: `12:a matching line`, `13-a line of
 * context`, `--` between groups. Where several parts have content, each line begins with the name
 * of its part: `stderr:12:…`. Of a long line the surroundings of the match are shown. The first page
 * reads every part once to its end, so that it can tell the total; later pages start at their cursor
 * and stop when they are full. Memory is bounded by the page. Units: chars, and bytes for places.
 */
import { invalidArgument } from '../model/errors.ts';
import type { OutputRecord } from '../model/output.ts';
import type { Pattern } from '../model/pattern.ts';
import { untilAborted } from '../text/abortable.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../text/lines.ts';
import { pluralize } from '../text/numbers.ts';
import { matchesWords } from '../wording/pages.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import { type FetchedPage, fetchedPage, type RetrieveContext } from './fetched.ts';
import { formatCursor, type SearchWant } from './request.ts';
import { isRead, type StoredPart, type StoredParts } from './stored-parts.ts';

const NOTICE_CHARS = 400;

/** `only`: the part that was asked for; null to search all parts, from the cursor's on. */
export async function searchPage(
  context: RetrieveContext,
  output: OutputRecord,
  parts: StoredParts,
  only: StoredPart | null,
  want: SearchWant,
): Promise<FetchedPage> {
  if (context.patterns === null) {
    throw invalidArgument(REFUSED_ARGUMENT.noPatterns);
  }
  const patterns = await untilAborted(context.patterns(), context.signal);
  const search = new Search(patterns.compile(want.pattern), want.context, context.pageLimit - NOTICE_CHARS);
  const { cursor } = want;
  const searched: StoredPart[] = [];
  const of = { name: 'all', lines: 0, chars: 0, bytes: 0 };
  for await (const found of only === null ? parts.content(isRead) : [only]) {
    const { part } = found;
    if (part.bytes === 0 && only === null) continue;
    of.lines += part.lines;
    of.chars += part.chars;
    of.bytes += part.bytes;
    if (searched.length < 2) searched.push(found);
    if (cursor !== null && (part.index < cursor.part || search.full)) continue;
    const start = cursor?.part === part.index ? cursor.start : 0;
    const reading = await parts.open(found).read({ bytes: start });
    const label = only === null ? parts.address(found) : undefined;
    search.begin({ index: part.index, label, start, bytes: part.bytes });
    const lines = new LineSplitter(search, reading.at);
    for await (const piece of reading.pieces) {
      lines.push(piece);
      if (search.full && cursor !== null) break;
    }
    if (!search.full || cursor === null) lines.finish();
  }
  const { body, shown, lines, next } = search;
  const total = cursor?.total ?? search.total;
  const one = searched.length === 1 ? searched[0] : undefined;
  const name = one === undefined ? undefined : parts.address(one);
  return fetchedPage(context, output, {
    ...{ name, body, lines, of: { ...of, name: one?.part.name ?? of.name } },
    words: matchesWords(shown, total, of.lines),
    nextCursor: next === null ? null : formatCursor({ ...next, total }),
    address: {
      ...(only === null || name === undefined ? {} : { part: name }),
      pattern: want.pattern,
      ...(want.context > 0 ? { context: want.context } : {}),
    },
  });
}

const LINE_CHARS = 400;
const LEAD_CHARS = 100;
/** Time for matching: a base, and more for longer text. A simple pattern needs a tenth of it. */
const MATCHING_MS = 10_000;
const MATCHING_MS_PER_CHAR = 0.000_2;

interface SearchedPart {
  readonly index: number;
  /** What its lines begin with; undefined where it is the only one. */
  readonly label: string | undefined;
  /** Matches count from this byte; reading starts at a checkpoint before it. */
  readonly start: number;
  readonly bytes: number;
}

/** Collects matching lines with context until the page is full, then only counts. */
class Search implements LineSink {
  readonly #pattern: Pattern;
  readonly #context: number;
  readonly #room: number;
  readonly #before: string[] = [];
  #part: SearchedPart = { index: 0, label: undefined, start: 0, bytes: 0 };
  #after = 0;
  #matched: Excerpt | null = null;
  #lineText = '';
  #lastShown = 0;
  #matchingMs = 0;
  #chars = 0;
  #partsShown = 0;
  #first = 0;
  #last = 0;
  body = '';
  shown = 0;
  total = 0;
  next: { readonly part: number; readonly start: number; readonly end: number } | null = null;

  /** `context`: lines shown before and after each match. */
  constructor(pattern: Pattern, context: number, room: number) {
    this.#pattern = pattern;
    this.#context = context;
    this.#room = room;
  }

  get full(): boolean {
    return this.next !== null;
  }

  /** Null if they are of several parts, or there are none. */
  get lines(): readonly [number, number] | null {
    return this.#partsShown === 1 ? [this.#first, this.#last] : null;
  }

  begin(part: SearchedPart): void {
    this.#part = part;
    this.#before.length = 0;
    this.#after = 0;
    this.#matched = null;
    this.#lineText = '';
    this.#lastShown = 0;
  }

  text(text: string, _position: LinePosition, skippedChars: number): void {
    if (skippedChars === 0) this.#lineText = text;
    if (this.#matched !== null) return;
    const found = this.#find(text);
    if (found >= 0) this.#matched = excerpt(text, found, skippedChars);
  }

  end(position: LinePosition, chars: number): void {
    const matched = this.#matched;
    this.#matched = null;
    if (matched !== null && position.byte >= this.#part.start)
      this.#match(position, withRest(matched, chars));
    else this.#other(position, chars);
  }

  #find(text: string): number {
    const before = performance.now();
    const found = this.#pattern.find(text);
    this.#matchingMs += performance.now() - before;
    this.#chars += text.length;
    if (this.#matchingMs > MATCHING_MS + this.#chars * MATCHING_MS_PER_CHAR)
      throw invalidArgument(REFUSED_ARGUMENT.slowPattern);
    return found;
  }

  #match(position: LinePosition, text: string): void {
    this.total++;
    if (this.full) return;
    const block = `${this.#separator(position)}${this.#before.join('')}${this.#line(position, ':', text)}`;
    if (this.body.length + block.length > this.#room && this.shown > 0) {
      this.next = { part: this.#part.index, start: position.byte, end: this.#part.bytes };
      return;
    }
    if (this.#lastShown === 0) this.#partsShown++;
    this.body += block.slice(0, this.#room);
    this.shown++;
    this.#first ||= position.number;
    this.#last = position.number;
    this.#lastShown = position.number;
    this.#before.length = 0;
    this.#after = this.#context;
  }

  #separator(position: LinePosition): string {
    if (this.#context === 0 || this.shown === 0) return '';
    const follows = this.#lastShown > 0 && position.number - this.#before.length <= this.#lastShown + 1;
    return follows ? '' : '--\n';
  }

  #other(position: LinePosition, chars: number): void {
    if (this.full || this.#context === 0) return;
    const line = this.#line(position, '-', withRest(excerpt(this.#lineText, 0, 0), chars));
    if (this.#after > 0 && this.body.length + line.length <= this.#room) {
      this.#after--;
      this.body += line;
      this.#lastShown = position.number;
      return;
    }
    this.#before.push(line);
    if (this.#before.length > this.#context) this.#before.shift();
  }

  #line({ number }: LinePosition, mark: ':' | '-', text: string): string {
    const { label } = this.#part;
    return `${label === undefined ? '' : `${label}${mark}`}${number}${mark}${text}\n`;
  }
}

interface Excerpt {
  readonly skipped: number;
  readonly text: string;
}

function excerpt(text: string, found: number, skippedChars: number): Excerpt {
  const fits = skippedChars === 0 && text.length <= LINE_CHARS;
  const from = fits ? 0 : Math.max(0, found - LEAD_CHARS);
  const shown = text.slice(from, from + LINE_CHARS).toWellFormed();
  return { skipped: skippedChars + from, text: shown };
}

function withRest({ skipped, text }: Excerpt, chars: number): string {
  const rest = chars - skipped - text.length;
  const omitted = (left: number) => (left > 0 ? `... [${pluralize(left, 'char')} omitted] ...` : '');
  return [omitted(skipped), text, omitted(rest)].filter((piece) => piece !== '').join(' ');
}
