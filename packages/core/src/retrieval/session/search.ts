/**
 * Looks through a session: the text of every output that its caller can fetch, and every message.
 * A plain scan, newest first, in time linear in what is stored (decision 34): it counts where the
 * words of the query stand, ranks by how rare and how dense they are, and reads the best once more
 * for their lines. Bounded in bytes; a search that stops there says so and can go on.
 */
import { SpillwayError } from '../../model/errors.ts';
import { NOTHING } from '../../model/extent.ts';
import type { MessageRecord } from '../../model/message.ts';
import type { OutputRecord } from '../../model/output.ts';
import type { Store } from '../../model/store.ts';
import { type LinePosition, type LineSink, LineSplitter } from '../../text/lines.ts';
import { pauseAtTimes } from '../../text/pause.ts';
import { decode, encode } from '../../text/utf8.ts';
import { messageText } from '../../wording/history.ts';
import { isRead, StoredParts } from '../stored-parts.ts';

/** Whose outputs and messages are looked through. */
export interface Searched {
  readonly store: Pick<Store, 'list' | 'read' | 'messages'>;
  readonly scope: string;
  /** Null if the asking session is unknown: then only outputs are searched. */
  readonly session: string | null;
  /** A message as a model may read it. */
  readonly shown: (message: MessageRecord) => MessageRecord;
}

interface SearchHit {
  readonly of: OutputRecord | MessageRecord;
  readonly score: number;
}

interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly outputs: number;
  readonly messages: number;
  readonly after: string | null;
}

const MOST_BYTES = 256 * 1024 ** 2;
const MOST_OUTPUTS = 20_000;
const PAGE = 200;
/** In parallel, since a server answers each after a round trip. */
const AT_A_TIME = 16;
/** A history stores messages under these tools; the messages are searched themselves. */
const OF_HISTORY = /^(?:user_message|spillway_(?:messages|index|summary))$/;
/** Of BM25: how soon more of the same word adds nothing, and how much length takes away. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

interface Counted {
  readonly of: SearchHit['of'];
  readonly counts: readonly number[];
  readonly chars: number;
}

export async function searchSession(
  searched: Searched,
  query: string,
  after: string | null,
): Promise<SearchResult> {
  const terms = termsOf(query);
  const found: Counted[] = [];
  let messages = 0;
  if (after === null)
    for await (const message of messagesOf(searched)) {
      messages++;
      const counter = new TermCounter(terms);
      counter.add(messageText(message));
      found.push({ of: message, ...counter.counted });
    }
  const { outputs, next } = await countOutputs(searched, terms, after, found);
  return { hits: ranked(found, terms.length), outputs, messages, after: next };
}

export async function linesOf(
  { store }: Searched,
  { of }: SearchHit,
  query: string,
): Promise<readonly SearchedLine[]> {
  const finder = new LineFinder(termsOf(query));
  if ('ordinal' in of) {
    const lines = new LineSplitter(finder, NOTHING);
    lines.push(encode(messageText(of).split('\n').slice(1).join('\n')));
    lines.finish();
    return finder.best;
  }
  const parts = new StoredParts(store, of);
  try {
    for await (const stored of parts.content(isRead)) {
      finder.part = parts.address(stored);
      const lines = new LineSplitter(finder, NOTHING);
      for await (const piece of parts.open(stored).from(0)) {
        lines.push(piece);
        await pauseAtTimes();
      }
      lines.finish();
    }
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
  }
  return finder.best;
}

async function countOutputs(
  { store, scope, session }: Searched,
  terms: readonly string[],
  from: string | null,
  found: Counted[],
): Promise<{ readonly outputs: number; readonly next: string | null }> {
  let [outputs, bytes, after] = [0, 0, from];
  do {
    const page = await store.list({
      scope,
      show: 'all',
      limit: AT_A_TIME,
      ...(after === null ? {} : { after }),
    });
    const items = page.items.filter(
      ({ retiredAt, tool }) => retiredAt === undefined && !(session !== null && OF_HISTORY.test(tool)),
    );
    found.push(...(await Promise.all(items.map((one) => count(store, one, terms)))));
    outputs += items.length;
    bytes += items.reduce((sum, { parts }) => sum + parts.reduce((all, part) => all + part.bytes, 0), 0);
    after = page.next ?? null;
  } while (after !== null && bytes < MOST_BYTES && outputs < MOST_OUTPUTS);
  return { outputs, next: after };
}

async function count(
  store: Searched['store'],
  output: OutputRecord,
  terms: readonly string[],
): Promise<Counted> {
  const counter = new TermCounter(terms);
  counter.add(`${output.summary}\n`);
  const parts = new StoredParts(store, output);
  try {
    for await (const stored of parts.content(isRead))
      for await (const piece of parts.open(stored).from(0)) {
        counter.add(decode(piece));
        await pauseAtTimes();
      }
  } catch (error) {
    // Damaged or purged meanwhile: what was read counts.
    if (!(error instanceof SpillwayError)) throw error;
  }
  return { of: output, ...counter.counted };
}

async function* messagesOf({ store, scope, session, shown }: Searched): AsyncGenerator<MessageRecord> {
  if (session === null) return;
  for (let above = 0; ; ) {
    const { items, next } = await store.messages({ scope, session, above, limit: PAGE });
    yield* items.map(shown);
    above = items.at(-1)?.ordinal ?? above;
    if (next === undefined) return;
  }
}

/** BM25 times the share of words present; of equals the newest first. */
function ranked(counted: readonly Counted[], terms: number): readonly SearchHit[] {
  const average = counted.reduce((sum, { chars }) => sum + chars, 0) / Math.max(1, counted.length);
  const rarity = Array.from({ length: terms }, (_, term) => {
    const holding = counted.filter(({ counts }) => (counts[term] ?? 0) > 0).length;
    return Math.log(1 + (counted.length - holding + 0.5) / (holding + 0.5));
  });
  const score = ({ counts, chars }: Counted): number => {
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * chars) / Math.max(1, average));
    const sum = counts.reduce(
      (all, n, term) => all + ((rarity[term] ?? 0) * n * (SATURATION + 1)) / (n + norm),
      0,
    );
    return sum * (counts.filter((n) => n > 0).length / terms);
  };
  return counted
    .map((one) => ({ of: one.of, score: score(one) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score || timeOf(b.of) - timeOf(a.of));
}

function timeOf(of: SearchHit['of']): number {
  return 'ordinal' in of ? of.at : of.startedAt;
}

/** A line that holds words of the query; `part` names its part where there are several. */
interface SearchedLine {
  readonly part: string | undefined;
  readonly line: number;
  readonly text: string;
}

const MOST_TERMS = 12;
/** Longer words are cut: the cost of a search grows with the length. */
const LONGEST_TERM = 100;
const MOST_LINES = 3;
const LINE_CHARS = 240;
const LEAD_CHARS = 60;
const SMALL_WORDS = new Set(
  'a an and are as at be by for from in is it of on or that the to was were with'.split(' '),
);

/** Words and numbers with the signs inside them; quoted words stay together. */
export function termsOf(query: string): readonly string[] {
  const lower = query.toLowerCase().normalize('NFC');
  const quoted = [...lower.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words.trim());
  const rest = lower.replaceAll(/"[^"]*"/g, ' ').match(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_./:@#-]*/gu) ?? [];
  const words = rest.map(withoutEnd);
  const all = [...new Set([...quoted, ...words].map((term) => term.slice(0, LONGEST_TERM)))].filter(Boolean);
  const rare = all.filter((term) => !SMALL_WORDS.has(term));
  return (rare.length === 0 ? all : rare).slice(0, MOST_TERMS);
}

function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && './:@#-'.includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

class TermCounter {
  readonly #terms: readonly string[];
  readonly #counts: number[];
  readonly #longest: number;
  #held = '';
  #chars = 0;

  constructor(terms: readonly string[]) {
    this.#terms = terms;
    this.#counts = terms.map(() => 0);
    this.#longest = Math.max(1, ...terms.map(({ length }) => length));
  }

  add(text: string): void {
    this.#chars += text.length;
    const all = this.#held + text.toLowerCase();
    const end = Math.max(0, all.length - this.#longest + 1);
    this.#count(all, end);
    this.#held = all.slice(end);
  }

  get counted(): { readonly counts: readonly number[]; readonly chars: number } {
    this.#count(this.#held, this.#held.length);
    this.#held = '';
    return { counts: this.#counts, chars: this.#chars };
  }

  #count(text: string, end: number): void {
    for (const [i, term] of this.#terms.entries())
      for (let at = text.indexOf(term); at >= 0 && at < end; at = text.indexOf(term, at + term.length))
        this.#counts[i] = (this.#counts[i] ?? 0) + (isWord(text, at, term.length) ? WHOLE_WORD : 1);
  }
}

/** A whole word counts as much as this many words that only hold it. */
const WHOLE_WORD = 3;

function isWord(text: string, at: number, length: number): boolean {
  return !isWordChar(text.charCodeAt(at - 1)) && !isWordChar(text.charCodeAt(at + length));
}

/** Letters in lower case, digits and `_`; beyond ASCII everything counts as one. */
function isWordChar(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit >= 0x80;
}

interface ScoredLine extends SearchedLine {
  readonly score: number;
}

class LineFinder implements LineSink {
  readonly #terms: readonly string[];
  #best: ScoredLine[] = [];
  part: string | undefined;

  constructor(terms: readonly string[]) {
    this.#terms = terms;
  }

  get best(): readonly SearchedLine[] {
    return this.#best;
  }

  end(): void {}

  text(line: string, { number }: LinePosition): void {
    const lower = line.toLowerCase();
    const found = this.#terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
    if (found.length === 0) return;
    const worst = this.#best.reduce((least, { score }) => Math.min(least, score), Number.POSITIVE_INFINITY);
    if (this.#best.length >= MOST_LINES && found.length <= worst) return;
    const text = around(line, Math.min(...found));
    const lines = [...this.#best, { part: this.part, line: number, text, score: found.length }];
    if (lines.length > MOST_LINES)
      lines.splice(
        lines.findLastIndex(({ score }) => score === worst),
        1,
      );
    this.#best = lines;
  }
}

function around(line: string, at: number): string {
  if (line.length <= LINE_CHARS) return line.trim();
  const from = Math.max(0, at - LEAD_CHARS);
  const shown = line
    .slice(from, from + LINE_CHARS)
    .toWellFormed()
    .trim();
  return `${from > 0 ? '… ' : ''}${shown}${from + LINE_CHARS < line.length ? ' …' : ''}`;
}
