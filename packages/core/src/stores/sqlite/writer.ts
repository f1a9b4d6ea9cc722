/**
 * Writes one output. A short one that is sealed soon is committed with its seal; otherwise pieces
 * are committed as they come. A large part continues in a file: its bytes are written before their
 * rows are committed, so a row never names bytes that were not written.
 */
import type { Piece } from '../../model/piece.ts';
import type { Seal, SealResult, WaitOptions } from '../../model/store.ts';
import type { Drafting } from '../drafting.ts';
import { randomBytes } from '../randomness.ts';
import { makeRoom } from '../sql/retiring.ts';
import type { OutputTarget, PartPiece } from '../sql/writer.ts';
import type { Access } from './access.ts';
import { type ContentFile, hashOf, pieceFrom } from './contents.ts';
import { ask } from './dialect.ts';
import { type Appending, appendPieces, continueInFile } from './drafts.ts';
import type { Connection } from './driver.ts';
import type { SqliteStoreOptions } from './opening.ts';
import { sealAtOnce, sealDraft } from './sealing.ts';

/** Held for the seal, at most this much and this long: a killed process loses it. */
const HELD_BYTES = 128 * 1024;
const HELD_MS = 100;
/** Gathered for a file before it is written, more for a longer part. */
const GATHERED_BYTES = { least: 64 * 1024, most: 256 * 1024 };
const GATHERED_SHARE = 1 / 32;
/**
 * Bytes of an output that may wait to be committed: for a large part an eighth of it, at most 1 MB.
 */
const WINDOW_BYTES = { least: 256 * 1024, most: 1024 * 1024 };
const WINDOW_SHARE = 1 / 8;
const LARGE_PART_BYTES = 1024 * 1024;

type TargetOptions = Pick<SqliteStoreOptions, 'limits' | 'largePartBytes'>;

/** When gathered pieces are written. */
export class Gathering {
  readonly holdMs = HELD_MS;
  readonly largePartBytes: number;

  constructor({ largePartBytes = LARGE_PART_BYTES }: TargetOptions) {
    this.largePartBytes = largePartBytes;
  }

  window({ start }: Piece): number {
    return within(WINDOW_BYTES, start.bytes * WINDOW_SHARE);
  }

  isEnough(bytes: number, { start }: Piece, isFirst: boolean): boolean {
    if (isFirst) return bytes >= HELD_BYTES;
    return start.bytes < this.largePartBytes || bytes >= within(GATHERED_BYTES, start.bytes * GATHERED_SHARE);
  }
}

/** What is being written: parts declared after the last piece come with the seal. */
export type Drafted = Pick<Drafting, 'draft' | 'specs'>;

export class SqliteTarget extends Gathering implements OutputTarget {
  readonly #access: Access;
  readonly #drafting: Drafted;
  readonly #maxBytes: number | undefined;
  readonly #files = new Map<number, ContentFile>();

  constructor(access: Access, drafting: Drafted, options: TargetOptions) {
    super(options);
    this.#access = access;
    this.#drafting = drafting;
    this.#maxBytes = options.limits?.maxBytes;
  }

  async write(pieces: readonly PartPiece[]): Promise<void> {
    const large = pieces.filter(({ piece }) => piece.start.bytes >= this.largePartBytes);
    for (const [part, own] of byPart(large)) await this.#writeToFile(part, own);
    await this.#access.write({ durable: false, run: (db) => this.#append(db, pieces) });
  }

  async seal(seal: Seal, held: readonly PartPiece[] | null, wait: WaitOptions): Promise<SealResult> {
    const { draft, specs } = this.#drafting;
    if (this.#access.flushes)
      for (const { name } of this.#files.values())
        await this.#access.beside(0, 0, (files) => files.flush(name));
    await checkEqualContent(
      this.#access,
      seal.parts.map(({ hash }) => hash),
    );
    const run = (db: Connection) => {
      if (held === null) return sealDraft(db, { draft, specs, seal });
      for (const { piece } of held) this.#access.mustHold(db, piece);
      this.#mustBeBelowLimit(db, held);
      return sealAtOnce(db, { draft, specs, seal }, byPart(held));
    };
    const sealed = await this.#access.write({ durable: true, run }, wait);
    this.#access.sweepBehind();
    return sealed;
  }

  async discard(): Promise<void> {
    await this.#access.discard(this.#drafting.draft.id);
    this.#access.sweepBehind();
  }

  async #writeToFile(part: number, pieces: readonly Piece[]): Promise<void> {
    const access = this.#access;
    const at = pieces[0]?.start.bytes ?? 0;
    const known = this.#files.get(part);
    const file = known ?? { name: Buffer.from(randomBytes(16)).toString('hex'), start: at };
    if (known === undefined) {
      const run = (db: Connection) => continueInFile(db, this.#appending(part), file);
      await access.write({ durable: true, run });
      await access.beside(0, 0, (files) => files.make(file.name));
      this.#files.set(part, file);
    }
    const chunks = pieces.map(({ bytes }) => bytes);
    const length = chunks.reduce((sum, bytes) => sum + bytes.length, 0);
    await access.beside(length, at, (files) => files.write(file.name, chunks, at - file.start));
  }

  #append(db: Connection, pieces: readonly PartPiece[]): void {
    const isInFile = ({ start }: Piece) => start.bytes >= this.largePartBytes;
    for (const { piece } of pieces) if (!isInFile(piece)) this.#access.mustHold(db, piece);
    this.#mustBeBelowLimit(db, pieces);
    for (const [part, own] of byPart(pieces)) appendPieces(db, this.#appending(part), own, isInFile);
  }

  #appending(part: number): Appending {
    const { owner, clock } = this.#access;
    const { draft, specs } = this.#drafting;
    return { draft, specs, part, owner, now: clock() };
  }

  #mustBeBelowLimit(db: Connection, pieces: readonly PartPiece[]): void {
    const maxBytes = this.#maxBytes;
    const wanted = pieces.reduce((sum, { piece }) => sum + piece.bytes.length, 0);
    if (maxBytes === undefined || wanted === 0) return;
    ask(db, (d) => makeRoom(d, { wanted, maxBytes, at: this.#access.clock() }));
  }
}

function within({ least, most }: { readonly least: number; readonly most: number }, bytes: number): number {
  return Math.min(most, Math.max(least, bytes));
}

function byPart(pieces: readonly PartPiece[]): ReadonlyMap<number, readonly Piece[]> {
  const grouped = Map.groupBy(pieces, ({ part }) => part);
  return new Map([...grouped].map(([part, own]) => [part, own.map(({ piece }) => piece)]));
}

/**
 * Equal content is stored once, so content under the same hash is read and checked before it is
 * reused. If it does not match its hash (damaged disk, changed file), it loses the hash and the new
 * content is kept; the old one stays readable as far as it is whole.
 */
async function checkEqualContent(access: Access, hashes: readonly string[]): Promise<void> {
  const equal = await access.read((db) =>
    [...new Set(hashes)].flatMap((hash) =>
      db.all<{ id: number; hash: string }>('SELECT id, hash FROM content WHERE hash = ?', hash),
    ),
  );
  const disown = "UPDATE content SET hash = 'damaged-' || id WHERE id = ?";
  for (const { id, hash } of equal) {
    const found = await hashOf((at) => access.read((db) => pieceFrom(db, id, at)));
    if (found !== hash) await access.write({ durable: true, run: (db) => db.run(disown, id) });
  }
}
