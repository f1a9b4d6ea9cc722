/**
 * The public surface of @spillway/core: what a person who builds an agent needs. Types for plugins
 * are in `/plugin`, the store contract in `/store`, sessions in `/history`, contract tests in
 * `/testing`. Everything else may change without notice.
 */
export type {
  Agent,
  AgentRequest,
  AgentRequestOptions,
  BoundedTool,
  CallEnd,
  Taken,
  ToolCall,
  ToolLike,
  ToolOptions,
} from './agent/agent.ts';
export { type AgentOptions, openAgent } from './agent/open-agent.ts';
export {
  type AnswerOptions,
  type ToolContext,
  type WrapToolOptions,
  wrapTool,
} from './agent/run-tool.ts';
export type {
  BlocksResult,
  ContentBlock,
  ExecResult,
  ReplResult,
  Source,
  TextResult,
  ToolResult,
  ValueResult,
} from './capture/result.ts';
export { Spillway } from './engine.ts';
export type { Shape, ShapeName } from './history/shapes/shape.ts';
export type { ShapeTypes } from './history/shapes/shape-types.ts';
export type { About } from './model/about.ts';
export { type ArtifactId, isArtifactId, parseArtifactId } from './model/artifact.ts';
export { type ErrorCode, type Remedy, SpillwayError } from './model/errors.ts';
export type { LedgerEvent } from './model/events.ts';
export type { FetchHint } from './model/fetch.ts';
export type { Outcome, OutcomeStatus } from './model/outcome.ts';
export type { Call, OutputName, OutputRecord } from './model/output.ts';
export type { Policy, SettingsInput } from './model/policy.ts';
export type { Audience, Omission, Projection, ProjectionMetadata } from './model/projection.ts';
export type { Store, WaitOptions } from './model/store.ts';
export type {
  CaptureEnd,
  OpenCapture,
  OpenPart,
  Processed,
  ProcessOptions,
  ProjectOptions,
  SpillwayOptions,
} from './options.ts';
export type { ContextWindow } from './policy/adaptive.ts';
export { parseSettings } from './policy/settings.ts';
export { type Processor, TruncationProcessor, type TruncationResult } from './processor.ts';
export { type ProjectTextOptions, project } from './project.ts';
export { processRepl } from './repl.ts';
export type { FetchedPage } from './retrieval/fetched.ts';
export { memoryStore } from './stores/memory.ts';
export { GET_ARTIFACT } from './wording/get-artifact.ts';
