/**
 * What kind of content a text is, from its first kilobytes and from hints. Every format brings its
 * own recognisers and line shapes; here they are asked, the most confident first. Pure, and linear
 * in the sample. The answer decides which view is chosen, never what is stored.
 */

import { isUtf8 } from 'node:buffer';
import { isSource, writingOf, writtenKind } from '../formats/code/writing.ts';
import { FORMATS, formatOf } from '../formats/index.ts';
import { type ContentKind, type Detected, SAMPLE_BYTES } from '../model/content.ts';
import {
  CONFIDENCE,
  type Evidence,
  type Expected,
  type Format,
  type LineShapes,
  type Recogniser,
  type ShapeScore,
} from '../model/format.ts';
import type { SampleLine, TextSample } from '../model/text-sample.ts';
import { readValue } from '../table/tree/json-scan.ts';
import { compiled } from '../text/compiled.ts';
import { lazy, remembered } from '../text/memo.ts';
import { decode, measure } from '../text/utf8.ts';
import { expectedKinds, type Hints, type LinesSeen } from './hints.ts';

/** Longer lines are judged by their beginning. */
const LINE_CHARS = 320;
const MOST_LINES = 200;

function sampleOf(given: Uint8Array, isWhole: boolean): TextSample {
  const complete = isWhole && given.length <= SAMPLE_BYTES;
  const bytes = given.subarray(0, SAMPLE_BYTES);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = decode(bytes.subarray(start));
  const lines = lazy(() => linesOf(text, complete));
  return {
    ...{ bytes, start, complete, text, ...countNonText(bytes, text) },
    // A document is recognised without them.
    get lines() {
      return lines();
    },
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-Z]|[=>78DEHMZc])/g;

/**
 * How times begin lines, after an optional source (`web_1 | `, job and step of a CI run,
 * `kern :info : `), a priority, a name or a bracket.
 */
const STAMP_START = String.raw`^\s{0,8}(?:(?:[^\t]{1,80}\t){2}(?=\d{4}-\d\d-\d\dT)|[\w.-]{1,40}\s{0,20}\|\s|[\w./:-]{1,60} (?=\d{4}-\d\d-\d\d[ T]{1,2}\d)|[a-z]{2,10}\s{0,6}:[a-z]{2,8}\s{0,6}:\s|<\d{1,3}>(?:\d )?|- |[A-Z], )?(?:time=|ts=)?["'[(<]{0,2}`;
const STAMP_END = String.raw`(?: ?(?:Z|UTC|GMT|[AP]M|[+-]\d\d:?\d\d))?(?:["'\])>|,:;]{1,3}\s?|\s|$)`;
const CLOCK = String.raw`\d\d?:\d\d:\d\d(?:[.,:]\d{1,9})?`;
const TIMES = [
  // 2024-05-01T10:00:00Z, 2024/05/01 10:00:00,123, 01.05.2024 10:00
  String.raw`(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4}|\d{8})[T ,:-]{1,2}(?:${CLOCK}|\d\d:\d\d)`,
  // May 1 10:00:00, Wed May 1 10:00:00 2024, 01/May/2024:10:00:00, 05-01 10:00:00 and a bare
  // 10:00:00
  String.raw`(?:(?:[A-Z][a-z]{2},? )?[A-Z][a-z]{2} {1,2}\d{1,2} |\d\d/[A-Z][a-z]{2}/\d{4}:|\d\d[-./]\d\d )?${CLOCK}(?: \d{4}(?=[\])]))?`,
  // 240501 100000, 1714557600.123, I0501 10:00:00.123456, 123:456:0501/100000.123 and seconds since
  // the start or the line before: [ 12.345678], [ +0.000012]
  String.raw`\d{6} \d{6}(?= )|1\d{9}(?:\.\d{1,9})?(?= )|[IWEF]\d{4} ${CLOCK}|\d+:\d+:\d{4}/\d{6}(?:\.\d+)?|(?<=\[)<?[\s+]{0,9}\d{1,9}\.\d{6}(?: <[\s+]{0,9}\d{1,9}\.\d{1,9})?(?=>?\])|(?<=\[)[A-Z][a-z]{2}\s?\d{1,2} \d\d:\d\d(?=\])`,
];
const STAMP = new RegExp(`${STAMP_START}(?:${TIMES.join('|')})${STAMP_END}`);

function linesOf(text: string, complete: boolean): SampleLine[] {
  const isPlain = !text.includes('\x1b') && !text.includes('\r');
  const rows = text.split(isPlain ? '\n' : /\r\n|\n/);
  const last = rows.at(-1)?.length ?? 0;
  if (!complete && rows.length > 1 && last < text.length / 4) rows.pop();
  const lines: SampleLine[] = [];
  for (const row of rows) {
    if (lines.length >= MOST_LINES) break;
    const controlled = row.includes('\x1b') || row.includes('\r');
    const plain = controlled ? row.replace(ESCAPES, '') : row;
    for (const part of plain.includes('\r') ? plain.split('\r') : [plain]) {
      if (part.trim() !== '') lines.push(lineOf(part, controlled));
    }
  }
  return withoutIndent(withoutGutter(lines));
}

function lineOf(row: string, controlled: boolean): SampleLine {
  const text = row.length > LINE_CHARS ? row.slice(0, LINE_CHARS) : row;
  const start = TIME_LIKE.test(text.slice(0, STAMPED_CHARS))
    ? (compiled(STAMP).exec(text)?.[0].length ?? 0)
    : 0;
  return { text: start === 0 ? text : text.slice(start), stamped: start > 0, controlled };
}

/** A stamp begins within this many chars. */
const STAMPED_CHARS = 120;
const TIME_LIKE = /\d[:\d]\d/;

/** A common indent means nothing. */
function withoutIndent(lines: SampleLine[]): SampleLine[] {
  if (lines.length < 3 || lines.some(({ text }) => text[0] !== ' ')) return lines;
  const indent = Math.min(...lines.map(({ text }) => text.search(/[^ ]|$/)));
  return lines.map((line) => ({ ...line, text: line.text.slice(indent) }));
}

const GUTTER = /^\s{0,8}(\d{1,7})(?:\t|:\s?|\||→| {2,})/;

/**
 * Strips line numbers that file readers add: `12: text`, ` 12\ttext`. Numbers of search hits have
 * gaps, and numbers below a table header are its first column.
 */
function withoutGutter(lines: SampleLine[]): SampleLine[] {
  let others = lines.length * 0.1;
  if (lines.length < 3 || lines.some(({ text }) => !/^\s*\d/.test(text) && --others < 0)) return lines;
  const found = lines.map((line) => GUTTER.exec(line.text));
  if (found.filter((match) => match !== null).length < lines.length * 0.9) return lines;
  const numbers = found.map((match) => Number(match?.[1] ?? Number.NaN));
  const following = numbers.filter((number, i) => number - (numbers[i - 1] ?? Number.NaN) === 1).length;
  if (following < (lines.length - 1) * 0.6 || isFirstColumn(lines, found)) return lines;
  return lines
    .map((line, i) => ({ ...line, text: line.text.slice(found[i]?.[0].length ?? 0) }))
    .filter((line) => line.text.trim() !== '');
}

const RULER = /^[-=─━═]{1,200}(?:[ +|]{1,4}[-=─━═]{1,200}){1,60}\s{0,200}$/;

/** True if a ruler follows the first line, or a name in it stands where the rows continue. */
function isFirstColumn(lines: readonly SampleLine[], found: readonly (RegExpExecArray | null)[]): boolean {
  const header = lines[0]?.text ?? '';
  if (found[0] !== null || header === '') return false;
  if (RULER.test(lines[1]?.text ?? '')) return true;
  const named = found.filter((match) => {
    const at = match?.[0].length ?? 0;
    return at > 0 && header[at - 1] === ' ' && /\S/.test(header[at] ?? '');
  });
  return named.length >= found.length * 0.8;
}

/** Bytes that normal text lacks: tab, line ends, form feed, backspace, bell and escape occur in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is counted
const NON_TEXT = /[\0-\x06\x0e-\x1a\x1c-\x1f]/g;

function countNonText(bytes: Uint8Array, text: string): { readonly zeros: number; readonly nonText: number } {
  const illFormed = isUtf8(bytes) ? 0 : measure(bytes).illFormed;
  const controls = text.match(NON_TEXT) ?? [];
  return { zeros: controls.filter((char) => char === '\0').length, nonText: illFormed + controls.length };
}

export function detect(bytes: Uint8Array, hints: Hints, formats: readonly Format[] = FORMATS): Detected {
  const sample = sampleOf(bytes, hints.complete);
  const expected = hints.expected ?? expectedKinds(hints, formats);
  const evidence = evidenceOf(sample, expected, formats, hints.seen ?? { lines: 0, controlled: 0 });
  for (const recogniser of recognisersOf(formats)) {
    // Line-based recognisers cannot judge a text without lines.
    if (recogniser.confidence < CONFIDENCE.grammar && sample.lines.length === 0) break;
    const found = recogniser.recognise(sample, evidence);
    if (found !== null) return found;
  }
  return { kind: 'text' };
}

function recognisersOf(formats: readonly Format[]): readonly Recogniser[] {
  const own = formats.flatMap(({ recognisers = [] }) => recognisers);
  return [...shapeRecognisers(formats), ...own].sort((a, b) => b.confidence - a.confidence);
}

/** Of a long sample, runs of lines from its beginning, middle and end are judged. */
const JUDGED_RUN = 24;

function runsOf(lines: readonly SampleLine[]): readonly SampleLine[] {
  const { length } = lines;
  if (length <= 3 * JUDGED_RUN) return lines;
  const middle = (length - JUDGED_RUN) >> 1;
  return [0, middle, length - JUDGED_RUN].flatMap((from) => lines.slice(from, from + JUDGED_RUN));
}

/** Above this share of shaped lines, other kinds are not asked. */
const CERTAIN_SHARE = 0.8;

function shapeRecognisers(formats: readonly Format[]): readonly Recogniser[] {
  return [
    {
      confidence: CONFIDENCE.lines,
      recognise(_sample, { shaped, shapes }) {
        if (shaped === null) return null;
        const isCertain = shapes.weight(shaped) >= shapes.lines * CERTAIN_SHARE;
        return isCertain || formatOf(shaped, formats)?.errorLines !== 'own' ? { kind: shaped } : null;
      },
    },
    {
      // Source code has such lines in comments and strings: they must outnumber the code.
      confidence: CONFIDENCE.printed,
      recognise(_sample, evidence) {
        const { shaped, shapes } = evidence;
        const weight = shaped === null ? 0 : shapes.weight(shaped);
        // Do not count code where it cannot win.
        if (shaped !== null && (weight >= shapes.lines || weight >= evidence.sourceLines))
          return { kind: shaped };
        const { salient } = evidence;
        return salient === null ? null : { kind: salient };
      },
    },
  ];
}

/** All shapes of the tool's own words on errors together. */
const SALIENT_SHARE = 0.35;
const LEAST_CONTROLLED = 2;
const CONTROLLED_SHARE = 0.08;

/** `seen`: all lines, and those whose formatting was already removed. */
function evidenceOf(
  sample: TextSample,
  expected: readonly Expected[],
  formats: readonly Format[],
  seen: LinesSeen,
): Evidence {
  /** The lines that shapes are judged by. */
  const judged = lazy(() => runsOf(sample.lines));
  const scores = lazy(() => scoreOf(judged(), formats));
  const all = formats.flatMap(({ shapes: own = [] }) => own);
  const own = formats.flatMap(({ errorLines, shapes: some = [] }) => (errorLines === 'own' ? some : []));
  const writing = lazy(() => writingOf(sample.lines));
  const passes = ({ kind, share, plain, cover, least }: LineShapes) => {
    if (cover > 0 && !areCovered(judged(), all, kind, cover)) return false;
    const shapes = scores();
    const isExpected = expected.some((hint) => hint.kind === kind);
    const needed = Math.max(least, share * (isExpected ? 0.5 : 1) * shapes.lines);
    return shapes.weight(kind) >= needed && shapes.plain(kind) >= plain * shapes.lines;
  };
  const shaped = lazy(() => all.find(passes)?.kind ?? null);
  return {
    expected,
    get shapes() {
      return scores();
    },
    get shaped() {
      return shaped();
    },
    get salient() {
      const shapes = scores();
      const { salient, lines } = shapes;
      if (salient < Math.max(SALIENT_SHARE * lines, 1) || salient < this.sourceLines) return null;
      const kinds = own.map(({ kind }) => kind);
      return kinds.reduce((best, kind) => (shapes.weight(kind) > shapes.weight(best) ? kind : best));
    },
    get isSource() {
      return isSource(writing());
    },
    get sourceLines() {
      const { lines, code, comment } = writing();
      return this.isSource ? ((code + comment) * judged().length) / lines : 0;
    },
    get written() {
      return writtenKind(writing());
    },
    get hasCodeLines() {
      const { code, comment, hash } = writing();
      return code + comment + hash > 0;
    },
    get isForTerminal() {
      return [scores(), seen].some(
        ({ lines, controlled }) => controlled >= Math.max(LEAST_CONTROLLED, lines * CONTROLLED_SHARE),
      );
    },
    get holdsJson() {
      return holdsJson(sample);
    },
  };
}

const PLAIN_WEIGHT = 0.8;
/** A weaker shape counts only together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

/** Counts the lines of a kind when it is first asked for. */
function scoreOf(lines: readonly SampleLine[], formats: readonly Format[]): ShapeScore {
  /** By line: the most that a kind with words of its own on errors gives it. */
  const salient = new Float32Array(lines.length);
  const all = formats.flatMap(({ shapes = [] }) => shapes);
  const own = formats.flatMap(({ errorLines, shapes = [] }) => (errorLines === 'own' ? shapes : []));
  const ofKind = remembered(MOST_KINDS, (kind) => {
    const score = { weight: 0, covered: 0, plain: 0 };
    for (const shape of shapesOf(all, kind)) {
      const isOwn = own.includes(shape);
      for (let at = 0; at < lines.length; at++) {
        const weight = weightOf(shape, lines[at] as SampleLine);
        if (weight === 0) continue;
        score.weight += weight;
        score.covered++;
        if (weight >= PLAIN_WEIGHT) score.plain++;
        if (weight >= SALIENT_WEIGHT && isOwn) salient[at] = Math.max(salient[at] as number, weight);
      }
    }
    return score;
  });
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    get salient() {
      for (const { kind } of own) ofKind(kind);
      return salient.reduce((sum, most) => sum + Math.min(1, most), 0);
    },
    weight: (kind) => ofKind(kind).weight,
    covered: (kind) => ofKind(kind).covered,
    plain: (kind) => ofKind(kind).plain,
  };
}

const MOST_KINDS = 100;

function shapesOf(shapes: readonly LineShapes[], kind: ContentKind): readonly LineShapes[] {
  const own = shapes.filter((shape) => shape.kind === kind);
  for (const { weighted } of own) for (const [, pattern] of weighted) compiled(pattern);
  return own;
}

/** Whether this share of the lines has a shape of the kind; most samples tell soon that not. */
function areCovered(
  lines: readonly SampleLine[],
  shapes: readonly LineShapes[],
  kind: ContentKind,
  share: number,
): boolean {
  const own = shapesOf(shapes, kind);
  let left = Math.floor(lines.length * (1 - share));
  return lines.every((line) => own.some((shape) => weightOf(shape, line) > 0) || left-- > 0);
}

/** The weight of the first pattern that a line matches. */
function weightOf({ weighted, isShaped }: LineShapes, line: SampleLine): number {
  if (isShaped?.(line) === true) return 1;
  for (const entry of weighted) if (entry[1].test(line.text)) return entry[0];
  return 0;
}

const LF = 10;
const LEAST_SHARE = 0.5;
const COMMENT = /^\s*(?:\/\/|\/\*|#|;|--)/;

function holdsJson({ bytes, start, lines }: TextSample): boolean {
  if (COMMENT.test(lines[0]?.text ?? '')) return false;
  let covered = 0;
  for (let at = start; at < bytes.length; ) {
    const opening = openingIn(bytes, at);
    const read = opening < 0 ? NONE : valueIn(bytes.subarray(opening));
    if (read.isValue) covered += read.bytes;
    at = lineAfter(bytes, Math.max(at, opening + read.bytes));
  }
  return covered >= (bytes.length - start) * LEAST_SHARE;
}

/** Where a bracket begins the line that begins here, or -1. */
function openingIn(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return bytes[at] === 0x7b || bytes[at] === 0x5b ? at : -1;
}

const NONE = { isValue: false, bytes: 0 };

/** How far the value at the start reaches, complete or not; or how far invalid bytes were read. */
function valueIn(bytes: Uint8Array): { readonly isValue: boolean; readonly bytes: number } {
  const { valueEnd, failure, position } = readValue(bytes);
  return valueEnd < 0 ? { isValue: failure === null, bytes: position } : { isValue: true, bytes: valueEnd };
}

function lineAfter(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end + 1;
}
