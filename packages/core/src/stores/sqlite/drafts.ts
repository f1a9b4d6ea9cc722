/**
 * Outputs that are being written. Draft and part specs are committed with the first piece, so that
 * what a killed process had written can be sealed by another. Each function is one step inside a
 * transaction.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { OutputDraft } from '../../model/output.ts';
import type { PartSpec } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import {
  addPieces,
  beginContent,
  type ContentFile,
  contentBytes,
  dropWritten,
  nameFile,
} from './contents.ts';
import type { Connection } from './driver.ts';
import type { Owner } from './owner.ts';

export interface DraftPart {
  readonly spec: string;
  readonly content: number;
}

export interface Appending {
  readonly draft: OutputDraft;
  /** All parts declared so far, and perhaps since. */
  readonly specs: readonly PartSpec[];
  readonly part: number;
  readonly owner: Owner;
  readonly now: number;
}

/** Adds the next pieces of a part; the bytes of those `in file` are there already. */
export function appendPieces(
  db: Connection,
  appending: Appending,
  pieces: readonly Piece[],
  where: 'in rows' | 'in file' = 'in rows',
): void {
  const content = contentUpTo(db, appending, pieces[0]?.start.bytes ?? 0);
  addPieces(db, content, pieces, where);
  db.run('UPDATE draft SET touched_at = ? WHERE id = ?', appending.now, appending.draft.id);
}

/** What follows of a part goes to a file. */
export function continueInFile(db: Connection, appending: Appending, file: ContentFile): void {
  nameFile(db, contentUpTo(db, appending, file.start), file);
}

/** The content of a part, which must have so many bytes by now. */
function contentUpTo(db: Connection, appending: Appending, bytes: number): number {
  ensureDraft(db, appending);
  const content = contentOf(db, appending.draft.id, appending.part);
  if (content !== undefined && contentBytes(db, content) === bytes) return content;
  throw new SpillwayError(
    'store_unavailable',
    'An earlier piece of this output could not be stored; discard it.',
  );
}

export function draftParts(db: Connection, id: string): DraftPart[] {
  return db.all<DraftPart>('SELECT spec, content FROM draft_part WHERE draft = ? ORDER BY idx', id);
}

export function discardDraft(db: Connection, id: string): void {
  for (const { content } of draftParts(db, id)) dropWritten(db, content);
  forgetDraft(db, id);
}

/** Removes the draft; its contents belong to somebody else by now. */
export function forgetDraft(db: Connection, id: string): void {
  db.run('DELETE FROM draft_part WHERE draft = ?', id);
  db.run('DELETE FROM draft WHERE id = ?', id);
}

function contentOf(db: Connection, draft: string, idx: number): number | undefined {
  return db.get<{ content: number }>('SELECT content FROM draft_part WHERE draft = ? AND idx = ?', draft, idx)
    ?.content;
}

/**
 * Makes the draft and the parts that are not there yet: a piece costs the same however many parts
 * came before.
 */
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
