/**
 * The reference store: everything in maps, gone with the process. Read it to learn what a store does; the others do the same
 * with more care for disks. Invariant: an output is in `#outputs` from its seal on for ever, at last as a tombstone.
 * Sizes are bytes, times are milliseconds.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { LedgerEvent } from '../model/events.ts';
import { NOTHING } from '../model/extent.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../model/output.ts';
import type { Piece } from '../model/piece.ts';
import type { Audience, ProjectionRecord } from '../model/projection.ts';
import type { SessionRecord } from '../model/session.ts';
import type * as Contract from '../model/store.ts';
import type { SummaryDraft, SummaryRecord } from '../model/summary.ts';
import { Drafting, fingerprint, inputHash, sealedRecord } from './drafting.ts';
import { SharedContents } from './memory/contents.ts';
import { SessionMessages } from './memory/messages.ts';
import { SeenSessions } from './memory/sessions.ts';
import { pageLimit, pageOf, parseCursor } from './paging.ts';
import { checkRetireRequest, closed, idTaken, noSuchOutput, noSuchPart, overLimit } from './refusals.ts';

export interface MemoryStoreOptions {
  readonly limits?: Contract.StoreLimits;
  readonly clock?: () => number;
}

/** A store in memory, gone with the process. */
export function memoryStore(options: MemoryStoreOptions = {}): Contract.Store {
  return new MemoryStore(options.limits ?? {}, options.clock ?? Date.now);
}

interface Entry {
  readonly seq: number;
  readonly fingerprint: string;
  record: OutputRecord;
  purgedAt?: number;
}

class MemoryStore implements Contract.Store {
  readonly #limits: Contract.StoreLimits;
  readonly #clock: () => number;
  readonly #contents = new SharedContents();
  readonly #outputs = new Map<ArtifactId, Entry>();
  readonly #projections = new Map<string, ProjectionRecord>();
  readonly #sessions = new SeenSessions();
  readonly #said = new SessionMessages();
  readonly #ledger: LedgerEvent[] = [];
  /** Bytes of outputs that are still being written. */
  #openBytes = 0;
  #closed = false;

  constructor(limits: Contract.StoreLimits, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  async create(draft: OutputDraft): Promise<Contract.OutputWriter> {
    this.#mustBeOpen();
    if (this.#outputs.has(draft.id)) throw idTaken();
    const drafting = new Drafting(draft);
    const written: Piece[][] = [];
    let bytes = 0;
    const release = () => {
      this.#openBytes -= bytes;
    };
    return {
      part: (spec) => {
        written.push([]);
        return drafting.declare(spec);
      },
      append: async (part, piece) => {
        drafting.accept(part, piece);
        this.#makeRoom(piece.bytes.length);
        written[part]?.push(piece);
        bytes += piece.bytes.length;
        this.#openBytes += piece.bytes.length;
      },
      seal: async (seal) => {
        drafting.finish(seal);
        release();
        return this.#seal(drafting, written, seal);
      },
      discard: async () => {
        drafting.finish();
        release();
      },
    };
  }

  async find(key: Contract.OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    this.#mustBeOpen();
    const entry = 'id' in key ? this.#outputs.get(key.id) : this.#ofCall(key).at(-1);
    if (entry === undefined || entry.record.scope !== key.scope) return undefined;
    const { id, scope } = entry.record;
    return entry.purgedAt === undefined ? entry.record : { id, scope, purgedAt: entry.purgedAt };
  }

  async read(id: ArtifactId, part: number, from: Contract.ReadFrom): Promise<Contract.Reading> {
    const { hash } = this.#record(id).parts[part] ?? { hash: undefined };
    if (hash === undefined) throw noSuchPart(part);
    const pieces = this.#contents.pieces(hash);
    const first = Math.max(
      0,
      pieces.findLastIndex(({ start }) => {
        if ('breaks' in from) return start.breaks < from.breaks;
        return 'chars' in from ? start.chars <= from.chars : start.bytes <= from.bytes;
      }),
    );
    return { at: pieces[first]?.start ?? NOTHING, pieces: copies(pieces, first) };
  }

  async list(query: Contract.OutputQuery): Promise<Contract.Page<OutputRecord>> {
    this.#mustBeOpen();
    const limit = pageLimit(query.limit);
    const [before] = parseCursor(query.after) ?? [Number.POSITIVE_INFINITY];
    const rows = [...this.#outputs.values()].reverse().filter(({ seq, record, purgedAt }) => {
      const shown = query.show === 'all' || (record.disclosed && record.revokedAt === undefined);
      const asked = query.session === undefined || query.session === record.session;
      const sameTool = query.tool === undefined || query.tool === record.tool;
      const there = seq < before && purgedAt === undefined && record.scope === query.scope;
      return there && shown && asked && sameTool && isAlike(record, query.call);
    });
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
    this.#update(output, { disclosed: output.disclosed || record.disclosed });
    return record;
  }

  async frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    this.#mustBeOpen();
    return this.#projections.get(`${id} ${audience}`);
  }

  async note(events: readonly LedgerEvent[]): Promise<void> {
    this.#mustBeOpen();
    this.#note(events);
  }

  async events(query: Contract.EventQuery): Promise<Contract.Page<LedgerEvent>> {
    this.#mustBeOpen();
    const limit = pageLimit(query.limit);
    const [after] = parseCursor(query.after) ?? [-1];
    const rows = [...this.#ledger.entries()].filter(([seq, event]) => {
      const asked = query.scope === undefined || query.scope === event.scope;
      const sameType = query.type === undefined || query.type === event.type;
      return seq > after && asked && sameType && event.at >= (query.since ?? Number.NEGATIVE_INFINITY);
    });
    return pageOf(
      rows,
      limit,
      ([seq]) => `${seq}`,
      ([, event]) => event,
    );
  }

  async sessions(query: Contract.SessionQuery): Promise<Contract.Page<SessionRecord>> {
    this.#mustBeOpen();
    return this.#sessions.list(query);
  }

  async addMessages(request: Contract.AddMessagesRequest): Promise<readonly MessageRecord[]> {
    this.#mustBeOpen();
    const records = this.#said.add(request);
    this.#seeSaid(request, request.messages);
    return records;
  }

  async messages(query: Contract.MessageQuery): Promise<Contract.Page<MessageRecord>> {
    this.#mustBeOpen();
    return this.#said.list(query);
  }

  async addSummary(draft: SummaryDraft): Promise<SummaryRecord> {
    this.#mustBeOpen();
    return this.#said.addSummary(draft);
  }

  async summaries(query: Contract.SummaryQuery): Promise<Contract.Page<SummaryRecord>> {
    this.#mustBeOpen();
    return this.#said.summaries(query);
  }

  async retire(request: Contract.RetireRequest): Promise<Contract.RetireResult> {
    this.#mustBeOpen();
    checkRetireRequest(request);
    const targets = [...this.#outputs.values()].filter((entry) => this.#isMeant(entry, request));
    const outputs = targets.length;
    const sessionsEnded = request.endSession ? this.#sessions.end(request) : 0;
    if (request.how === 'revoke') {
      if (!request.preview) for (const { record } of targets) this.#update(record, { revokedAt: request.at });
      return { outputs, sessionsEnded, bytesFreed: 0 };
    }
    if (!request.preview) this.#said.purge(request, (session) => this.#sessions.isMeant(session, request));
    const hashes = targets.flatMap(({ record }) => record.parts.map((part) => part.hash));
    const bytesFreed = request.preview ? this.#contents.unshared(hashes) : this.#purge(targets, request.at);
    return { outputs, sessionsEnded, bytesFreed };
  }

  /** Memory is not made smaller: there is nothing to save by it that lasts. */
  async archive({ scope, session, before }: Contract.ArchiveRequest): Promise<Contract.ArchiveResult> {
    this.#mustBeOpen();
    const old = [...this.#outputs.values()].filter(({ record, purgedAt }) => {
      const asked = session === undefined || session === record.session;
      return purgedAt === undefined && record.scope === scope && asked && record.endedAt < before;
    });
    return { outputs: old.length, bytesBefore: 0, bytesAfter: 0 };
  }

  async usage(): Promise<Contract.Usage> {
    this.#mustBeOpen();
    const outputs = [...this.#outputs.values()].filter((entry) => entry.purgedAt === undefined).length;
    return {
      outputs,
      bytes: this.#contents.bytes,
      sessions: this.#sessions.count,
      events: this.#ledger.length,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #seal({ draft, specs }: Drafting, written: readonly Piece[][], seal: Contract.Seal): Contract.SealResult {
    this.#mustBeOpen();
    if (this.#outputs.has(draft.id)) throw idTaken();
    this.#sessions.see(draft, seal.endedAt);
    const alike = fingerprint(specs, seal);
    const sameCall = draft.callId === undefined ? [] : this.#ofCall({ ...draft, callId: draft.callId });
    const same = sameCall.findLast(
      (entry) =>
        entry.fingerprint === alike && entry.purgedAt === undefined && entry.record.revokedAt === undefined,
    );
    if (same !== undefined) return { record: same.record, existing: true };
    const record = sealedRecord(draft, specs, seal, (sameCall.at(-1)?.record.version ?? 0) + 1);
    for (const [i, totals] of seal.parts.entries()) this.#contents.keep(totals, written[i] ?? []);
    this.#outputs.set(draft.id, { seq: this.#outputs.size + 1, fingerprint: alike, record });
    if (seal.projection) this.#projections.set(`${draft.id} ${seal.projection.audience}`, seal.projection);
    this.#note(seal.events ?? []);
    return { record, existing: false };
  }

  #seeSaid(
    { scope, session }: Contract.AddMessagesRequest,
    messages: Contract.AddMessagesRequest['messages'],
  ): void {
    for (const { at } of messages) this.#sessions.see({ scope, session, startedAt: at }, at);
  }

  #note(events: readonly LedgerEvent[]): void {
    this.#ledger.push(...events);
    for (const event of events) this.#sessions.noted(event);
  }

  #isMeant({ record, purgedAt }: Entry, request: Contract.RetireRequest): boolean {
    if (record.scope !== request.scope || purgedAt !== undefined) return false;
    if (request.how === 'revoke' && record.revokedAt !== undefined) return false;
    if (request.ids !== undefined && !request.ids.includes(record.id)) return false;
    if (request.before !== undefined && record.endedAt >= request.before) return false;
    if (request.ended && this.#isCited(record.id)) return false;
    return this.#sessions.isMeant(record, request);
  }

  #isCited(id: ArtifactId): boolean {
    return this.#said.isCited(id, (session) => this.#sessions.hasEnded(session));
  }

  #purge(entries: readonly Entry[], at: number): number {
    let freed = 0;
    for (const entry of entries) {
      entry.purgedAt = at;
      for (const audience of ['model', 'transport', 'screen'])
        this.#projections.delete(`${entry.record.id} ${audience}`);
      for (const { hash } of entry.record.parts) freed += this.#contents.release(hash);
    }
    return freed;
  }

  /** Evicts outputs of ended sessions, oldest first, until `wanted` more bytes fit. */
  #makeRoom(wanted: number): void {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#limits;
    const missing = () => this.#contents.bytes + this.#openBytes + wanted - maxBytes;
    for (const entry of missing() > 0 ? this.#outputs.values() : []) {
      const { id, scope, session, tool } = entry.record;
      if (missing() <= 0) return;
      if (entry.purgedAt !== undefined || !this.#sessions.hasEnded(entry.record) || this.#isCited(id))
        continue;
      const at = this.#clock();
      const bytes = this.#purge([entry], at);
      this.#note([
        { type: 'purged', at, scope, session, tool, output: id, data: { reason: 'evicted', bytes } },
      ]);
    }
    if (missing() > 0) throw overLimit(maxBytes);
  }

  /** All versions under a call id, oldest first. */
  #ofCall(key: { readonly scope: string; readonly session: string; readonly callId: string }): Entry[] {
    return [...this.#outputs.values()].filter(({ record }) => {
      return record.callId === key.callId && record.session === key.session && record.scope === key.scope;
    });
  }

  #record(id: ArtifactId): OutputRecord {
    this.#mustBeOpen();
    const entry = this.#outputs.get(id);
    if (entry === undefined || entry.purgedAt !== undefined) throw noSuchOutput();
    return entry.record;
  }

  #update({ id }: OutputRecord, change: Partial<OutputRecord>): void {
    const entry = this.#outputs.get(id);
    if (entry !== undefined) entry.record = { ...entry.record, ...change };
  }

  #mustBeOpen(): void {
    if (this.#closed) throw closed();
  }
}

function isAlike(
  { tool, outcome, parts }: OutputRecord,
  call: Contract.CallFingerprint | undefined,
): boolean {
  if (call === undefined) return true;
  const ended = call.status === undefined || call.status === outcome.status;
  return ended && call.tool === tool && call.input === inputHash(parts);
}

async function* copies(pieces: readonly Piece[], first: number): AsyncGenerator<Uint8Array> {
  for (let i = first; i < pieces.length; i++) {
    const piece = pieces[i];
    // A copy: whoever reads must not be able to change what is canonical.
    if (piece !== undefined) yield piece.bytes.slice();
  }
}
