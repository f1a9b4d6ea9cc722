/** The public surface of `@spillway/core/history`. Everything else may change without notice. */

export type { ToolDefinition } from '../model/fetch.ts';
export type * from '../model/message.ts';
export type { SessionName } from '../model/session.ts';
export type { Unstored } from '../stores/standby.ts';
export type { Compacted, CompactOptions, SummaryRequest } from './compaction/compact.ts';
export type { LeftOutResult } from './compaction/superseded.ts';
export { isWhole, type ReadBackOptions } from './content.ts';
export type { CounterName, Counters, InvariantName } from './context.ts';
export { type CopyStoreOptions, copyStore, type StoreCopy } from './copy-store.ts';
export { History, type HistoryOptions } from './history.ts';
export type { LineCounts } from './lines.ts';
export {
  type Derived,
  type DerivedMessage,
  isError,
  type MediaInput,
  type Message,
  type MessageInput,
  type NotRendered,
  type PartInput,
  type ResultBlock,
  type ResultOf,
  type SentMedia,
  type SentPart,
  type SentResult,
  type Synthetic,
  textOf,
} from './message.ts';
export { type Pair, type PairedMessage, type Pairing, pair } from './pairing.ts';
export type { Fullness, RequestNumbers, WindowComposition } from './pricing.ts';
export type { ProjectMessagesOptions } from './project-messages.ts';
export type { SessionReport } from './report.ts';
export type {
  CompactionReport,
  MadeRequest,
  Prepared,
  PreparedRequest,
  PrepareOptions,
  RefusedRequest,
  RequestOptions,
} from './request.ts';
export {
  type Backfilled,
  type DifferenceKind,
  hydrate,
  type LegacyPath,
  type RolloutMode,
  type RolloutOptions,
  rolloutMode,
  type Shadow,
  type ShadowDifference,
  type ShadowReport,
} from './rollout.ts';
export type { RecordedResult, Session } from './session.ts';
export { type CacheMarks, countMarks, type MarkOptions, markCache, markEnd } from './shapes/cache-marks.ts';
export type { Imported, ImportOptions } from './shapes/import.ts';
export { SHAPES, writeAs } from './shapes/index.ts';
export type {
  ImportedMedia,
  ImportedMessage,
  ImportedPart,
  ImportedResult,
  Loss,
  Shape,
  ShapeName,
  Vocabulary,
  Written,
} from './shapes/shape.ts';
export type * from './shapes/shape-types.ts';
export type { LimitedPreview, TransportLimits, TransportReader } from './transport/preview.ts';
export { limitMessages, type TransportMessage, type TransportPart } from './transport/preview.ts';
export { limitEvents, limitServerSentEvents, type TransportOptions } from './transport/stream.ts';
