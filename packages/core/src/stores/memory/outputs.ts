/**
 * Outputs in maps. Invariant: an output is in `#entries` from its seal on for ever, at last as a
 * tombstone. Sizes are bytes, times are milliseconds.
 */
import type { ArtifactId } from '../../model/artifact.ts';
import { NOTHING } from '../../model/extent.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../../model/output.ts';
import type { Piece } from '../../model/piece.ts';
import type { Audience, ProjectionRecord } from '../../model/projection.ts';
import type * as Contract from '../../model/store.ts';
import { Drafting, fingerprint, inputHash, isAlike, sealedRecord } from '../drafting.ts';
import { pageLimit, pageOf, parseCursor } from '../paging.ts';
import { closed, idTaken, noSuchOutput, noSuchPart } from '../refusals.ts';
import { SharedContents } from './contents.ts';

/** An output, or what is left of it. */
export interface Entry {
  readonly seq: number;
  readonly fingerprint: string;
  record: OutputRecord;
  purgedAt?: number;
}

/** What the rest of the store does while outputs are written. */
export interface OutputHooks {
  /** Makes room for so many bytes more, or throws. */
  makeRoom(bytes: number): void;
  sealed(draft: OutputDraft, seal: Contract.Seal, existing: boolean): void;
}

export class MemoryOutputs implements Contract.OutputStore {
  readonly contents = new SharedContents();
  readonly #hooks: OutputHooks;
  readonly #entries = new Map<ArtifactId, Entry>();
  /** The same, oldest first. */
  readonly #inOrder: Entry[] = [];
  /** The same by call id, and by the hash of what the call was given. */
  readonly #byCallId = new Map<string, Entry[]>();
  readonly #byInput = new Map<string, Entry[]>();
  readonly #projections = new Map<string, ProjectionRecord>();
  #openBytes = 0;
  #closed = false;

  constructor(hooks: OutputHooks) {
    this.#hooks = hooks;
  }

  /** Bytes of content, and of outputs that are still being written. */
  get bytes(): number {
    return this.contents.bytes + this.#openBytes;
  }

  get entries(): readonly Entry[] {
    return this.#inOrder;
  }

  async create(draft: OutputDraft): Promise<Contract.OutputWriter> {
    if (this.#entries.has(draft.id)) throw idTaken();
    const drafting = new Drafting(draft);
    const written: Piece[][] = [];
    let writtenBytes = 0;
    const release = () => {
      this.#openBytes -= writtenBytes;
      writtenBytes = 0;
    };
    const discard = async () => {
      drafting.finish();
      release();
    };
    return {
      part: (spec) => {
        written.push([]);
        return drafting.declare(spec);
      },
      append: async (part, piece, options) => {
        options?.signal?.throwIfAborted();
        drafting.accept(part, piece);
        this.#hooks.makeRoom(piece.bytes.length);
        written[part]?.push(piece);
        writtenBytes += piece.bytes.length;
        this.#openBytes += piece.bytes.length;
      },
      seal: async (seal, options) => {
        options?.signal?.throwIfAborted();
        drafting.finish(seal);
        release();
        return this.#seal(drafting, written, seal);
      },
      discard,
      [Symbol.asyncDispose]: async () => (drafting.isOver ? undefined : discard()),
    };
  }

  async find(key: Contract.OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    const entry = 'id' in key ? this.#entries.get(key.id) : this.#versions(key).at(-1);
    if (entry === undefined || entry.record.scope !== key.scope) return undefined;
    const { id, scope } = entry.record;
    return entry.purgedAt === undefined ? entry.record : { id, scope, purgedAt: entry.purgedAt };
  }

  async read(
    id: ArtifactId,
    part: number,
    from: Contract.ReadFrom,
    { signal }: Contract.WaitOptions = {},
  ): Promise<Contract.Reading> {
    const { hash } = this.#record(id).parts[part] ?? { hash: undefined };
    if (hash === undefined) throw noSuchPart(part);
    const pieces = this.contents.pieces(hash);
    const before = pieces.findLastIndex(({ start }) => {
      if ('breaks' in from) return start.breaks < from.breaks;
      return 'chars' in from ? start.chars <= from.chars : start.bytes <= from.bytes;
    });
    const first = Math.max(0, before);
    return { at: pieces[first]?.start ?? NOTHING, pieces: copies(pieces.slice(first), signal) };
  }

  async list(query: Contract.OutputQuery): Promise<Contract.Page<OutputRecord>> {
    const limit = pageLimit(query.limit);
    const [before] = parseCursor(query.after) ?? [Number.POSITIVE_INFINITY];
    const rows: Entry[] = [];
    const entries = query.call === undefined ? this.#inOrder : (this.#byInput.get(query.call.input) ?? []);
    for (let i = entries.length - 1; i >= 0 && rows.length <= limit; i--) {
      const entry = entries[i] as Entry;
      if (entry.seq < before && isAsked(entry, query)) rows.push(entry);
    }
    return pageOf(
      rows,
      limit,
      (row) => `${row.seq}`,
      (row) => row.record,
    );
  }

  async freeze(record: ProjectionRecord, mode: 'first' | 'replace' = 'first'): Promise<ProjectionRecord> {
    const output = this.#record(record.output);
    const key = `${record.output} ${record.audience}`;
    const kept = this.#projections.get(key);
    if (kept !== undefined && mode === 'first') return kept;
    this.#projections.set(key, record);
    this.update(output, { disclosed: output.disclosed || record.disclosed });
    return record;
  }

  async frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    return this.#projections.get(`${id} ${audience}`);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  update({ id }: OutputRecord, change: Partial<OutputRecord>): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.record = { ...entry.record, ...change };
  }

  /** Returns the bytes that are free now. */
  purge(entries: readonly Entry[], at: number): number {
    let freed = 0;
    for (const entry of entries) {
      entry.purgedAt = at;
      for (const audience of ['model', 'transport', 'screen'])
        this.#projections.delete(`${entry.record.id} ${audience}`);
      for (const { hash } of entry.record.parts) freed += this.contents.release(hash);
    }
    return freed;
  }

  #seal({ draft, specs }: Drafting, written: readonly Piece[][], seal: Contract.Seal): Contract.SealResult {
    if (this.#closed) throw closed();
    if (this.#entries.has(draft.id)) throw idTaken();
    // Only outputs under a call id are ever compared.
    const { callId } = draft;
    const alike = callId === undefined ? '' : fingerprint(specs, seal);
    const sameCall = callId === undefined ? [] : this.#versions({ ...draft, callId });
    const same = sameCall.findLast(({ fingerprint, purgedAt, record }) => {
      return fingerprint === alike && purgedAt === undefined && record.retiredAt === undefined;
    });
    this.#hooks.sealed(draft, seal, same !== undefined);
    if (same !== undefined) return { record: same.record, existing: true };
    const record = sealedRecord(draft, specs, seal, (sameCall.at(-1)?.record.version ?? 0) + 1);
    for (const [i, totals] of seal.parts.entries()) this.contents.keep(totals, written[i] ?? []);
    const entry = { seq: this.#entries.size + 1, fingerprint: alike, record };
    this.#add(entry);
    if (seal.projection) this.#projections.set(`${draft.id} ${seal.projection.audience}`, seal.projection);
    return { record, existing: false };
  }

  #add(entry: Entry): void {
    const { id, callId, parts } = entry.record;
    this.#entries.set(id, entry);
    this.#inOrder.push(entry);
    if (callId !== undefined) listUnder(this.#byCallId, callId).push(entry);
    const input = inputHash(parts);
    if (input !== undefined) listUnder(this.#byInput, input).push(entry);
  }

  /** All versions under a call id, oldest first. */
  #versions(key: { readonly scope: string; readonly session: string; readonly callId: string }): Entry[] {
    const entries = this.#byCallId.get(key.callId) ?? [];
    return entries.filter(({ record }) => record.session === key.session && record.scope === key.scope);
  }

  #record(id: ArtifactId): OutputRecord {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.purgedAt !== undefined) throw noSuchOutput();
    return entry.record;
  }
}

function listUnder(lists: Map<string, Entry[]>, key: string): Entry[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

function isAsked({ record, purgedAt }: Entry, { scope, session, tool, show, call }: Contract.OutputQuery) {
  const shown = show === 'all' || (record.disclosed && record.retiredAt === undefined);
  const asked = session === undefined || session === record.session;
  const sameTool = tool === undefined || tool === record.tool;
  const there = purgedAt === undefined && record.scope === scope;
  return there && shown && asked && sameTool && isAlike(record, call);
}

/** Whoever reads must not be able to change what is canonical. */
async function* copies(pieces: readonly Piece[], signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for (const { bytes } of pieces) {
    signal?.throwIfAborted();
    yield new Uint8Array(bytes);
  }
}
