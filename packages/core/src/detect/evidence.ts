/**
 * What is known of a sample beyond its bytes. Each answer is computed when it is first asked for.
 */
import { isSource, type Writing, writingOf, writtenKind } from '../formats/code/writing.ts';
import type { ContentKind, Detected } from '../model/content.ts';
import type { Evidence, Expected, Format, LineShapes, ShapeScore } from '../model/format.ts';
import type { TextSample } from '../model/text-sample.ts';
import type { LinesSeen } from './hints.ts';
import { holdsJson } from './holds-json.ts';
import { scoreLines } from './score.ts';

/** All shapes of the tool's own words on errors together. */
const SALIENT_SHARE = 0.35;
const LEAST_CONTROLLED = 2;
const CONTROLLED_SHARE = 0.08;

export class SampleEvidence implements Evidence {
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
