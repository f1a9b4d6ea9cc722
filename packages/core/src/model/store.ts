/**
 * What a store does, in three parts: outputs, which every store has; history; and upkeep. No idea
 * of SQL, files or processes is in it. `stores/README.md` says what each method promises, and
 * `@spillway/core/testing` holds a suite for each part.
 */

import type { ArtifactId } from './artifact.ts';
import type { LedgerEvent } from './events.ts';
import type { Extent } from './extent.ts';
import type { CallName, MessageDraft, MessageRecord } from './message.ts';
import type { OutcomeStatus } from './outcome.ts';
import type { OutputDraft, OutputName, OutputRecord, Tombstone } from './output.ts';
import type { PartSpec, PartTotals } from './part.ts';
import type { Piece } from './piece.ts';
import type { Audience, ProjectionRecord } from './projection.ts';
import type { SessionName, SessionRecord, SummaryDraft, SummaryRecord } from './session.ts';

/** A store with all three parts, as those that Spillway brings are. */
export interface Store extends OutputStore, HistoryStore, UpkeepStore {}

/** Where outputs are kept. */
export interface OutputStore extends AsyncDisposable {
  /** Begins an output. Nothing of it can be found before it is sealed. */
  create(draft: OutputDraft, options?: WaitOptions): Promise<OutputWriter>;
  /** The output under a handle or call id of the scope; a tombstone if it was purged. */
  find(key: OutputKey, options?: WaitOptions): Promise<OutputRecord | Tombstone | undefined>;
  /** Opens a part for reading from the last checkpoint at or before a position. */
  read(id: ArtifactId, part: number, from: ReadFrom, options?: WaitOptions): Promise<Reading>;
  /** Sealed outputs, newest first. */
  list(query: OutputQuery, options?: WaitOptions): Promise<Page<OutputRecord>>;
  /** Keeps the first projection for an audience, and gives the one kept; or replaces it. */
  freeze(
    record: ProjectionRecord,
    mode?: 'first' | 'replace',
    options?: WaitOptions,
  ): Promise<ProjectionRecord>;
  /** The projection that is kept for an audience. */
  frozen(id: ArtifactId, audience: Audience, options?: WaitOptions): Promise<ProjectionRecord | undefined>;
  /** Waits for calls that are under way. `await using` calls it too. */
  close(): Promise<void>;
}

/** What is needed of a store to read parts. */
export type StoredBytes = Pick<OutputStore, 'read'>;

/** Writes one output. `await using` discards what was not sealed. */
export interface OutputWriter extends AsyncDisposable {
  /** Declares the next part and returns its index. Parts may be written to in any interleaving. */
  part(spec: PartSpec): number;
  /** Resolves once the store can take more. */
  append(part: number, piece: Piece, options?: WaitOptions): Promise<void>;
  /** Makes the output exist, together with its first projection and events, in one durable step. */
  seal(seal: Seal, options?: WaitOptions): Promise<SealResult>;
  /** Forgets everything written. */
  discard(): Promise<void>;
}

/** What is known of an output once it has ended. */
export interface Seal
  extends Pick<OutputRecord, 'outcome' | 'complete' | 'sourceTruncated' | 'endedAt' | 'summary'> {
  /** One entry for each declared part, in order. */
  readonly parts: readonly PartTotals[];
  /** The first projection, frozen in the same step. */
  readonly projection?: ProjectionRecord;
  /** Go into the ledger in the same step. */
  readonly events?: readonly LedgerEvent[];
}

/** What a seal made. */
export interface SealResult {
  /** The output as it is kept. */
  readonly record: OutputRecord;
  /** True if the same call had an equal output before: `record` is that one. */
  readonly existing: boolean;
}

/** Names an output: by its handle, or by the call it came from (the latest version). */
export type OutputKey = OutputName | (SessionName & Pick<CallName, 'callId'>);

/** `breaks: n` asks for a position before the n-th line end. */
export type ReadFrom = Pick<Extent, 'bytes'> | Pick<Extent, 'chars'> | Pick<Extent, 'breaks'>;

/** A part that was opened for reading. */
export interface Reading {
  /** Where the first piece begins. */
  readonly at: Extent;
  /** The part's bytes from there to its end, as stored pieces; stop pulling to stop reading. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Calls that were given the same: one tool, one input. */
export interface CallFingerprint {
  /** The name of the tool. */
  readonly tool: string;
  /** The hash of the part with the role `input`. */
  readonly input: string;
  /** Only those that ended so. */
  readonly status?: OutcomeStatus;
}

/** Which outputs to list. */
export interface OutputQuery extends Paged {
  /** Whose outputs. */
  readonly scope: string;
  /** Only those of this session. */
  readonly session?: string;
  /** Only those of this tool. */
  readonly tool?: string;
  /** Only outputs of calls like this one. */
  readonly call?: CallFingerprint;
  /** `disclosed` (default): handles that a model was told and that resolve. */
  readonly show?: 'disclosed' | 'all';
}

/** Where messages and summaries are kept. */
export interface HistoryStore {
  /** Adds messages, all or none. One whose id is there already keeps its ordinal. */
  addMessages(request: AddMessagesRequest, options?: WaitOptions): Promise<readonly MessageRecord[]>;
  /** Messages of a session, in their order. */
  messages(query: MessageQuery, options?: WaitOptions): Promise<Page<MessageRecord>>;
  /** Keeps the next version of a session's summary, unless another came first. */
  addSummary(draft: SummaryDraft, options?: WaitOptions): Promise<SummaryRecord>;
  /** Summaries of a session, the latest first. */
  summaries(query: SummaryQuery, options?: WaitOptions): Promise<Page<SummaryRecord>>;
}

/** Messages to be added to a session, in this order. */
export interface AddMessagesRequest extends SessionName {
  /** All are added, or none. */
  readonly messages: readonly MessageDraft[];
}

/** Which messages to read. */
export interface MessageQuery extends Paged, SessionName {
  /** Oldest first unless told. */
  readonly order?: 'oldest' | 'newest';
  /** Only messages with a place above this. */
  readonly above?: number;
}

/** Which summaries to read. */
export interface SummaryQuery extends Paged, SessionName {}

/** What a store knows and does beside keeping. */
export interface UpkeepStore {
  /** Adds to the ledger. */
  note(events: readonly LedgerEvent[], options?: WaitOptions): Promise<void>;
  /** The ledger, oldest first. */
  events(query: EventQuery, options?: WaitOptions): Promise<EventPage>;
  /** Sessions, the one seen last first. */
  sessions(query: SessionQuery, options?: WaitOptions): Promise<Page<SessionRecord>>;
  /** Ends handles or purges outputs; ends a session when asked. */
  retire(request: RetireRequest, options?: WaitOptions): Promise<RetireResult>;
  /** Compresses the content of old outputs, if the store can. What is read stays the same. */
  archive(request: ArchiveRequest, options?: WaitOptions): Promise<ArchiveResult>;
  /** How much the store holds. */
  usage(query?: UsageQuery, options?: WaitOptions): Promise<Usage>;
}

/** Which events to read. */
export interface EventQuery extends Paged {
  /** Only events of this scope. Default: all. */
  readonly scope?: string;
  /** Only events at this time or later. Milliseconds since 1970. */
  readonly since?: number;
  /** Only events of this type. */
  readonly type?: LedgerEvent['type'];
}

/** A page of the ledger, which can be followed. */
export interface EventPage extends Page<LedgerEvent> {
  /** Passed as `after` later on, it gives what was noted since. Absent on an empty page. */
  readonly end?: string;
}

/** Which sessions to list. */
export interface SessionQuery extends Paged {
  /** Only sessions of this scope. Default: all. */
  readonly scope?: string;
  /** Only sessions of this scope and of those below it, whose names go on with a colon. */
  readonly below?: string;
  /** Default: `open`. */
  readonly show?: 'open' | 'all';
  /** Only sessions that were last seen before. */
  readonly idleSince?: number;
}

/** Which outputs and sessions are to end, and how. */
export interface RetireRequest {
  /**
   * `retire`: handles end, records stay. `purge`: records and unshared content go, tombstones stay;
   * messages and summaries go with a purge that names neither `ids` nor `before`, which means whole
   * sessions.
   */
  readonly how: 'retire' | 'purge';
  /** Whose outputs. */
  readonly scope: string;
  /** The time that is written down. Milliseconds since 1970. */
  readonly at: number;
  /** Only these; otherwise all of the scope that the other fields leave. */
  readonly ids?: readonly ArtifactId[];
  /** Only those of this session. */
  readonly session?: string;
  /** Only outputs that ended before. */
  readonly before?: number;
  /** Only outputs of sessions that have ended, and that no open session cites. */
  readonly ended?: true;
  /** Ends the session named, or, with `idleSince`, every session not seen since. */
  readonly endSession?: true;
  /** Only sessions that were last seen before. Milliseconds since 1970. */
  readonly idleSince?: number;
  /** Only count what would go. */
  readonly preview?: true;
}

/** What a request ended, or would. */
export interface RetireResult {
  /** Outputs whose handles ended. */
  readonly outputs: number;
  /** Bytes of content that no output refers to any more, and which are gone. */
  readonly bytesFreed: number;
  /** Sessions that were open before. */
  readonly sessionsEnded: number;
  /** Of a preview: the handles that would go, oldest first, the first 1,000 of them. */
  readonly ids?: readonly ArtifactId[];
}

/** Which outputs are old. */
export interface ArchiveRequest {
  /** Whose outputs. */
  readonly scope: string;
  /** Only those of this session. */
  readonly session?: string;
  /** Only outputs that ended before. */
  readonly before: number;
}

/** What archiving did. */
export interface ArchiveResult {
  /** Outputs that were looked at. */
  readonly outputs: number;
  /** Bytes of content that were compressed now. */
  readonly bytesBefore: number;
  /** What they take since. */
  readonly bytesAfter: number;
}

/** What to count. */
export interface UsageQuery {
  /** Only what belongs to these scopes; content that they share with others counts whole. */
  readonly scopes?: readonly string[];
}

/** How much a store holds. */
export interface Usage {
  /** Sealed outputs. */
  readonly outputs: number;
  /** Bytes of distinct content. */
  readonly bytes: number;
  /** Sessions, ended ones too. */
  readonly sessions: number;
  /** Events of the ledger. */
  readonly events: number;
  /** Outputs that are being written, where a store of several processes can tell; absent if none. */
  readonly running?: readonly RunningOutput[];
}

/** An output that is not sealed yet. */
export interface RunningOutput extends Pick<OutputDraft, 'id' | 'scope' | 'session' | 'tool' | 'startedAt'> {
  /** Bytes of its content so far. */
  readonly bytes: number;
}

/** What a store may hold. Only what no open session has or cites is evicted. */
export interface StoreLimits {
  /** Bytes of distinct content. Default: no limit. */
  readonly maxBytes?: number;
}

/** What every call of a store that waits may be given, as its last argument. */
export interface WaitOptions {
  /** Ends the wait with its reason. A write that has begun is finished, and resolves. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of a listing. */
export interface Page<T> {
  /** What is on it, in the order of the listing. */
  readonly items: readonly T[];
  /** Pass it as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/** Which page of a listing. */
export interface Paged {
  /** Items on a page at the most. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}
