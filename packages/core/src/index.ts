/** The public surface of @spillway/core. Everything else may change without notice. */
export type {
  Agent,
  AgentRequest,
  AgentRequestOptions,
  BoundedTool,
  CallEnd,
  Taken,
  ToolLike,
  ToolOptions,
} from './agent/agent.ts';
export type { ToolContext } from './agent/call-facts.ts';
export { type AgentOptions, openAgent } from './agent/open-agent.ts';
export type { ToolCall } from './agent/tools.ts';
export { type WrapToolOptions, wrapTool } from './agent/wrap-tool.ts';
export type {
  BlocksResult,
  ContentBlock,
  ExecResult,
  NotProjected,
  ReplResult,
  TextResult,
  ToolResult,
  ValueResult,
} from './capture/result.ts';
export type { Source } from './capture/source.ts';
export { Spillway } from './engine.ts';
export type { About } from './model/about.ts';
export { type ArtifactId, isArtifactId, parseArtifactId } from './model/artifact.ts';
export type {
  Detail,
  Dialect,
  GapFacts,
  NoticeFacts,
  ParsedGap,
  ParsedNotice,
  ShownFacts,
} from './model/dialect.ts';
export { type ErrorCode, SpillwayError } from './model/errors.ts';
export type { EventType, LedgerEvent } from './model/events.ts';
export type { ByteRange, Extent } from './model/extent.ts';
export type { CommandHint, FetchArguments, FetchHint } from './model/fetch.ts';
export type { Level, PolicyLayer } from './model/layer.ts';
export type {
  Foreign,
  LegacyMark,
  MessageCall,
  MessageData,
  MessageDraft,
  MessageMedia,
  MessagePart,
  MessageRecord,
  MessageResult,
  MessageText,
  Role,
} from './model/message.ts';
export { type Outcome, type OutcomeStatus, outcomeOfFailure } from './model/outcome.ts';
export type { Call, OutputDraft, OutputRecord, Tombstone } from './model/output.ts';
export type { PartKind, PartRecord, PartRole, PartSpec, PartTotals, ValueKind } from './model/part.ts';
export type {
  FilterQuery,
  PathEngine,
  PathOperand,
  PathQuery,
  PathSegment,
  PathSelector,
  PathTest,
} from './model/path.ts';
export type { PatternEngine } from './model/pattern.ts';
export type { Piece } from './model/piece.ts';
export type { PlainCopyFolder } from './model/plain-copies.ts';
export {
  FIELD_NAMES,
  FIELDS,
  type Field,
  type FieldName,
  type Policy,
  type PolicyPatch,
  type SettingsInput,
  settingName,
} from './model/policy.ts';
export type {
  Audience,
  KeptBlock,
  Omission,
  ProjectedBlock,
  ProjectedText,
  Projection,
  ProjectionMetadata,
  ProjectionRecord,
  TextBlock,
} from './model/projection.ts';
export type { Elide, Keep, Omit, Segment, Selection } from './model/selection.ts';
export type { SessionRecord } from './model/session.ts';
export type {
  AddMessagesRequest,
  ArchiveRequest,
  ArchiveResult,
  CallFingerprint,
  EventQuery,
  MessageQuery,
  OutputKey,
  OutputQuery,
  OutputWriter,
  Page,
  ReadFrom,
  Reading,
  RetireRequest,
  RetireResult,
  Seal,
  SealResult,
  SessionQuery,
  Store,
  StoreLimits,
  SummaryQuery,
  Usage,
} from './model/store.ts';
export type { Cause, KeptStretch, Selector, Share, Strategy } from './model/strategy.ts';
export type { SummaryDraft, SummaryRecord } from './model/summary.ts';
export type {
  BatchItem,
  CaptureEnd,
  ContentPart,
  OpenCapture,
  OpenPart,
  OpenPartSpec,
  OutputName,
  Processed,
  ProcessOptions,
  ProjectOptions,
  RecordedOutput,
  SpillwayOptions,
} from './options.ts';
export type { Window } from './policy/adaptive.ts';
export { Settings } from './policy/levels.ts';
export { PROFILES, type ProfileName, profileOf } from './policy/profiles.ts';
export { DEFAULT_POLICY, type Effective, type Origin } from './policy/resolve.ts';
export { fieldOf, parseSettings, parseText, parseValue } from './policy/settings.ts';
export { refuseLifted } from './policy/trust.ts';
export { type Processor, TruncationProcessor, type TruncationResult } from './processor.ts';
export type { PartReasons } from './projection/project.ts';
export { processRepl, type ReplOptions, type ReplProcessed } from './repl.ts';
export type { FetchedPage } from './retrieval/fetched.ts';
export type { ArrivedRun } from './retrieval/interleaved.ts';
export { memoryStore } from './stores/memory.ts';
export type { StandbyStore, Unstored } from './stores/standby.ts';
export { speaksOfFailure } from './strategies/smart/failure.ts';
export type { OwnPattern, OwnPatterns } from './strategies/smart/words.ts';
export { matchesGlob } from './text/glob.ts';
export { didYouMean, nearest } from './text/nearest.ts';
export { bytesForPeople, count, counted, durationForPeople } from './text/numbers.ts';
export { standard as standardDialect } from './wording/dialects/standard.ts';
export { GET_ARTIFACT } from './wording/get-artifact.ts';
export { type ParsedProjection, parseProjection } from './wording/parse-projection.ts';
