/**
 * Outputs being written. Draft and part specs are committed with the first piece, so that another
 * process can seal what a killed one had written. Each function is one step inside a transaction.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import { fileNameOfId } from '../../model/file-name.ts';
import type { OutputDraft } from '../../model/output.ts';
import type { PartSpec } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import { parseOutputDraft } from '../../model/records.ts';
import type { RunningOutput } from '../../model/store.ts';
import { readChecked } from '../records.ts';
import {
  addPieces,
  beginContent,
  type ContentFile,
  contentBytes,
  dropWritten,
  nameFile,
} from './contents.ts';
import type { Connection } from './driver.ts';
import { systemCode } from './folders.ts';

export interface DraftPart {
  readonly spec: string;
  readonly content: number;
}

export interface Appending {
  readonly draft: OutputDraft;
  readonly specs: readonly PartSpec[];
  readonly part: number;
  readonly owner: Owner;
  readonly now: number;
}

/** Adds the next pieces of a part; the bytes of those in a file are there already. */
export function appendPieces(
  db: Connection,
  appending: Appending,
  pieces: readonly Piece[],
  isInFile: (piece: Piece) => boolean = () => false,
): void {
  const content = contentOf(db, appending);
  if (contentBytes(db, content) !== pieces[0]?.start.bytes)
    throw new SpillwayError(
      'store_unavailable',
      'An earlier piece of this output could not be stored; discard it.',
    );
  addPieces(db, content, pieces, isInFile);
  db.run('UPDATE draft SET touched_at = ? WHERE id = ?', appending.now, appending.draft.id);
}

export function continueInFile(db: Connection, appending: Appending, file: ContentFile): void {
  nameFile(db, contentOf(db, appending), file);
}

function contentOf(db: Connection, appending: Appending): number {
  ensureDraft(db, appending);
  const { draft, part } = appending;
  const sql = 'SELECT content FROM draft_part WHERE draft = ? AND idx = ?';
  return db.get<{ content: number }>(sql, draft.id, part)?.content ?? 0;
}

export function draftParts(db: Connection, id: string): DraftPart[] {
  return db.all<DraftPart>('SELECT spec, content FROM draft_part WHERE draft = ? ORDER BY idx', id);
}

export function discardDraft(db: Connection, id: string): void {
  for (const { content } of draftParts(db, id)) dropWritten(db, content);
  forgetDraft(db, id);
}

/** Removes the draft, but not its contents. */
export function forgetDraft(db: Connection, id: string): void {
  db.run('DELETE FROM draft_part WHERE draft = ?', id);
  db.run('DELETE FROM draft WHERE id = ?', id);
}

/** Creates the missing draft and parts. A piece costs the same however many parts came before. */
function ensureDraft(db: Connection, { draft, specs, owner, now }: Appending): void {
  const last = db.get<{ last: number | null }>(
    'SELECT max(idx) AS last FROM draft_part WHERE draft = ?',
    draft.id,
  )?.last;
  if (last === undefined || last === null) {
    db.run(
      'INSERT INTO draft VALUES (?, ?, ?, ?, ?, ?, ?)',
      draft.id,
      JSON.stringify(draft),
      owner.host,
      owner.pid,
      owner.startedAt,
      owner.instance,
      now,
    );
  }
  for (let idx = (last ?? -1) + 1; idx < specs.length; idx++) {
    const spec = JSON.stringify(specs[idx]);
    db.run('INSERT INTO draft_part VALUES (?, ?, ?, ?)', draft.id, idx, spec, beginContent(db));
  }
}

/**
 * Who writes an output: host, process, and store instance. A writer is dead if its process is, or
 * if it ran on another host and has been silent for a day. When in doubt, it is alive. Times are
 * milliseconds.
 */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process began; tells it from an earlier one with the same pid, as in containers. */
  readonly startedAt: number;
  readonly instance: string;
}

const SILENCE_MS = 24 * 60 * 60 * 1_000;
/** The start is computed from two clocks, and wall clocks are adjusted. */
const START_TOLERANCE_MS = 5_000;

export function thisOwner(processStart = startOfProcess()): Owner {
  // Distinguishes the stores of one process, in any thread.
  const instance = `${process.hrtime.bigint().toString(36)}-${Math.random().toString(36).slice(2)}`;
  return { host: hostname(), pid: process.pid, startedAt: processStart, instance };
}

let start: number | undefined;

/** Computed once: a clock that is set later must not make this process look like another. */
export function startOfProcess(): number {
  start ??= Math.round(Date.now() - process.uptime() * 1_000);
  return start;
}

/** A draft and its owner, as they are stored. */
export interface DraftRow {
  readonly id: ArtifactId;
  readonly draft: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: number;
  readonly instance: string;
  readonly touched_at: number;
}

export function isDead(owner: DraftRow, self: Owner, now: number): boolean {
  if (owner.host !== self.host) return now - owner.touched_at > SILENCE_MS;
  if (owner.pid === self.pid) return Math.abs(owner.started_at - self.startedAt) > START_TOLERANCE_MS;
  // 0: the store was closed with the output unsealed.
  return owner.pid === 0 || !isRunning(owner.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another account.
    return systemCode(error) === 'EPERM';
  }
}

/** Outputs that living processes are writing; what they were given does not count as content. */
export function runningDrafts(db: Connection): RunningOutput[] {
  const rows = db.all<DraftRow & { readonly bytes: number | null }>(
    `SELECT draft.*, (SELECT sum(bytes) FROM draft_part JOIN content ON content.id = draft_part.content
       WHERE draft_part.draft = draft.id AND json_extract(spec, '$.role') <> 'input') AS bytes FROM draft`,
  );
  const self = thisOwner();
  return rows.flatMap((row) => {
    const draft = isDead(row, self, Date.now()) ? undefined : readChecked(row.draft, parseOutputDraft);
    if (draft === undefined) return [];
    const { id, scope, session, tool, startedAt } = draft;
    return [{ id, scope, session, tool, startedAt, bytes: row.bytes ?? 0 }];
  });
}

/**
 * Marks outputs that were reported as not stored but could not be deleted, e.g. on a full disk, so
 * that recovery does not bring them back. The mark is an empty file, which needs no room for data.
 */
export function markUnstored(file: string, id: ArtifactId): void {
  try {
    writeFileSync(markOf(file, id), '', { flag: 'wx', mode: 0o600 });
  } catch {
    // Without room even for a name, only this process remembers.
  }
}

export function isMarkedUnstored(file: string, id: ArtifactId): boolean {
  return existsSync(markOf(file, id));
}

export function unmarkUnstored(file: string, id: ArtifactId): void {
  try {
    rmSync(markOf(file, id), { force: true });
  } catch {
    // A mark without remains is harmless.
  }
}

function markOf(file: string, id: ArtifactId): string {
  return `${file}-unstored-${fileNameOfId(id)}`;
}
