/**
 * What kind of content a text is, from its first kilobytes and the hints of its tool. Three questions in order: does it follow a
 * grammar (JSON, XML, a diff)? Do its lines have the shapes that programs print? Is it something a person wrote? Pure and linear in the
 * sample. The answer steers which view is chosen, never what is stored.
 */

import { binaryName, isBinary, isEncoded } from '../formats/binary/recognise.ts';
import { isSource, type Writing, writingOf, writtenKind } from '../formats/code/writing.ts';
import { diffKind } from '../formats/diff/recognise.ts';
import { structuredKind } from '../formats/json/recognise.ts';
import { separatedKind, tableKind } from '../formats/table/recognise.ts';
import { markupKind } from '../formats/xml/recognise.ts';
import type { ContentKind, Detected } from '../model/content.ts';
import type { SampleLine, TextSample } from '../model/text-sample.ts';
import { holdsJson } from './embedded.ts';
import { type Expected, expectedKinds, type Hints, type LinesSeen } from './hints.ts';
import { sampleOf } from './sample.ts';
import { type Score, scoreLines } from './score.ts';

export { SAMPLE_BYTES } from '../model/content.ts';

export function detect(bytes: Uint8Array, hints: Hints): Detected {
  const sample = sampleOf(bytes, hints.complete);
  const expected = expectedKinds(hints);
  const jsonLines = expected.some(({ kind }) => kind === 'ndjson');
  const json = structuredKind(sample, jsonLines ? 'expected' : 'unknown');
  if (json !== undefined) return { kind: json };
  if (isBinary(sample)) return { kind: 'binary', detail: binaryName(bytes) };
  const markup = markupKind(sample);
  if (markup !== undefined) return { kind: markup };
  if (sample.lines.length === 0) return { kind: 'text' };
  if (isEncoded(sample)) return { kind: 'binary', detail: 'base64' };
  return diffKind(sample.lines) ?? lineKind(sample, expected, hints.seen);
}

/** Kinds whose salient lines (errors, warnings) are worth keeping. What commands print is decided by who ran them. */
export function isSalientKind(kind: ContentKind): boolean {
  return isPrinted(kind) || kind === 'text';
}

function isPrinted(kind: ContentKind): boolean {
  return kind === 'log' || kind === 'test' || kind === 'compiler' || kind === 'trace';
}

interface Bar {
  readonly kind: ContentKind;
  /** Weight needed per line; a hint halves it. */
  readonly share: number;
  /** Share of the lines that must have a shape of about full weight. */
  readonly plain: number;
  /** Share of the lines that must have any shape of the kind. */
  readonly cover: number;
  /** Weight needed in all. */
  readonly least: number;
}

/** In the order asked: the narrower shape first. */
const BARS: readonly Bar[] = [
  { kind: 'compiler', share: 0.3, plain: 0.1, cover: 0, least: 1 },
  { kind: 'hits', share: 0.7, plain: 0.2, cover: 0.8, least: 2 },
  { kind: 'listing', share: 0.45, plain: 0, cover: 0.9, least: 2 },
  { kind: 'test', share: 0.2, plain: 0, cover: 0, least: 3 },
  { kind: 'trace', share: 0.25, plain: 0, cover: 0, least: 3 },
  { kind: 'log', share: 0.25, plain: 0, cover: 0, least: 1 },
];
/** Nothing else need be asked. */
const CERTAIN_SHARE = 0.8;
/** All that is salient together. */
const SALIENT_SHARE = 0.35;
/** A log whose lines happen to have equally many commas. */
const LOG_SHARE = 0.5;

function lineKind(sample: TextSample, expected: readonly Expected[], seen?: LinesSeen): Detected {
  const score = scoreLines(sample.lines);
  const first = printedKind(score, expected) ?? (areNames(sample.lines, score) ? 'listing' : undefined);
  const isCertain = first !== undefined && score.weight(first) >= score.lines * CERTAIN_SHARE;
  if (first !== undefined && (isCertain || !isPrinted(first))) return { kind: first };
  const writing = writingOf(sample.lines);
  const isCode = isSource(writing);
  // Source code also has lines of these shapes, in comments and strings: they must outnumber the code.
  const source = isCode ? writing.code + writing.comment : 0;
  const printed = first !== undefined && score.weight(first) >= source ? first : salientKind(score, source);
  const isLog = score.weight('log') >= score.lines * LOG_SHARE;
  const columns = isLog || isCode ? undefined : separatedKind(sample);
  if (columns !== undefined) return columns;
  if (printed !== undefined) return { kind: printed };
  const table = isCode ? undefined : tableKind(sample.lines);
  const found = table ?? written(writing, score, expected, seen);
  return found.kind === 'code' && holdsJson(sample) ? { kind: 'text' } : found;
}

/** Bare names could be any words; those of a folder come in order. */
const LEAST_NAMES = 5;
const IN_ORDER = 0.8;

function areNames(lines: readonly SampleLine[], score: Score): boolean {
  if (lines.length < LEAST_NAMES || score.covered('listing') < lines.length) return false;
  const names = lines.map(({ text }) => text.toLowerCase().replace(/^[^a-z0-9]+/, ''));
  const ordered = names.filter((name, i) => i > 0 && name > (names[i - 1] ?? '')).length;
  return ordered >= (lines.length - 1) * IN_ORDER;
}

function printedKind(score: Score, expected: readonly Expected[]): ContentKind | undefined {
  return BARS.find(({ kind, share, plain, cover, least }) => {
    const isHinted = expected.some((hint) => hint.kind === kind);
    const needed = Math.max(least, share * (isHinted ? 0.5 : 1) * score.lines);
    const isPlain = score.plain(kind) >= plain * score.lines && score.covered(kind) >= cover * score.lines;
    return isPlain && score.weight(kind) >= needed;
  })?.kind;
}

/** The strongest of the salient kinds, where none reaches its bar but all of them together do. */
function salientKind(score: Score, source: number): ContentKind | undefined {
  if (score.salient < Math.max(SALIENT_SHARE * score.lines, source, 1)) return undefined;
  const kinds = BARS.map(({ kind }) => kind).filter(isPrinted);
  return kinds.reduce((best, kind) => (score.weight(kind) > score.weight(best) ? kind : best));
}

/** Colours and overwritten lines come from programs that think they talk to a person at a terminal. */
const LEAST_CONTROLLED = 2;
const CONTROLLED_SHARE = 0.08;

function written(
  writing: Writing,
  score: Score,
  expected: readonly Expected[],
  seen: LinesSeen = { lines: 0, controlled: 0 },
): Detected {
  const found = writtenKind(writing);
  const isTerminal = [score, seen].some(
    ({ lines, controlled }) => controlled >= Math.max(LEAST_CONTROLLED, lines * CONTROLLED_SHARE),
  );
  if (isTerminal && found.kind !== 'code') return { kind: 'log' };
  const hint = expected.find(({ kind }) => kind === 'code' || kind === 'prose' || kind === 'log');
  if (hint?.kind === 'code' && writing.code + writing.comment + writing.hash > 0) return hint;
  if (hint?.kind === 'prose' && found.kind === 'text') return hint;
  if (hint?.kind === 'log' && found.kind === 'text' && score.weight('log') > 0) return hint;
  return found;
}
