/**
 * For people who add a format, a strategy or a dialect: every type that such a plugin meets, and what
 * the built-in formats are made of.
 *
 *     new Spillway({ store, formats: [ini], strategies: [middle], dialects: [terse] })
 */
export type { Choice, Gap, GapWords } from '../formats/by-line/choice.ts';
export type { Line } from '../formats/by-line/line-reader.ts';
export { type LineGrammar, lineStrategy, type Sample } from '../formats/by-line/line-strategy.ts';
export type { Span } from '../formats/by-line/span.ts';
export type { ContentKind, Detected } from '../model/content.ts';
export type { Detail, Dialect, GapFacts, NoticeFacts, ShownFacts } from '../model/dialect.ts';
export type { ByteRange, Extent } from '../model/extent.ts';
export {
  CONFIDENCE,
  type Evidence,
  type Expected,
  type Format,
  type FormatAddress,
  type FormatHint,
  type Found,
  type LineShapes,
  type Recogniser,
  type Search,
  type ShapeScore,
} from '../model/format.ts';
export type { PathEngine, PathQuery } from '../model/path.ts';
export type { PatternEngine } from '../model/pattern.ts';
export type { Piece } from '../model/piece.ts';
export type { Policy } from '../model/policy.ts';
export type { OmittedThings, Segment, Selection } from '../model/selection.ts';
export type { Match, MatchSink, StoredText } from '../model/stored-text.ts';
export type { Findings, Grammar, Known, Selector, Share, Strategy } from '../model/strategy.ts';
export type { SampleLine, TextSample } from '../model/text-sample.ts';
export { type LinePlace, type LineSink, LineSplitter } from '../text/lines.ts';
