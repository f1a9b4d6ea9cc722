/**
 * Outputs that are being written. Draft and part specs are committed with the first piece, so that what a killed process had
 * written can be sealed by another. Each function is one step inside a transaction.
 */
import { SpillwayError } from '../../model/errors.ts';
import type { OutputDraft } from '../../model/output.ts';
import type { PartSpec } from '../../model/part.ts';
import type { Piece } from '../../model/piece.ts';
import { addPiece, beginContent, contentBytes, dropWritten } from './contents.ts';
import type { Connection } from './driver.ts';
import type { Owner } from './owner.ts';

export interface DraftPart {
  readonly spec: string;
  readonly content: number;
}

export interface Appending {
  readonly draft: OutputDraft;
  /** All parts declared so far. */
  readonly specs: readonly PartSpec[];
  readonly part: number;
  readonly piece: Piece;
  readonly owner: Owner;
  readonly now: number;
}

export function appendPiece(db: Connection, appending: Appending): void {
  const { draft, part, piece, now } = appending;
  const contents = ensureDraft(db, appending);
  const content = contents[part];
  if (content === undefined || contentBytes(db, content) !== piece.start.bytes) {
    throw new SpillwayError(
      'store_unavailable',
      'An earlier piece of this output could not be stored; discard it.',
    );
  }
  addPiece(db, content, piece);
  db.run('UPDATE draft SET touched_at = ? WHERE id = ?', now, draft.id);
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

/** The content of each declared part. */
function ensureDraft(db: Connection, { draft, specs, owner, now }: Appending): number[] {
  const contents = draftParts(db, draft.id).map((part) => part.content);
  if (contents.length === 0) {
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
  for (const [idx, spec] of specs.entries()) {
    if (idx < contents.length) continue;
    const content = beginContent(db);
    db.run('INSERT INTO draft_part VALUES (?, ?, ?, ?)', draft.id, idx, JSON.stringify(spec), content);
    contents.push(content);
  }
  return contents;
}
