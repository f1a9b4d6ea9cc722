/**
 * For people who write a store of their own: what every store checks and computes the same way, in
 * one wording. The contract is `model/store.ts`, what it promises is in README.md, and
 * `@spillway/core/testing` holds the suite.
 */

export type { ArtifactId } from '../model/artifact.ts';
export { SpillwayError } from '../model/errors.ts';
export type { EventType, LedgerEvent } from '../model/events.ts';
export { everyItem } from '../model/every-item.ts';
export type { Extent } from '../model/extent.ts';
export { type FileName, fileName, fileNameOfId, fileWord } from '../model/file-name.ts';
export type { MessageDraft, MessageRecord, StoredMessage } from '../model/message.ts';
export type { OutputDraft, OutputRecord, Tombstone } from '../model/output.ts';
export type { PartRecord, PartSpec, PartTotals } from '../model/part.ts';
export type { Piece } from '../model/piece.ts';
export type { Audience, PartSelection, ProjectionRecord } from '../model/projection.ts';
export {
  parseSessionNames,
  parseStoredProjection,
  storedProjection,
} from '../model/records.ts';
export type { SessionRecord, SummaryDraft, SummaryRecord } from '../model/session.ts';
export type * from '../model/store.ts';
export { Sha256 } from '../text/digest.ts';
export { completeStore, hasUpkeep } from './assembling.ts';
export { Drafting, fingerprint, inputHash, isAlike, sealedRecord, showsLife } from './drafting.ts';
export { type MemoryStoreOptions, memoryStore } from './memory.ts';
export { pageLimit, pageOf, parseCursor } from './paging.ts';
export { randomBytes } from './randomness.ts';
export { readChecked } from './records.ts';
export {
  closed,
  damaged,
  idTaken,
  noSuchOutput,
  noSuchPart,
  notWhole,
} from './refusals.ts';
export type { Dialect, SeenSession, SessionRow, StoredPiece } from './sql/dialect.ts';
export {
  all,
  answer,
  type Condition,
  get,
  type Query,
  run,
  type SqlScalar,
  type SqlValue,
  type Statement,
} from './sql/dialect.ts';
export { recordOf, type SealedRow } from './sql/outputs.ts';
export { makeRoom, type Room } from './sql/retiring.ts';
export { otherVersion, STORE_VERSION, type TableDialect, tableStatements } from './sql/schema.ts';
export { type SqlEngine, sqlStore, type WriteKind } from './sql/store.ts';
export type { OutputTarget, PartPiece } from './sql/writer.ts';
export { isAbort, unlessAborted, withSignal } from './waiting.ts';
