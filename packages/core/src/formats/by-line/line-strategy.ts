/**
 * Makes a strategy of a line grammar. The grammar says where things begin and how much each
 * deserves to be remembered, and later in which order they are to be shown; everything else is
 * here: places, counts, memory, shares. Invariant: selections cover the part exactly with whole
 * lines.
 */
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Policy } from '../../model/policy.ts';
import type { Selection } from '../../model/selection.ts';
import type { SelectionContext, Selector, Share, Strategy } from '../../model/strategy.ts';
import { joined } from '../../text/kept-bytes.ts';
import { Choice, type GapWords } from './choice.ts';
import { type Line, LineReader } from './line-reader.ts';
import type { Span } from './span.ts';
import { SpanWindow } from './span-window.ts';

/** The beginning of a part, by which a grammar tells what it has before it. */
export interface Sample {
  readonly bytes: Uint8Array;
  /** Whether this is all there is. */
  readonly complete: boolean;
}

/** How a format that is read line by line chooses what to keep. */
export interface LineGrammar extends GapWords {
  /**
   * Whether a span begins with this line. `open` is the one that would go on. Called once for every
   * line, in order.
   */
  begins(line: Line, open: Span | null): boolean;
  /** Notes a line in its span, before the span is extended by it. */
  note(line: Line, span: Span): void;
  /** The span is complete; it may still get its score. */
  close?(span: Span): void;
  openLine?(bytes: Uint8Array): void;
  moreOfLine?(bytes: Uint8Array): void;
  /** Why the text is not what this grammar is for. Asked at the end. */
  failure(): string | null;
  /** Adds spans in the order of their worth. */
  plan(choice: Choice, bytesOf: (span: Span) => Uint8Array): void;
}

/** Makes the grammar for one text. */
export type GrammarMaker<G extends LineGrammar = LineGrammar> = (
  sample: Sample,
  policy: Policy,
  reachChars: number,
  context: SelectionContext,
) => G;

const SAMPLE_BYTES = 16_384;
/** Small parts can be read whole whatever their share. */
const LEAST_REACH = 2_048;

/** A strategy for a format that is read line by line. */
export function lineStrategy(name: string, maker: GrammarMaker): Strategy {
  return {
    name,
    start: (policy, reachChars, context) => new LineSelector(maker, policy, reachChars, context),
  };
}

class LineSelector<G extends LineGrammar = LineGrammar> implements Selector {
  readonly #maker: GrammarMaker<G>;
  readonly #policy: Policy;
  readonly #reachChars: number;
  readonly #context: SelectionContext;
  /** Pieces that wait for the sample to be complete. */
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  #work: Work<G> | undefined;
  #spans: readonly Span[] | undefined;

  constructor(maker: GrammarMaker<G>, policy: Policy, reachChars: number, context: SelectionContext = {}) {
    this.#context = context;
    this.#maker = maker;
    this.#policy = policy;
    this.#reachChars = Math.max(LEAST_REACH, reachChars);
  }

  push(piece: Piece): void {
    if (this.#work !== undefined) {
      this.#work.push(piece);
      return;
    }
    this.#waiting.push(piece);
    this.#waitingBytes += piece.bytes.length;
    if (this.#waitingBytes > SAMPLE_BYTES) this.#start();
  }

  select(share: Share): Selection {
    const spans = this.#finished();
    const last = spans.at(-1);
    if (last === undefined) return [];
    const chars = last.startChar + last.chars;
    const lines = last.line + last.lines - 1;
    if (chars <= share.chars && lines <= share.lines)
      return [{ kind: 'keep', start: 0, end: last.end, chars, lines }];
    const choice = new Choice(spans, share, this.work.grammar);
    this.work.grammar.plan(choice, (span) => this.work.window.bytesOf(span));
    return choice.selection();
  }

  bytes({ start, end }: ByteRange): Uint8Array {
    const found: Uint8Array[] = [];
    for (const span of this.#finished()) {
      if (span.end <= start || span.start >= end) continue;
      if (span.state === 'dropped')
        throw new RangeError('a selection may only keep what its selector still holds');
      const bytes = this.work.window.bytesOf(span);
      found.push(bytes.subarray(Math.max(0, start - span.start), Math.min(bytes.length, end - span.start)));
    }
    return joined(found);
  }

  get failure(): string | null {
    this.#finished();
    return this.work.grammar.failure();
  }

  get work(): Work<G> {
    if (this.#work === undefined) this.#start();
    if (this.#work === undefined) throw new Error('not started');
    return this.#work;
  }

  #start(): void {
    const bytes = Buffer.concat(this.#waiting.map((piece) => piece.bytes)).subarray(0, SAMPLE_BYTES);
    const sample = { bytes, complete: this.#waitingBytes <= SAMPLE_BYTES };
    const grammar = this.#maker(sample, this.#policy, this.#reachChars, this.#context);
    this.#work = new Work(grammar, this.#reachChars);
    for (const piece of this.#waiting) this.#work.push(piece);
    this.#waiting = [];
  }

  #finished(): readonly Span[] {
    this.#spans ??= this.work.finish();
    return this.#spans;
  }
}

/** A grammar at work on a stream. */
class Work<G extends LineGrammar> {
  readonly grammar: G;
  readonly window: SpanWindow;
  readonly #reader: LineReader;
  #open: Span | null = null;
  #end = 0;

  constructor(grammar: G, reachChars: number) {
    this.grammar = grammar;
    this.window = new SpanWindow(reachChars, grammar.joinNames);
    this.#reader = new LineReader({
      line: (line) => this.#line(line),
      open: (bytes) => grammar.openLine?.(bytes),
      more: (bytes) => grammar.moreOfLine?.(bytes),
    });
  }

  push(piece: Piece): void {
    this.window.pushPiece(piece);
    this.#reader.push(piece);
    this.#end += piece.bytes.length;
    this.window.trim(this.#open, this.#end - this.#reader.openBytes, this.#end);
  }

  finish(): readonly Span[] {
    this.#reader.finish();
    this.#close();
    return this.window.spans();
  }

  #line(line: Line): void {
    if (this.grammar.begins(line, this.#open) || this.#open === null) {
      this.#close();
      this.#open = this.window.open(line);
    }
    this.grammar.note(line, this.#open);
    this.#open.extend(line);
  }

  #close(): void {
    if (this.#open === null) return;
    this.grammar.close?.(this.#open);
    this.window.add(this.#open);
    this.#open = null;
  }
}
