/**
 * What people need who extend Spillway (formats, strategies, dialects, message shapes, pattern and
 * path engines, tokenizers) or build a host on it (settings as data, captures fed by hand, sizes in
 * words). Everything else may change without notice.
 *
 *     new Spillway({ store, formats: [ini], strategies: [middle], dialects: [terse] })
 */

export type { Chunk, NotProjected } from '../capture/result.ts';
export { type AutoRule, autoRules, USUAL_TOOLS } from '../engine/auto-rules.ts';
export type { RetrieveOptions, StreamOptions } from '../engine/fetch.ts';
export type { TogetherOptions } from '../engine/project.ts';
export {
  type CharRange,
  errorLines,
  type FindOptions,
  type LinesOptions,
  type LineTally,
  type OutputReader,
  type PartFindings,
  type PreviewedProjection,
  type PreviewsOptions,
  readerOf,
  type ShownProjection,
  type TextSource,
} from '../engine/reader.ts';
export type { Fields } from '../history/shapes/json.ts';
export type {
  ImportedMedia,
  ImportedMessage,
  ImportedPart,
  ImportedResult,
  Loss,
  Shape,
  Vocabulary,
  Written,
} from '../history/shapes/shape.ts';
export type { JsonSchema, ShapeTypes } from '../history/shapes/shape-types.ts';
export type * from '../model/content.ts';
export type * from '../model/dialect.ts';
export { SpillwayError } from '../model/errors.ts';
export type { EventType } from '../model/events.ts';
export type { ByteRange, Extent } from '../model/extent.ts';
export type { CommandHint, FetchArguments, ToolDefinition } from '../model/fetch.ts';
export * from '../model/format.ts';
export type { PlainCopy, PlainCopyFolder } from '../model/output.ts';
export { isCompactionOutput } from '../model/output.ts';
export {
  isShown as isShownPart,
  type PartKind,
  type PartRecord,
  type PartRole,
  type PartSpec,
  type PartTotals,
  redactedIn,
  type ValueKind,
} from '../model/part.ts';
export type * from '../model/path.ts';
export type * from '../model/pattern.ts';
export type { Piece } from '../model/piece.ts';
export type * from '../model/plan.ts';
export type { Level, PolicyLayer } from '../model/policy.ts';
export {
  FIELD_NAMES,
  FIELDS,
  type Field,
  type FieldName,
  type Policy,
  type PolicyPatch,
  settingName,
} from '../model/policy.ts';
export type * from '../model/projection.ts';
export type {
  Covered,
  Elide as ElideSegment,
  Keep as KeepSegment,
  Omit as OmitSegment,
  OmittedThings,
  Segment,
  Selection,
  UnfitLine,
} from '../model/selection.ts';
export type * from '../model/stored-text.ts';
export type * from '../model/strategy.ts';
export { RowFlag, type TableRows } from '../model/table-rows.ts';
export type * from '../model/text-sample.ts';
export type { BatchItem, ContentPart, OpenPartSpec, RecordedOutput } from '../options.ts';
export { Settings } from '../policy/levels.ts';
export { PROFILES, type ProfileName, profileOf } from '../policy/profiles.ts';
export { DEFAULT_POLICY, type Effective, type KnownNames, type Origin } from '../policy/resolve.ts';
export { fieldOf, parseText, parseValue } from '../policy/settings.ts';
export { refuseLifted } from '../policy/trust.ts';
export type { CallOptions } from '../processor.ts';
export type { PartReasons } from '../projection/project.ts';
export type { ReplOptions, ReplProcessed } from '../repl.ts';
export type { FoundLine } from '../retrieval/find-lines.ts';
export type { ArrivedRun } from '../retrieval/interleaved.ts';
export type { LineRange, LineText } from '../retrieval/line-ranges.ts';
export type { LineRun, PartView } from '../retrieval/shown-lines.ts';
export type { TextOrigin } from '../retrieval/text-origins.ts';
export { JsonScan } from '../table/tree/json-scan.ts';
export {
  Kind as TreeKind,
  type TreeScanner,
  type TreeSink,
  type TreeToken,
} from '../table/tree/tree-sink.ts';
export { type Markup, XmlScan } from '../table/tree/xml-scan.ts';
export { matchesGlob } from '../text/glob.ts';
export { type LinePosition, type LineSink, LineSplitter } from '../text/lines.ts';
export { didYouMean, nearest } from '../text/nearest.ts';
export { formatBytes, formatCount, formatDuration, pluralize } from '../text/numbers.ts';
export { redactText, type SecretPattern } from '../text/secrets.ts';
export { estimateTokens } from '../text/tokens.ts';
export type { OwnPattern, OwnPatterns } from '../vocabulary/vocabulary.ts';
export { standard as standardDialect } from '../wording/dialects/standard.ts';
export { type ParsedProjection, parseProjection } from '../wording/parse-projection.ts';
