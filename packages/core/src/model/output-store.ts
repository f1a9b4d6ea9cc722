/**
 * The part of a store that every store has: outputs. They are written once, piece by piece, and
 * found, read and listed; and what was shown of them is kept. `stores/README.md` says what each
 * method promises.
 */
import type { ArtifactId } from './artifact.ts';
import type { LedgerEvent } from './events.ts';
import type { Extent } from './extent.ts';
import type { Outcome, OutcomeStatus } from './outcome.ts';
import type { OutputDraft, OutputRecord, Tombstone } from './output.ts';
import type { Page, Paged, WaitOptions } from './page.ts';
import type { PartSpec, PartTotals } from './part.ts';
import type { Piece } from './piece.ts';
import type { Audience, ProjectionRecord } from './projection.ts';

/** Where outputs are kept. */
export interface OutputStore extends AsyncDisposable {
  /** Begins an output. Nothing of it can be found before it is sealed. */
  create(draft: OutputDraft, options?: WaitOptions): Promise<OutputWriter>;
  /**
   * The output under a handle or a call id, if it is of this scope; a tombstone if it was purged.
   */
  find(key: OutputKey, options?: WaitOptions): Promise<OutputRecord | Tombstone | undefined>;
  /** Opens a part for reading from the last checkpoint at or before a position. */
  read(id: ArtifactId, part: number, from: ReadFrom, options?: WaitOptions): Promise<Reading>;
  /** Sealed outputs, newest first. */
  list(query: OutputQuery, options?: WaitOptions): Promise<Page<OutputRecord>>;
  /**
   * Keeps the first projection of an output for an audience; returns the one that is kept.
   * `replace` is for reprojection only.
   */
  freeze(
    record: ProjectionRecord,
    mode?: 'first' | 'replace',
    options?: WaitOptions,
  ): Promise<ProjectionRecord>;
  /** The projection that is kept for an audience. */
  frozen(id: ArtifactId, audience: Audience, options?: WaitOptions): Promise<ProjectionRecord | undefined>;
  /** Waits for what was asked for. `await using` calls it too. */
  close(): Promise<void>;
}

/** What is needed of a store to read parts. */
export type StoredBytes = Pick<OutputStore, 'read'>;

/**
 * Writes one output, from its first piece to its seal. `await using` discards what was not sealed.
 */
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
export interface Seal {
  readonly outcome: Outcome;
  readonly complete: boolean;
  readonly sourceTruncated: boolean;
  readonly endedAt: number;
  readonly summary: string;
  readonly parts: readonly PartTotals[];
  readonly projection?: ProjectionRecord;
  readonly events?: readonly LedgerEvent[];
}

/** What a seal made. */
export interface SealResult {
  readonly record: OutputRecord;
  /**
   * True when an equal output of the same call id was there before: `record` is that one, and
   * nothing was added.
   */
  readonly existing: boolean;
}

/** Names an output: by its handle, or by the call it came from (the latest version). */
export type OutputKey =
  | { readonly scope: string; readonly id: ArtifactId }
  | { readonly scope: string; readonly session: string; readonly callId: string };

/** `breaks: n` asks for a position before the n-th line end. */
export type ReadFrom = { readonly bytes: number } | { readonly chars: number } | { readonly breaks: number };

/** A part that was opened for reading. */
export interface Reading {
  /** Where the first piece begins. */
  readonly at: Extent;
  /** The part's bytes from there to its end, as stored pieces; stop pulling to stop reading. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Calls that were given the same: one tool, one input. */
export interface CallFingerprint {
  readonly tool: string;
  /** The hash of the part with the role `input`. */
  readonly input: string;
  /** Only those that ended so. */
  readonly status?: OutcomeStatus;
}

/** Which outputs to list. */
export interface OutputQuery extends Paged {
  readonly scope: string;
  readonly session?: string;
  readonly tool?: string;
  /** Only outputs of calls like this one. */
  readonly call?: CallFingerprint;
  /**
   * `disclosed` (default): handles a model was told and that still resolve. `all`: every record.
   */
  readonly show?: 'disclosed' | 'all';
}
