/**
 * Chooses by content. It holds the first kilobytes of a part, detects their format and lets the
 * format decide what is kept; the text strategy runs beside it, or of a document behind it. If the
 * text turns out not to be of that format, the text strategy answers and the reason is told.
 * A part that is held whole and fits is shown as it is, without detection: most outputs are such.
 */
import type { Detected } from '../model/content.ts';
import { type ByteRange, NOTHING, sum } from '../model/extent.ts';
import type { Format } from '../model/format.ts';
import type { Piece } from '../model/piece.ts';
import type { Policy } from '../model/policy.ts';
import type { Keep, Selection } from '../model/selection.ts';
import type {
  Findings,
  Grammar,
  KeptLines,
  SelectionContext,
  Selector,
  Share,
  Strategy,
} from '../model/strategy.ts';
import { DeferredSelector, type DocumentRoom } from '../strategies/deferred.ts';
import { WITHHOLDING, withheldName } from '../strategies/withholding.ts';
import { isLineStart } from '../text/cut.ts';

export interface DetectingOptions {
  readonly policy: Policy;
  readonly reachChars: number;
  readonly context?: SelectionContext | undefined;
  readonly sampleBytes: number;
  /** What happens to bytes that are no text. */
  readonly binary: 'withheld' | 'as text';
  /** What the first bytes are; `complete` says whether they are all. */
  readonly detect: (sample: Uint8Array, complete: boolean) => Detected;
  /** The format of what was detected; undefined for plain text. */
  readonly formatOf: (detected: Detected) => Format | undefined;
  /** What decides by the grammar of the format; undefined where the text strategy decides. */
  readonly elementFor: (format: Format, detected: Detected) => Strategy | undefined;
  /** Whether the text strategy decides nevertheless where it found something. */
  readonly textFirst: boolean;
  /** What the text strategy is called, whatever the format. */
  readonly textName: string;
  /** Decides on text of that format where the format does not, or gives up. */
  readonly textFor: (format: Format | undefined) => Strategy;
  /** Where documents are held until it is known whether their grammar decides. */
  readonly room: DocumentRoom;
}

export class DetectingSelector implements Selector {
  readonly #options: DetectingOptions;
  readonly #held: Piece[] = [];
  #heldBytes = 0;
  #illFormed = 0;
  #fits = false;
  #chosen:
    | {
        readonly detected: Detected;
        readonly format: Format | undefined;
        readonly element: Selector | null;
        readonly text: Selector;
        readonly textName: string;
        readonly withheld: string | null;
      }
    | undefined;

  constructor(options: DetectingOptions) {
    this.#options = options;
  }

  push(piece: Piece): void {
    if (this.#chosen !== undefined) {
      this.#chosen.element?.push(piece);
      this.#chosen.text.push(piece);
      return;
    }
    this.#held.push(piece);
    this.#heldBytes += piece.bytes.length;
    this.#illFormed += piece.illFormed;
    if (this.#heldBytes >= this.#options.sampleBytes) this.#choose(false);
  }

  finish(): void {
    const { element, text } = this.#chosen ?? {};
    // While a selection is made to fit, it may ask for up to twice as much as may be shown.
    if (!(text instanceof DeferredSelector) || text.total.chars <= 2 * this.#options.reachChars) return;
    if ((element?.failure ?? null) === null) text.letGo();
  }

  select(share: Share): Selection {
    if (this.#chosen === undefined && this.#illFormed === 0) {
      const all = this.#held.length === 0 ? [] : [keepAll(this.#held)];
      this.#fits = all.every(({ chars, lines }) => chars <= share.chars && lines <= share.lines);
      if (this.#fits) return all;
    }
    const { text } = this.#choice;
    const isTooLong = text instanceof DeferredSelector && !text.fits(share);
    const whole = isTooLong ? null : text.select(share);
    // What fits as it is needs no grammar.
    this.#fits = whole?.every((segment) => segment.kind === 'keep') ?? false;
    return whole !== null && this.#decider === text ? whole : this.#decider.select(share);
  }

  bytes(range: ByteRange): Uint8Array {
    if (this.#chosen === undefined) return bytesOf(this.#held).subarray(range.start, range.end);
    return this.#decider.bytes(range);
  }

  get grammar(): Grammar | null {
    if (this.#isLeftAlone) return null;
    const { format, text } = this.#choice;
    const grammar = this.#decider === text ? text.grammar : format?.grammar;
    return grammar ?? null;
  }

  get findings(): Findings | null {
    if (this.#isLeftAlone) return null;
    return this.#decider.findings ?? null;
  }

  reasons(): readonly KeptLines[] {
    if (this.#isLeftAlone) return [];
    return this.#decider.reasons?.() ?? [];
  }

  /** What the part was taken for. */
  get detected(): Detected {
    return this.#choice.detected;
  }

  /** Why the grammar of its kind did not decide; null if it did, or if there is none. */
  get fallback(): string | null {
    if (this.#isLeftAlone) return null;
    return this.#choice.element?.failure ?? null;
  }

  get withheld(): string | null {
    if (this.#isLeftAlone) return null;
    return this.#choice.withheld;
  }

  get decidedBy(): string {
    if (this.#isLeftAlone) return this.#options.textName;
    return this.#decider === this.#choice.text ? this.#choice.textName : 'element';
  }

  get #isLeftAlone(): boolean {
    return this.#chosen === undefined && this.#fits;
  }

  get #choice() {
    return this.#chosen ?? this.#choose(true);
  }

  get #decider(): Selector {
    const { element, text } = this.#choice;
    if (this.#fits || element === null || (element.failure ?? null) !== null) return text;
    return this.#options.textFirst && isClearFailure(text.findings ?? null) ? text : element;
  }

  #choose(complete: boolean) {
    const { policy, reachChars, sampleBytes, context } = this.#options;
    const first = bytesOf(this.#held);
    const sample = first.subarray(0, sampleBytes);
    const detected = this.#options.detect(sample, complete && first.length <= sampleBytes);
    const format = this.#options.formatOf(detected);
    const isShown = this.#options.binary === 'as text';
    const withheld = isShown ? null : withheldName(format, detected, sample);
    const text = withheld === null ? this.#options.textFor(format) : WITHHOLDING;
    const isByFormat = withheld === null && format !== undefined;
    const element = isByFormat ? this.#options.elementFor(format, detected) : undefined;
    const startText = () => text.start(policy, reachChars, context);
    const isDocument = element !== undefined && format?.staysValid === true && !this.#options.textFirst;
    const chosen = {
      detected,
      format,
      element: element?.start(policy, reachChars, context) ?? null,
      text: isDocument ? new DeferredSelector(startText, this.#options.room) : startText(),
      textName: text.name,
      withheld,
    };
    this.#chosen = chosen;
    for (const piece of this.#held.splice(0)) this.push(piece);
    return chosen;
  }
}

function isClearFailure(findings: Findings | null): boolean {
  return findings !== null && findings.errors.lines + findings.warnings.lines > 0;
}

function keepAll(pieces: readonly Piece[]): Keep {
  const { bytes, chars, breaks } = pieces.reduce((total, piece) => sum(total, piece.extent), NOTHING);
  const last = pieces.at(-1)?.bytes ?? new Uint8Array(0);
  const isOpen = last.length > 0 && !isLineStart(last, last.length);
  return { kind: 'keep', start: 0, end: bytes, chars, lines: breaks + (isOpen ? 1 : 0) };
}

function bytesOf(pieces: readonly Piece[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only.bytes;
  return Buffer.concat(pieces.map((piece) => piece.bytes));
}
