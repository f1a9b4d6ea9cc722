/** Records as the page is given them. */
import type { OutputRecord } from '@spillway/core';
import { isShownPart, type PartRecord } from '@spillway/core/plugin';
import type { OutputTrail } from '../observe/ledger.ts';
import type { FetchedRange, OutputRow, PartRow } from './api.ts';
import type { LedgerIndex } from './ledger-index.ts';

export function outputRow(record: OutputRecord, trail: OutputTrail | undefined): OutputRow {
  const { outcome, parts } = record;
  const content = parts.filter(({ role }) => role === 'content');
  const texts = content.filter((part) => part.kind !== 'binary' && isShownPart(part));
  return {
    id: record.id,
    tool: record.tool,
    call_id: record.callId ?? null,
    session: record.session,
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
    revoked_at: record.retiredAt ?? null,
    shown: shownFacts(trail),
    fetches: trail?.fetches ?? 0,
    made_again: (trail?.madeAgain ?? null) !== null,
  };
}

function shownFacts(trail: OutputTrail | undefined): OutputRow['shown'] {
  if (trail === undefined || trail.shown === null) return null;
  return { chars: trail.shown, cut: trail.cut, strategy: trail.strategy ?? '', limit: trail.limit };
}

export function partRow(part: PartRecord, hasTree = false): PartRow {
  return {
    index: part.index,
    name: part.name,
    role: part.role,
    kind: part.kind,
    media_type: part.mediaType ?? null,
    bytes: part.bytes,
    chars: part.chars,
    lines: part.lines,
    ill_formed: part.illFormed,
    is_shown: isShownPart(part),
    notes: part.notes,
    has_tree: hasTree,
    by: rowUnit(part),
  };
}

/** Outputs that Spillway itself made, such as transcripts of compacted messages. */
export function isInternal(tool: string): boolean {
  return tool.startsWith('spillway_');
}

/** Parts whose lines are very long, such as compact JSON, are read in rows of chars. */
export function rowUnit({ chars, lines }: Pick<PartRecord, 'chars' | 'lines'>): PartRow['by'] {
  return chars > 2_000 && chars > 1_000 * lines ? 'chars' : 'lines';
}

/** What a model fetched of an output later. */
export function fetchedRanges(index: LedgerIndex, id: string): FetchedRange[] {
  return index
    .eventsOf(id)
    .filter(({ type }) => type === 'fetched')
    .map(({ at, data = {} }) => ({
      at,
      by: String(data.by ?? ''),
      part: typeof data.part === 'string' ? data.part : null,
      first_line: number(data.first_line),
      last_line: number(data.last_line),
      chars: number(data.chars),
    }));
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
