/**
 * Seals what a killed process had written: outcome `crashed`, incomplete, with the pieces that were
 * committed. Runs when a store is opened. Outputs of living writers, in this or any other process,
 * are left alone. Totals come from the checkpoints, the hash from the bytes.
 */
import { createHash } from 'node:crypto';
import { isArtifactId } from '../../model/artifact.ts';
import type { PartSpec, PartTotals } from '../../model/part.ts';
import { parseOutputDraft, parsePartSpec } from '../../model/records.ts';
import type { Seal } from '../../model/store.ts';
import { crc32 } from '../../text/digest.ts';
import { damaged } from '../refusals.ts';
import type { Commits, Write } from './commits.ts';
import { cutWritten, fileOf, pieceAt } from './contents.ts';
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

const LF = 10;
const CR = 13;

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
  for (const { spec, content } of written) {
    await keepReadable(db, write, content);
    parts.push(await totalsOf(db, content, spec));
  }
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
 * After a loss of power, rows may name bytes of a file that were never flushed: the content ends
 * before the first missing piece.
 */
async function keepReadable(db: Connection, write: Write, content: number): Promise<void> {
  const file = fileOf(db, content);
  if (file === undefined) return;
  for (let at = file.start; ; ) {
    const piece = pieceAt(db, content, at);
    if (piece === undefined) break;
    if (piece.data.length !== piece.bytes || piece.bytes === 0 || crc32(piece.data) !== piece.crc) {
      await write({ durable: false, run: (db) => cutWritten(db, content, at) });
      break;
    }
    at += piece.bytes;
    await nextTurn();
  }
  db.files.flushNow(file.name);
}

async function totalsOf(db: Connection, content: number, spec: PartSpec): Promise<PartTotals> {
  const hash = createHash('sha256');
  let bytes = 0;
  let lastByte = LF;
  for (let piece = pieceAt(db, content, 0); piece !== undefined; piece = pieceAt(db, content, bytes)) {
    const { data } = piece;
    if (data.length === 0 || data.length !== piece.bytes) throw damaged('What a killed process left');
    hash.update(data);
    bytes += data.length;
    lastByte = data.at(-1) ?? LF;
    await nextTurn();
  }
  const sums = db.get<{ chars: number | null; breaks: number | null; illFormed: number | null }>(
    'SELECT sum(chars) AS chars, sum(breaks) AS breaks, sum(ill_formed) AS illFormed FROM piece WHERE content = ?',
    content,
  );
  const openLine = spec.kind !== 'binary' && lastByte !== LF && lastByte !== CR;
  return {
    bytes,
    chars: sums?.chars ?? 0,
    lines: (sums?.breaks ?? 0) + (openLine ? 1 : 0),
    illFormed: sums?.illFormed ?? 0,
    hash: hash.digest('hex'),
    notes: [],
  };
}
