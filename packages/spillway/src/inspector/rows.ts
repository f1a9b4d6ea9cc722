/** Records as the page is given them. */

import type { OutputRecord, Spillway } from '@spillway/core';
import { isShownPart, type PartRecord, readerOf, type ShownProjection } from '@spillway/core/plugin';
import { sum } from '../fields.ts';
import type { OutputTrail } from '../observe/ledger.ts';
import type { LedgerIndex } from './ledger-index.ts';

export type OutputRow = ReturnType<typeof outputRow>;
export type PartRow = ReturnType<typeof partRow>;
export type FetchedRange = ReturnType<typeof fetchedRanges>[number];

export function outputRow(record: OutputRecord, trail: OutputTrail | undefined) {
  const { outcome, parts } = record;
  const content = parts.filter(({ role }) => role === 'content');
  const texts = content.filter(isShownText);
  return {
    id: record.id as string,
    tool: record.tool,
    session: record.session,
    /** Tool and what it was asked for, one line. */
    summary: record.summary,
    status: outcome.status,
    exit_code: outcome.exitCode ?? null,
    signal: outcome.signal ?? null,
    failed: outcome.status !== 'ok' || (outcome.exitCode ?? 0) !== 0,
    started_at: record.startedAt,
    ended_at: record.endedAt,
    bytes: sum(content, ({ bytes }) => bytes),
    chars: sum(texts, ({ chars }) => chars),
    lines: sum(texts, ({ lines }) => lines),
    complete: record.complete,
    source_truncated: record.sourceTruncated,
    /** Set once the handle no longer resolves for a model. */
    revoked_at: record.retiredAt ?? null,
    /** What the model was shown; null where nothing was projected. */
    shown: shownFacts(trail),
    fetches: trail?.fetches ?? 0,
    made_again: (trail?.madeAgain ?? null) !== null,
  };
}

function shownFacts(trail: OutputTrail | undefined) {
  if (trail === undefined || trail.shown === null) return null;
  return { chars: trail.shown, cut: trail.cut, limit: trail.limit };
}

export function partRow(part: PartRecord, hasTree = false) {
  return {
    index: part.index,
    name: part.name,
    role: part.role,
    kind: part.kind,
    media_type: part.mediaType ?? null,
    bytes: part.bytes,
    chars: part.chars,
    lines: part.lines,
    is_shown: isShownPart(part),
    /** Whether it is JSON or XML, and small enough for a tree. */
    has_tree: hasTree,
    /** Of a part that is no text, in hex. */
    first_bytes: '',
    by: rowUnit(part),
  };
}

/** Whether a model is shown the part, as text. */
export function isShownText(part: PartRecord): boolean {
  return isShownPart(part) && part.kind !== 'binary';
}

/** Parts whose lines are very long, such as compact JSON, are read in rows of chars. */
export function rowUnit({ chars, lines }: Pick<PartRecord, 'chars' | 'lines'>): 'chars' | 'lines' {
  return chars > 2_000 && chars > 1_000 * lines ? 'chars' : 'lines';
}

/** What a model fetched of an output later. */
export function fetchedRanges(index: LedgerIndex, id: string) {
  return index
    .eventsOf(id)
    .filter(({ type }) => type === 'fetched')
    .map(({ at, data = {} }) => ({
      at,
      by: String(data.by ?? ''),
      part: typeof data.part === 'string' ? data.part : null,
      first_line: numberOrNull(data.first_line),
      last_line: numberOrNull(data.last_line),
      chars: numberOrNull(data.chars),
    }));
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Puts something into a map that holds the last few. */
export function keepLast<T>(map: Map<string, T>, key: string, value: T, most: number): T {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
  return value;
}

/**
 * Which lines of a part a projection shows: runs that cover all lines, in order. A line of which
 * any part is shown is kept; `gaps` are what was left out, also inside kept lines.
 */
export type PartView = Awaited<ReturnType<typeof partView>>;

/** Parts of which a view is made. */
const MOST_PARTS = 50;

export async function partViews(
  spillway: Spillway,
  record: OutputRecord,
  projection: ShownProjection,
): Promise<PartView[]> {
  const views: PartView[] = [];
  for (const part of await readerOf(spillway).parts(record, MOST_PARTS))
    if (isShownText(part)) views.push(await partView(spillway, record, part.index, projection));
  return views;
}

export async function partView(
  spillway: Spillway,
  record: OutputRecord,
  part: number,
  projection: ShownProjection,
) {
  const { lines, runs, gaps } = await readerOf(spillway).view(record, part, projection);
  const kept = runs.filter(({ kind }) => kind === 'shown');
  return {
    part,
    lines,
    kept_lines: sum(kept, ({ first, last }) => last - first + 1),
    runs: runs.map(({ kind, first, last }) => {
      const own =
        kind === 'left_out' ? gaps.filter((gap) => gap.first_line <= last && gap.last_line >= first) : [];
      return {
        kept: kind === 'shown',
        first_line: first,
        last_line: last,
        chars: sum(own, ({ chars }) => chars),
        bytes: sum(own, ({ bytes }) => bytes.end - bytes.start),
      };
    }),
    gaps: gaps.map(({ first_line, last_line, first_char, last_char }) => ({
      first_line,
      last_line,
      first_char,
      last_char,
    })),
  };
}

/** Tells whether a view shows all of a line. */
export function shownWhole(view: PartView | null): (line: number) => boolean {
  const isShown = shownIn(view);
  return (line) =>
    isShown(line) && !view?.gaps.some(({ first_line, last_line }) => first_line <= line && line <= last_line);
}

/** Tells whether a view shows something of a line; where nothing was projected, nothing was shown. */
export function shownIn(view: PartView | null): (line: number) => boolean {
  const runs = view?.runs ?? [];
  return (line) => {
    let [low, high] = [0, runs.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const run = runs[middle];
      if (run === undefined) return false;
      if (line < run.first_line) high = middle - 1;
      else if (line > run.last_line) low = middle + 1;
      else return run.kept;
    }
    return false;
  };
}
