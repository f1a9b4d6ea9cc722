/**
 * Outputs that are being written. Draft and part specs are committed with the first piece, so that
 * what a killed process had written can be sealed by another. Each function is one step inside a
 * transaction.
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
  /** All parts declared so far, and perhaps since. */
  readonly specs: readonly PartSpec[];
  readonly part: number;
  readonly piece: Piece;
  readonly owner: Owner;
  readonly now: number;
}

export function appendPiece(db: Connection, appending: Appending): void {
  const { draft, part, piece, now } = appending;
  ensureDraft(db, appending);
  const content = contentOf(db, draft.id, part);
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
