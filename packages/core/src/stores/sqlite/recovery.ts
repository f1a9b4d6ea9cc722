/**
 * Seals what a killed process had written: outcome `crashed`, incomplete, with the pieces that were
 * committed. Runs when a store is opened. Outputs of living writers, in this or any other process,
 * are left alone.
 */
import { isArtifactId } from '../../model/artifact.ts';
import type { PartSpec, PartTotals } from '../../model/part.ts';
import { parseOutputDraft, parsePartSpec } from '../../model/records.ts';
import type { Seal } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { PieceCutter } from '../../text/pieces.ts';
import { damaged } from '../refusals.ts';
import type { Commits, Write } from './commits.ts';
import { cutWritten, fileOf, pieceFrom } from './contents.ts';
import {
  type DraftRow,
  discardDraft,
  draftParts,
  isDead,
  isMarkedUnstored,
  type Owner,
  unmarkUnstored,
} from './drafts.ts';
import type { Connection } from './driver.ts';
import { nextTurn } from './patience.ts';
import { sealDraft } from './sealing.ts';

interface OpenStore {
  readonly db: Connection;
  readonly write: Write;
  readonly file: string;
}

export async function recover({ db, write, file }: OpenStore, self: Owner, now: number): Promise<void> {
  const dead = db
    .all<DraftRow>('SELECT * FROM draft')
    // Ids name files, so check them first. Our writers leave no other kind.
    .filter((row) => isArtifactId(row.id) && isDead(row, self, now));
  for (const row of dead) {
    const claimed = await write({ durable: false, run: (db) => claim(db, row, self) });
    if (!claimed) continue;
    if (isMarkedUnstored(file, row.id)) {
      await write({ durable: true, run: (db) => discardDraft(db, row.id) });
      unmarkUnstored(file, row.id);
      continue;
    }
    // Damaged remains stay where they are and must not block the others.
    await sealCrashed(db, write, row).catch(() => undefined);
  }
}

/** A store was closed with outputs unsealed: release them, and the next open seals them. */
export async function leaveDrafts(
  db: Connection,
  commits: Commits,
  self: Owner,
  unstored: ReadonlySet<string>,
): Promise<void> {
  const all = db.all<{ id: string }>('SELECT id FROM draft WHERE instance = ?', self.instance);
  const left = all.filter(({ id }) => !unstored.has(id));
  if (left.length === 0) return;
  await commits.add({
    durable: false,
    run: () => left.forEach(({ id }) => void db.run('UPDATE draft SET pid = 0 WHERE id = ?', id)),
  });
}

/** Several processes may find the same remains; one claims them. */
function claim(db: Connection, row: DraftRow, self: Owner): boolean {
  const changed = db.run(
    'UPDATE draft SET host = ?, pid = ?, started_at = ?, instance = ? WHERE id = ? AND instance = ? AND pid = ?',
    self.host,
    self.pid,
    self.startedAt,
    self.instance,
    row.id,
    row.instance,
    row.pid,
  );
  return changed === 1;
}

async function sealCrashed(db: Connection, write: Write, row: DraftRow): Promise<void> {
  const draft = parseOutputDraft(JSON.parse(row.draft));
  if (draft.id !== row.id) throw damaged('What a killed process left');
  const written = draftParts(db, row.id).map(({ spec, content }) => ({
    spec: parsePartSpec(JSON.parse(spec)),
    content,
  }));
  const parts: PartTotals[] = [];
  for (const { spec, content } of written) parts.push(await totalsOf(db, write, content, spec));
  const { scope, session, tool, id } = draft;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const seal: Seal = {
    outcome: { status: 'crashed' },
    complete: false,
    sourceTruncated: false,
    endedAt: row.touched_at,
    summary: tool.slice(0, 100),
    parts,
    events: [
      {
        type: 'captured',
        at: row.touched_at,
        scope,
        session,
        tool,
        output: id,
        data: { recovered: true, bytes },
      },
    ],
  };
  const specs = written.map(({ spec }) => spec);
  await write({ durable: true, run: (db) => sealDraft(db, { draft, specs, seal }) });
}

/**
 * The totals of what can be read. After a loss of power, rows may name bytes of a file that were
 * never flushed: then the content ends before the first missing piece.
 */
async function totalsOf(
  db: Connection,
  write: Write,
  content: number,
  { kind }: PartSpec,
): Promise<PartTotals> {
  const file = fileOf(db, content);
  const cutter = new PieceCutter(kind);
  for (let at = 0; ; await nextTurn()) {
    const piece = pieceFrom(db, content, at);
    if (piece === undefined) break;
    const { data, start, bytes, crc, isElsewhere } = piece;
    if (start !== at || data === null || data.length === 0 || data.length !== bytes || crc32(data) !== crc) {
      if (isElsewhere !== true) throw damaged('What a killed process left');
      await write({ durable: false, run: (db) => cutWritten(db, content, at) });
      break;
    }
    for (const _ of cutter.push(data));
    at += bytes;
  }
  for (const _ of cutter.finish());
  if (file !== undefined) db.files.flushNow(file.name);
  return cutter.totals();
}
