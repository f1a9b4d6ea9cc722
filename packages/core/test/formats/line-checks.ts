/**
 * What every selection by a plan of whole lines must be, whatever the text: checked against the text
 * itself, and against what is really rendered.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { KeptRows } from '../../src/engine/kept-rows.ts';
import { type TextFacts, TextTable } from '../../src/engine/text-table.ts';
import { type ByteRange, type Extent, NOTHING, sum } from '../../src/model/extent.ts';
import type { Format } from '../../src/model/format.ts';
import type { Piece } from '../../src/model/piece.ts';
import type { Plan, PlanFacts } from '../../src/model/plan.ts';
import { FIELDS, type Policy, type PolicyPatch } from '../../src/model/policy.ts';
import type { Omit, OmittedThings, Selection } from '../../src/model/selection.ts';
import type { Share } from '../../src/model/strategy.ts';
import { Rows } from '../../src/table/plan.ts';
import { cleanBytes } from '../../src/table/table-cover.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { decode } from '../../src/text/utf8.ts';
import { standardVocabulary } from '../../src/vocabulary/vocabulary.ts';
import { plain } from '../../src/wording/dialects/plain.ts';
import { spill } from '../../src/wording/dialects/spill.ts';
import { standard } from '../../src/wording/dialects/standard.ts';
import { chunked } from '../arbitraries.ts';
import { bytesInUse } from '../bytes-in-use.ts';

const MOST_OF_CHARS = 60;
/** Units of diffs and of search results, whose gaps list the files that they leave out. */
const LISTING_UNITS: readonly string[] = ['hunk', 'file', 'hit'];
export const RUNS = { numRuns: Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 150) };
const DIALECTS = [standard, plain, spill];
const defaults = Object.fromEntries(
  Object.entries(FIELDS).map(([name, field]) => [name, field.default]),
) as Policy;

/** A format at work on one text, without lines that are kept because they tell of errors. */
export class FormatAtWork {
  readonly #format: Format;
  readonly #facts: TextFacts;
  readonly #table: TextTable;
  #isFinished = false;

  constructor(format: Format, reachChars: number, patch: PolicyPatch) {
    const policy = { ...defaults, preserveErrors: false, preserveWarnings: false, ...patch } as Policy;
    const spec = { role: 'content', kind: 'text', name: 'text' } as const;
    this.#format = format;
    this.#facts = { policy, reachChars, spec, vocabulary: standardVocabulary, cleans: false } as TextFacts;
    // Under `none` nobody asks what the text is: it is of this format.
    this.#table = new TextTable({ ...this.#facts, policy: { ...policy, strategy: 'none' } }, 0);
    this.#table.format = format;
    this.#table.isPlanned = true;
  }

  push(piece: Piece): void {
    this.#table.push(piece);
  }

  get isFollowed(): boolean {
    return this.#plan(8_000) !== null;
  }

  select(share: Share): Selection {
    const plan = this.#plan(share.chars);
    if (plan === null) throw new Error('the text is not of the format');
    return new KeptRows(this.#table, this.#facts).byFormat(share, plan).selection;
  }

  bytes(range: ByteRange): Uint8Array {
    return cleanBytes(this.#table.table, range);
  }

  #plan(enough: number): Plan | null {
    if (!this.#isFinished) this.#table.finish();
    this.#isFinished = true;
    const facts = { detected: { kind: 'text' }, policy: this.#facts.policy, enough, words: [], path: '' };
    return this.#format.plan?.(new Rows(this.#table.table), facts as unknown as PlanFacts) ?? null;
  }
}

/** The format with what detection would know of the text. */
export function detailed(format: Format, detail?: string): Format {
  if (detail === undefined) return format;
  const plan: Format['plan'] = (rows, facts) =>
    format.plan?.(rows, { ...facts, detected: { kind: 'text', detail } }) ?? null;
  return { ...format, plan };
}

/** A format that has seen all of a text, given in chunks; every chunk is cut off as a piece. */
export function seen(
  format: Format,
  chunks: Iterable<Uint8Array>,
  reachChars = 8_000,
  patch: PolicyPatch = {},
): FormatAtWork {
  const selector = new FormatAtWork(format, reachChars, patch);
  const cutter = new PieceCutter('text');
  for (const chunk of chunks) {
    for (const piece of cutter.push(chunk)) selector.push(piece);
    for (const piece of cutter.flush()) selector.push(piece);
  }
  for (const piece of cutter.finish()) selector.push(piece);
  return selector;
}

export function shareOf(chars: number, lines = Number.POSITIVE_INFINITY): Share {
  return { chars, lines, gap: { chars: 62, lines: 2, label: labelChars } };
}

/** What a marker needs more to say what it leaves out. */
function labelChars(what: OmittedThings): number {
  const facts = { position: 'middle', lines: 9, chars: 9, following: 9, from: null } as const;
  const written = (of: OmittedThings | null) => standard.marker({ ...facts, what: of }, 'full').length;
  return written(what) - written(null);
}

/** What is shown of a text within so many chars; checked. */
export function shownBy(
  format: Format,
  text: string | Uint8Array,
  chars: number,
  patch: PolicyPatch = {},
): string {
  const bytes = Buffer.from(text as string);
  const selector = seen(format, [bytes], chars, patch);
  expect(selector.isFollowed).toBe(true);
  const selection = selector.select(shareOf(chars));
  checkSelection(bytes, selector, selection, shareOf(chars));
  return rendered(selector, selection);
}

export function rendered(selector: FormatAtWork, selection: Selection, dialect = standard): string {
  const first = selection.findIndex(({ kind }) => kind === 'keep');
  const last = selection.findLastIndex(({ kind }) => kind === 'keep');
  return selection
    .map((segment, at) => {
      if (segment.kind === 'keep') return decode(selector.bytes(segment));
      if (segment.kind === 'elide') return '';
      const position = first === -1 ? 'all' : at < first ? 'start' : at > last ? 'end' : 'middle';
      const { lines, chars, what = null } = segment;
      return dialect.marker({ position, lines, chars, what, from: null, following: 0 }, 'full');
    })
    .join('');
}

/**
 * Covers exactly, counts exactly, keeps whole lines of the text, and is within its share by the
 * price that is reckoned.
 */
export function checkSelection(
  bytes: Uint8Array,
  selector: FormatAtWork,
  selection: Selection,
  share: Share,
): void {
  let at = 0;
  let line = 1;
  let chars = 0;
  let lines = 0;
  let listed = 0;
  for (const segment of selection) {
    expect(segment.start).toBe(at);
    expect(segment.end).toBeGreaterThan(at);
    const part = bytes.subarray(segment.start, segment.end);
    const text = decode(part);
    const count = linesIn(text);
    expect(segment.chars).toBe(text.length);
    expect(segment.lines).toBe(count);
    expect(at === 0 || isLineStart(bytes, at)).toBe(true);
    if (segment.kind === 'keep') {
      expect(Buffer.compare(selector.bytes(segment), part)).toBe(0);
      chars += segment.chars;
      lines += segment.lines;
    } else if (segment.kind === 'omit') {
      expect([segment.firstLine, segment.lastLine]).toEqual([line, line + count - 1]);
      checkWhat(segment);
      listed += Math.max(0, (segment.what?.of?.length ?? 0) - MOST_OF_CHARS);
      chars += share.gap.chars + (segment.what === undefined ? 0 : labelChars(segment.what));
      lines += share.gap.lines;
    }
    at = segment.end;
    line += count;
  }
  expect(at).toBe(bytes.length);
  // The names of all files that are left out may take two fifths of a share that is not small.
  expect(listed).toBeLessThanOrEqual(share.chars < 1_000 ? 0 : share.chars * 0.4);
  if (selection.some(({ kind }) => kind === 'keep')) {
    expect(chars).toBeLessThanOrEqual(share.chars);
    expect(lines).toBeLessThanOrEqual(share.lines);
  }
}

function checkWhat({ what, lines }: Omit): void {
  if (what === undefined) return;
  expect(what.count).toBeGreaterThanOrEqual(what.unit === 'hunk' ? 0 : 1);
  expect(what.count).toBeLessThanOrEqual(lines);
  if (!LISTING_UNITS.includes(what.unit)) expect(what.of?.length ?? 0).toBeLessThanOrEqual(MOST_OF_CHARS);
  expect(what.of ?? '').not.toMatch(/[\r\n]/);
  expect((what.of ?? '').isWellFormed()).toBe(true);
}

/** The promises of every such plan, as one property over texts of its kind (or of any kind). */
export function holdsFor(format: Format, text: fc.Arbitrary<Uint8Array>): void {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 300, max: 20_000 }),
      fc.constantFrom(Number.POSITIVE_INFINITY, 12, 60),
      fc.array(fc.nat(), { maxLength: 12 }),
      (bytes, chars, lines, cuts) => {
        const share = shareOf(chars, lines);
        const reach = cuts.length % 2 === 0 ? chars : chars * 3;
        const selector = seen(format, [bytes], reach);
        const inChunks = seen(format, chunked(bytes, cuts), reach);
        expect(inChunks.isFollowed).toBe(selector.isFollowed);
        if (!selector.isFollowed) return;
        const selection = selector.select(share);
        checkSelection(bytes, selector, selection, share);
        expect(inChunks.select(share)).toEqual(selection);
        expect(selector.select(share)).toEqual(selection);
        if (decode(bytes).length <= chars && lines === Number.POSITIVE_INFINITY)
          expect(selection.filter(({ kind }) => kind === 'omit')).toEqual([]);
        checkRendered(selector, chars);
      },
    ),
    RUNS,
  );
}

/**
 * With the price that the projection reserves for a bare marker, what each dialect really writes is
 * within the share.
 */
function checkRendered(selector: FormatAtWork, chars: number): void {
  for (const dialect of DIALECTS) {
    const facts = { lines: 99_999, chars: 999_999, following: 99_999, from: null, what: null };
    const prices = (['start', 'middle', 'end'] as const).map(
      (position) => dialect.marker({ ...facts, position }, 'full').length,
    );
    const label = (what: OmittedThings) =>
      dialect.marker({ ...facts, position: 'middle', what }, 'full').length - (prices[1] ?? 0);
    const share = { ...shareOf(chars), gap: { chars: Math.max(...prices), lines: 4, label } };
    const selection = selector.select(share);
    if (selection.some(({ kind }) => kind === 'keep'))
      expect(rendered(selector, selection, dialect).length).toBeLessThanOrEqual(chars);
  }
}

export function omits(selection: Selection): Omit[] {
  return selection.filter((segment) => segment.kind === 'omit');
}

/**
 * How much the heap and its buffers grow while a stream goes by, at the most. Chunks end with a
 * line end; one that is given again is not cut again.
 */
export function growthOf(
  format: Format,
  totalBytes: number,
  chunk: (at: number) => Uint8Array,
): { bytes: number; selector: FormatAtWork; seen: Extent } {
  const selector = new FormatAtWork(format, 8_000, {});
  let last: { readonly bytes: Uint8Array; readonly pieces: readonly Piece[] } | undefined;
  let at: Extent = NOTHING;
  const before = bytesInUse();
  let most = 0;
  for (let step = 1; at.bytes < totalBytes; ) {
    const bytes = chunk(at.bytes);
    if (last?.bytes !== bytes) last = { bytes, pieces: piecesOf(bytes) };
    for (const piece of last.pieces) {
      selector.push({ ...piece, start: at });
      at = sum(at, piece.extent);
    }
    if (at.bytes < (totalBytes / 4) * step) continue;
    most = Math.max(most, bytesInUse() - before);
    step++;
  }
  return { bytes: most, selector, seen: at };
}

/** Pieces of a text that follows so much other text. */
function piecesOf(bytes: Uint8Array, at: Extent = NOTHING): Piece[] {
  const cutter = new PieceCutter('text');
  const pieces = [...cutter.push(bytes), ...cutter.finish()];
  return pieces.map((piece) => ({ ...piece, start: sum(at, piece.start) }));
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split(/\r\n|\r|\n/).length - (/[\r\n]$/.test(text) ? 1 : 0);
}

function isLineStart(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 1] === 10 || (bytes[at - 1] === 13 && bytes[at] !== 10);
}
