/**
 * The reference store: everything in maps, gone with the process. Read it to learn what a store
 * does; the others do the same with more care for disks. Sizes are bytes, times are milliseconds.
 * Invariants: an output stays in `#outputs` from its seal on, at last as a tombstone; equal content
 * is held once, as long as a part refers to it; messages and summaries are numbered from 1 without
 * gaps; nothing that is kept can be changed by a caller.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { LedgerEvent } from '../model/events.ts';
import { NOTHING } from '../model/extent.ts';
import type { MessageRecord } from '../model/message.ts';
import type { OutputDraft, OutputRecord, Tombstone } from '../model/output.ts';
import type { Piece } from '../model/piece.ts';
import type { Audience, ProjectionRecord } from '../model/projection.ts';
import {
  type SessionName,
  type SessionRecord,
  type SummaryDraft,
  type SummaryRecord,
  sessionKey,
} from '../model/session.ts';
import type * as Contract from '../model/store.ts';
import { callStore, storeOf } from './assembling.ts';
import {
  citedBy,
  Drafting,
  fingerprint,
  inputHash,
  isAlike,
  numberMessages,
  sealedRecord,
  showsLife,
} from './drafting.ts';
import { eventPageOf, MOST_PREVIEWED, pageLimit, pageOf, parseCursor } from './paging.ts';
import {
  checkRetireRequest,
  closed,
  idTaken,
  noSuchOutput,
  noSuchPart,
  overLimit,
  summaryOutdated,
} from './refusals.ts';

/** What a store in memory is made with. */
export interface MemoryStoreOptions {
  /** What it may hold. Default: no limit. */
  readonly limits?: Contract.StoreLimits;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: () => number;
}

/** A store in memory, gone with the process. */
export function memoryStore({ limits = {}, clock = Date.now }: MemoryStoreOptions = {}): Contract.Store {
  const methods = new MemoryMethods(limits.maxBytes ?? Number.POSITIVE_INFINITY, clock);
  return storeOf(
    (method, args, options) => callStore(methods, method, args, options),
    () => methods.end(),
  );
}

interface Output {
  readonly seq: number;
  readonly fingerprint: string;
  record: OutputRecord;
  purgedAt?: number;
}

interface Content {
  readonly pieces: readonly Piece[];
  readonly bytes: number;
  refs: number;
}

interface Session {
  readonly seq: number;
  /** Undefined until an output or a message of it arrived. */
  record: SessionRecord | undefined;
  messages: MessageRecord[];
  byId: Map<string, MessageRecord>;
  summaries: SummaryRecord[];
  /** Outputs that its messages refer to. */
  cited: Set<string>;
}

class MemoryMethods implements Omit<Contract.Store, 'close' | symbol> {
  readonly #maxBytes: number;
  readonly #clock: () => number;
  readonly #outputs = new Map<ArtifactId, Output>();
  readonly #inOrder: Output[] = [];
  /** The same by call id, and by the hash of what the call was given. */
  readonly #byCallId = new Map<string, Output[]>();
  readonly #byInput = new Map<string, Output[]>();
  readonly #projections = new Map<string, ProjectionRecord>();
  readonly #contents = new Map<string, Content>();
  readonly #sessions = new Map<string, Session>();
  readonly #ledger: LedgerEvent[] = [];
  /** Bytes of all content, and of outputs that are still being written. */
  #bytes = 0;
  #isClosed = false;

  constructor(maxBytes: number, clock: () => number) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  async end(): Promise<void> {
    this.#isClosed = true;
  }

  async create(draft: OutputDraft): Promise<Contract.OutputWriter> {
    if (this.#outputs.has(draft.id)) throw idTaken();
    const drafting = new Drafting(draft);
    const written: Piece[][] = [];
    const release = () => {
      for (const { bytes } of written.flat()) this.#bytes -= bytes.length;
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
        this.#makeRoom(piece.bytes.length);
        written[part]?.push(piece);
        this.#bytes += piece.bytes.length;
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

  #seal({ draft, specs }: Drafting, written: readonly Piece[][], seal: Contract.Seal): Contract.SealResult {
    if (this.#isClosed) throw closed();
    if (this.#outputs.has(draft.id)) throw idTaken();
    const { callId } = draft;
    const alike = fingerprint(draft, specs, seal);
    const versions = callId === undefined ? [] : this.#versions({ ...draft, callId });
    const same = versions.findLast((output) => {
      return output.fingerprint === alike && isKept(output) && output.record.retiredAt === undefined;
    });
    this.#see(draft, draft.startedAt, seal.endedAt);
    if (same !== undefined) return { record: same.record, existing: true };
    const record = sealedRecord(draft, specs, seal, (versions.at(-1)?.record.version ?? 0) + 1);
    for (const [i, { hash, bytes }] of seal.parts.entries()) {
      const equal = this.#contents.get(hash);
      if (equal === undefined) {
        this.#contents.set(hash, { pieces: written[i] ?? [], bytes, refs: 1 });
        this.#bytes += bytes;
      } else equal.refs++;
    }
    const output = { seq: this.#outputs.size + 1, fingerprint: alike, record };
    this.#outputs.set(draft.id, output);
    this.#inOrder.push(output);
    if (callId !== undefined) listUnder(this.#byCallId, callId).push(output);
    const input = inputHash(record.parts);
    if (input !== undefined) listUnder(this.#byInput, input).push(output);
    if (seal.projection) this.#projections.set(`${draft.id} ${seal.projection.audience}`, seal.projection);
    this.#note(seal.events ?? []);
    return { record, existing: false };
  }

  async find(key: Contract.OutputKey): Promise<OutputRecord | Tombstone | undefined> {
    const output = 'id' in key ? this.#outputs.get(key.id) : this.#versions(key).at(-1);
    if (output === undefined || output.record.scope !== key.scope) return undefined;
    const { id, scope } = output.record;
    return output.purgedAt === undefined ? output.record : { id, scope, purgedAt: output.purgedAt };
  }

  async read(
    id: ArtifactId,
    part: number,
    from: Contract.ReadFrom,
    { signal }: Contract.WaitOptions = {},
  ): Promise<Contract.Reading> {
    const { hash } = this.#kept(id).record.parts[part] ?? {};
    if (hash === undefined) throw noSuchPart(part);
    const pieces = this.#contents.get(hash)?.pieces ?? [];
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
    const { call } = query;
    const outputs = call === undefined ? this.#inOrder : (this.#byInput.get(call.input) ?? []);
    const rows: Output[] = [];
    for (let i = outputs.length - 1; i >= 0 && rows.length <= limit; i--) {
      const output = outputs[i] as Output;
      if (output.seq < before && isListed(output, query)) rows.push(output);
    }
    return pageOf(
      rows,
      limit,
      (row) => `${row.seq}`,
      (row) => row.record,
    );
  }

  async freeze(record: ProjectionRecord, mode: 'first' | 'replace' = 'first'): Promise<ProjectionRecord> {
    const output = this.#kept(record.output);
    const key = `${record.output} ${record.audience}`;
    const kept = this.#projections.get(key);
    if (kept !== undefined && mode === 'first') return kept;
    this.#projections.set(key, record);
    output.record = { ...output.record, disclosed: output.record.disclosed || record.disclosed };
    return record;
  }

  async frozen(id: ArtifactId, audience: Audience): Promise<ProjectionRecord | undefined> {
    return this.#projections.get(`${id} ${audience}`);
  }

  async addMessages(request: Contract.AddMessagesRequest): Promise<readonly MessageRecord[]> {
    const { messages, byId, cited } = this.#session(request);
    const { records, added } = numberMessages(request, {
      last: messages.length,
      find: (id) => byId.get(id),
    });
    for (const record of structuredClone(added)) {
      messages.push(record);
      byId.set(record.id, record);
    }
    for (const output of added.flatMap(citedBy)) cited.add(output);
    for (const { at } of request.messages) this.#see(request, at, at);
    return structuredClone(records);
  }

  async messages(query: Contract.MessageQuery): Promise<Contract.Page<MessageRecord>> {
    const limit = pageLimit(query.limit);
    const [cursor] = parseCursor(query.after) ?? [];
    const messages = this.#sessions.get(sessionKey(query))?.messages ?? [];
    const isNewest = query.order === 'newest';
    const first = Math.max(query.above ?? 0, isNewest ? 0 : (cursor ?? 0));
    const end = isNewest ? (cursor ?? messages.length + 1) - 1 : messages.length;
    const rows = isNewest
      ? messages.slice(Math.max(first, end - limit - 1), Math.max(first, end)).reverse()
      : messages.slice(first, first + limit + 1);
    return pageOf(
      rows,
      limit,
      (row) => `${row.ordinal}`,
      (row) => structuredClone(row),
    );
  }

  async addSummary(draft: SummaryDraft): Promise<SummaryRecord> {
    const { summaries } = this.#session(draft);
    if (draft.parent !== summaries.length) throw summaryOutdated(summaries.length);
    const record = { ...draft, version: summaries.length + 1 };
    summaries.push(structuredClone(record));
    return structuredClone(record);
  }

  async summaries(query: Contract.SummaryQuery): Promise<Contract.Page<SummaryRecord>> {
    const limit = pageLimit(query.limit);
    const [before] = parseCursor(query.after) ?? [Number.POSITIVE_INFINITY];
    const all = this.#sessions.get(sessionKey(query))?.summaries ?? [];
    return pageOf(
      all.filter(({ version }) => version < before).reverse(),
      limit,
      (row) => `${row.version}`,
      (row) => structuredClone(row),
    );
  }

  async note(events: readonly LedgerEvent[]): Promise<void> {
    this.#note(events);
  }

  #note(events: readonly LedgerEvent[]): void {
    this.#ledger.push(...events);
    for (const { session: id, scope, type, at } of events) {
      const session = id === undefined ? undefined : this.#sessions.get(sessionKey({ scope, session: id }));
      if (session?.record !== undefined && showsLife(type))
        session.record = { ...session.record, seenAt: Math.max(session.record.seenAt, at) };
    }
  }

  async events(query: Contract.EventQuery): Promise<Contract.EventPage> {
    const [after] = parseCursor(query.after) ?? [-1];
    const rows = [...this.#ledger.entries()].filter(([seq, event]) => {
      const isAsked = query.scope === undefined || query.scope === event.scope;
      const isOfType = query.type === undefined || query.type === event.type;
      return seq > after && isAsked && isOfType && event.at >= (query.since ?? Number.NEGATIVE_INFINITY);
    });
    return eventPageOf(
      rows,
      pageLimit(query.limit),
      ([seq]) => `${seq}`,
      ([, event]) => event,
    );
  }

  async sessions(query: Contract.SessionQuery): Promise<Contract.Page<SessionRecord>> {
    const [seenAt, before] = parseCursor(query.after) ?? [Number.POSITIVE_INFINITY, 0];
    const rows = [...this.#sessions.values()]
      .flatMap(({ seq, record }) => (record === undefined ? [] : [{ seq, record }]))
      .filter(({ record }) => query.scope === undefined || record.scope === query.scope)
      .filter(({ record }) => query.below === undefined || isBelow(record.scope, query.below))
      .filter(({ record }) => query.show === 'all' || record.endedAt === undefined)
      .filter(({ record }) => record.seenAt < (query.idleSince ?? Number.POSITIVE_INFINITY))
      .filter(({ seq, record }) => record.seenAt < seenAt || (record.seenAt === seenAt && seq < before))
      .sort((a, b) => b.record.seenAt - a.record.seenAt || b.seq - a.seq);
    return pageOf(
      rows,
      pageLimit(query.limit),
      (row) => `${row.record.seenAt}.${row.seq}`,
      (row) => row.record,
    );
  }

  async retire(request: Contract.RetireRequest): Promise<Contract.RetireResult> {
    checkRetireRequest(request);
    const { how, at, preview } = request;
    const meant = this.#inOrder.filter((output) => this.#isMeant(output, request));
    const ending = [...this.#sessions.values()].filter(
      ({ record }) => record?.endedAt === undefined && isNamed(record, request),
    );
    const result = { outputs: meant.length, sessionsEnded: request.endSession ? ending.length : 0 };
    if (preview) {
      const ids = meant.slice(0, MOST_PREVIEWED).map(({ record }) => record.id);
      return { ...result, bytesFreed: how === 'retire' ? 0 : this.#unshared(meant), ids };
    }
    let bytesFreed = 0;
    if (how === 'retire') for (const output of meant) output.record = { ...output.record, retiredAt: at };
    else {
      if (request.ids === undefined && request.before === undefined) this.#forgetMessages(request);
      for (const output of meant) bytesFreed += this.#purge(output, at);
    }
    if (request.endSession)
      for (const session of ending)
        if (session.record !== undefined) session.record = { ...session.record, endedAt: at };
    return { ...result, bytesFreed };
  }

  /** Memory is not made smaller: nothing that lasts is saved by it. */
  async archive({ scope, session, before }: Contract.ArchiveRequest): Promise<Contract.ArchiveResult> {
    const old = this.#inOrder.filter((output) => {
      const { record } = output;
      const isAsked = record.scope === scope && (session === undefined || session === record.session);
      return isKept(output) && isAsked && record.endedAt < before;
    });
    return { outputs: old.length, bytesBefore: 0, bytesAfter: 0 };
  }

  async usage({ scopes }: Contract.UsageQuery = {}): Promise<Contract.Usage> {
    const isCounted = ({ scope }: { readonly scope: string }) => scopes?.includes(scope) !== false;
    const kept = this.#inOrder.filter((output) => isKept(output) && isCounted(output.record));
    const hashes = new Set(kept.flatMap(({ record }) => record.parts.map(({ hash }) => hash)));
    return {
      outputs: kept.length,
      bytes: [...hashes].reduce((sum, hash) => sum + (this.#contents.get(hash)?.bytes ?? 0), 0),
      sessions: [...this.#sessions.values()].filter(({ record }) => record && isCounted(record)).length,
      events: this.#ledger.filter(isCounted).length,
    };
  }

  /** All versions under a call id, oldest first. */
  #versions(key: SessionName & { readonly callId: string }): Output[] {
    const outputs = this.#byCallId.get(key.callId) ?? [];
    return outputs.filter(({ record }) => record.session === key.session && record.scope === key.scope);
  }

  #kept(id: ArtifactId): Output {
    const output = this.#outputs.get(id);
    if (output === undefined || !isKept(output)) throw noSuchOutput();
    return output;
  }

  #session(name: SessionName): Session {
    const key = sessionKey(name);
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const seq = this.#sessions.size + 1;
    const session: Session = { seq, record: undefined, ...noMessages() };
    this.#sessions.set(key, session);
    return session;
  }

  /** An output or a message arrived: marks the session as seen and reopens it if it had ended. */
  #see({ scope, session: id }: SessionName, from: number, at: number): void {
    const session = this.#session({ scope, session: id });
    const { openedAt, seenAt } = session.record ?? { openedAt: from, seenAt: at };
    session.record = { id, scope, openedAt, seenAt: Math.max(seenAt, at) };
  }

  #isMeant(output: Output, request: Contract.RetireRequest): boolean {
    const { record } = output;
    if (!isKept(output) || (request.how === 'retire' && record.retiredAt !== undefined)) return false;
    if (request.ids !== undefined && !request.ids.includes(record.id)) return false;
    if (request.before !== undefined && record.endedAt >= request.before) return false;
    const session = this.#sessions.get(sessionKey(record))?.record;
    if (!isNamed(session, request)) return false;
    return !request.ended || (session?.endedAt !== undefined && !this.#isCited(record.id));
  }

  /** Whether a session that has not ended refers to the output. */
  #isCited(id: ArtifactId): boolean {
    const sessions = [...this.#sessions.values()];
    return sessions.some(({ record, cited }) => cited.has(id) && record?.endedAt === undefined);
  }

  #forgetMessages(request: Contract.RetireRequest): void {
    for (const session of this.#sessions.values()) {
      if (!isNamed(session.record, request)) continue;
      if (request.ended && session.record?.endedAt === undefined) continue;
      Object.assign(session, noMessages());
    }
  }

  #unshared(outputs: readonly Output[]): number {
    const hashes = outputs.flatMap(({ record }) => record.parts.map(({ hash }) => hash));
    let bytes = 0;
    for (const [hash, all] of Map.groupBy(hashes, (each) => each)) {
      const content = this.#contents.get(hash);
      if (content?.refs === all.length) bytes += content.bytes;
    }
    return bytes;
  }

  #purge(output: Output, at: number): number {
    output.purgedAt = at;
    let freed = 0;
    for (const audience of ['model', 'transport', 'screen'])
      this.#projections.delete(`${output.record.id} ${audience}`);
    for (const { hash } of output.record.parts) {
      const content = this.#contents.get(hash);
      if (content === undefined || --content.refs > 0) continue;
      this.#contents.delete(hash);
      freed += content.bytes;
    }
    this.#bytes -= freed;
    return freed;
  }

  /** Evicts outputs of ended sessions, oldest first, until `wanted` more bytes fit. */
  #makeRoom(wanted: number): void {
    const isOver = () => this.#bytes + wanted > this.#maxBytes;
    for (const output of isOver() ? this.#inOrder : []) {
      const { id, scope, session, tool } = output.record;
      const hasEnded = this.#sessions.get(sessionKey(output.record))?.record?.endedAt !== undefined;
      if (!isKept(output) || !hasEnded || this.#isCited(id)) continue;
      const at = this.#clock();
      const data = { reason: 'evicted', bytes: this.#purge(output, at) };
      this.#note([{ type: 'purged', at, scope, session, tool, output: id, data }]);
      if (!isOver()) return;
    }
    if (isOver()) throw overLimit(this.#maxBytes);
  }
}

function noMessages(): Omit<Session, 'seq' | 'record'> {
  return { messages: [], byId: new Map(), summaries: [], cited: new Set() };
}

function isKept({ purgedAt }: Output): boolean {
  return purgedAt === undefined;
}

function isListed(output: Output, { scope, session, tool, show, call }: Contract.OutputQuery): boolean {
  const { record } = output;
  if (!isKept(output) || record.scope !== scope) return false;
  if (show !== 'all' && (!record.disclosed || record.retiredAt !== undefined)) return false;
  if (session !== undefined && session !== record.session) return false;
  return (tool === undefined || tool === record.tool) && isAlike(record, call);
}

function isNamed(session: SessionRecord | undefined, request: Contract.RetireRequest): boolean {
  if (session?.scope !== request.scope) return false;
  if (request.session !== undefined && session.id !== request.session) return false;
  return request.idleSince === undefined || session.seenAt < request.idleSince;
}

function isBelow(scope: string, above: string): boolean {
  return scope === above || scope.startsWith(`${above}:`);
}

function listUnder(lists: Map<string, Output[]>, key: string): Output[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

/** Copies, so that a reader cannot change what is stored. */
async function* copies(pieces: readonly Piece[], signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for (const { bytes } of pieces) {
    signal?.throwIfAborted();
    yield new Uint8Array(bytes);
  }
}
