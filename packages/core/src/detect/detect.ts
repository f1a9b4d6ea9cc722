/**
 * What kind of content a text is, from its first kilobytes and from hints. Every format brings its
 * own recognisers and line shapes; here they are asked, the most confident first. Pure, and linear
 * in the sample. The answer decides which view is chosen, never what is stored.
 */

import { isSource, type Writing, writingOf, writtenKind } from '../formats/code/writing.ts';
import { FORMATS, formatOf } from '../formats/index.ts';
import type { ContentKind, Detected } from '../model/content.ts';
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
import { JsonScan } from '../table/tree/json-scan.ts';
import { expectedKinds, type Hints, type LinesSeen } from './hints.ts';
import { sampleOf } from './sample.ts';

export function detect(bytes: Uint8Array, hints: Hints, formats: readonly Format[] = FORMATS): Detected {
  const sample = sampleOf(bytes, hints.complete);
  const evidence = new SampleEvidence(
    sample,
    hints.expected ?? expectedKinds(hints, formats),
    formats,
    hints.seen,
  );
  for (const recogniser of recognisersOf(formats)) {
    // What looks at lines says nothing about a text that has none.
    if (sample.lines.length === 0 && recogniser.confidence < CONFIDENCE.grammar) break;
    const found = recogniser.recognise(sample, evidence);
    if (found !== null) return found;
  }
  return { kind: 'text' };
}

const known = new WeakMap<readonly Format[], readonly Recogniser[]>();

/** All recognisers of a list, in the order in which they are asked. */
function recognisersOf(formats: readonly Format[]): readonly Recogniser[] {
  const found = known.get(formats) ?? sorted(formats);
  known.set(formats, found);
  return found;
}

function sorted(formats: readonly Format[]): readonly Recogniser[] {
  const own = formats.flatMap(({ recognisers = [] }) => recognisers);
  return [...shapeRecognisers(formats), ...own].sort((a, b) => b.confidence - a.confidence);
}

/** Nothing else need be asked where so much has the shapes of one kind. */
const CERTAIN_SHARE = 0.8;

/** What the line shapes of all formats together say. */
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
      // Source code has such lines too, in comments and strings: they must outnumber the code.
      confidence: CONFIDENCE.printed,
      recognise(_sample, evidence) {
        const { shaped, shapes } = evidence;
        const weight = shaped === null ? 0 : shapes.weight(shaped);
        // Code need not be counted where it cannot be more.
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

/** What is known of a sample beyond its bytes. Each answer is computed when it is first asked for. */
class SampleEvidence implements Evidence {
  readonly expected: readonly Expected[];
  readonly #sample: TextSample;
  readonly #formats: readonly Format[];
  readonly #seen: LinesSeen;
  #shapes: ShapeScore | undefined;
  #shaped: ContentKind | null | undefined;
  #writing: Writing | undefined;

  /** `seen`: lines of the text, and those of them that had formatting which was left out before. */
  constructor(
    sample: TextSample,
    expected: readonly Expected[],
    formats: readonly Format[],
    seen: LinesSeen = { lines: 0, controlled: 0 },
  ) {
    this.#sample = sample;
    this.expected = expected;
    this.#formats = formats;
    this.#seen = seen;
  }

  get shapes(): ShapeScore {
    this.#shapes ??= scoreLines(this.#sample.lines, this.#formats);
    return this.#shapes;
  }

  get shaped(): ContentKind | null {
    if (this.#shaped === undefined) {
      const shapes = this.#formats.flatMap(({ shapes: own = [] }) => own);
      this.#shaped = shapes.find((shape) => this.#passes(shape))?.kind ?? null;
    }
    return this.#shaped;
  }

  get salient(): ContentKind | null {
    const { salient, lines } = this.shapes;
    if (salient < Math.max(SALIENT_SHARE * lines, 1) || salient < this.sourceLines) return null;
    const kinds = this.#formats.flatMap(({ errorLines, shapes = [] }) =>
      errorLines === 'own' ? shapes.map(({ kind }) => kind) : [],
    );
    return kinds.reduce((best, kind) => (this.shapes.weight(kind) > this.shapes.weight(best) ? kind : best));
  }

  get isSource(): boolean {
    return isSource(this.#written);
  }

  get sourceLines(): number {
    return this.isSource ? this.#written.code + this.#written.comment : 0;
  }

  get written(): Detected {
    return writtenKind(this.#written);
  }

  get hasCodeLines(): boolean {
    const { code, comment, hash } = this.#written;
    return code + comment + hash > 0;
  }

  get isForTerminal(): boolean {
    return [this.shapes, this.#seen].some(
      ({ lines, controlled }) => controlled >= Math.max(LEAST_CONTROLLED, lines * CONTROLLED_SHARE),
    );
  }

  get holdsJson(): boolean {
    return holdsJson(this.#sample);
  }

  get #written(): Writing {
    this.#writing ??= writingOf(this.#sample.lines);
    return this.#writing;
  }

  #passes({ kind, share, plain, cover, least }: LineShapes): boolean {
    const { shapes } = this;
    const isExpected = this.expected.some((hint) => hint.kind === kind);
    const needed = Math.max(least, share * (isExpected ? 0.5 : 1) * shapes.lines);
    if (shapes.plain(kind) < plain * shapes.lines) return false;
    return shapes.covered(kind) >= cover * shapes.lines && shapes.weight(kind) >= needed;
  }
}

const PLAIN_WEIGHT = 0.8;
/** Below, a shape only counts together with others of its kind. */
const SALIENT_WEIGHT = 0.6;

/** What the lines of one kind come to. */
interface KindScore {
  weight: number;
  covered: number;
  plain: number;
}

function scoreLines(lines: readonly SampleLine[], formats: readonly Format[]): ShapeScore {
  const scores = new Map<string, KindScore>();
  const shapes = formats.flatMap(({ errorLines, shapes: own = [] }) =>
    own.map((shape) => {
      const score = scores.get(shape.kind) ?? { weight: 0, covered: 0, plain: 0 };
      scores.set(shape.kind, score);
      return { shape, score, isSalient: errorLines === 'own' };
    }),
  );
  let salient = 0;
  for (const line of lines) {
    let most = 0;
    for (const { shape, score, isSalient } of shapes) {
      const found = () => shape.weighted.find(([, pattern]) => pattern.test(line.text))?.[0] ?? 0;
      const weight = shape.isShaped?.(line) === true ? 1 : found();
      if (weight === 0) continue;
      score.weight += weight;
      score.covered++;
      if (weight >= PLAIN_WEIGHT) score.plain++;
      if (isSalient && weight >= SALIENT_WEIGHT) most = Math.max(most, weight);
    }
    salient += Math.min(1, most);
  }
  return {
    lines: lines.length,
    controlled: lines.filter((line) => line.controlled).length,
    salient,
    weight: (kind) => scores.get(kind)?.weight ?? 0,
    covered: (kind) => scores.get(kind)?.covered ?? 0,
    plain: (kind) => scores.get(kind)?.plain ?? 0,
  };
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

const NO_SINK = { open() {}, close() {}, leaf() {} };
const NONE = { isValue: false, bytes: 0 };

/**
 * How far the value at the beginning goes, also if it is not over yet; or how far what is none was
 * read.
 */
function valueIn(bytes: Uint8Array): { readonly isValue: boolean; readonly bytes: number } {
  const scan = new JsonScan(NO_SINK, 'one');
  scan.push(bytes);
  if (scan.valueEnd >= 0) return { isValue: true, bytes: scan.valueEnd };
  return { isValue: scan.failure === null, bytes: scan.position };
}

function lineAfter(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end + 1;
}
