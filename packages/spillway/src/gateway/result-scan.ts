/**
 * Takes the message with a tool's result apart while it arrives. What the tool said becomes parts
 * (texts decoded, blocks that are not text and structured content as written); the rest of the
 * message is its frame. Beside that the envelope is written (scan-steps.ts), so that the exact
 * message can be put together again (original.ts). Nothing here waits: `push` returns what is to be
 * written. Memory: the frame and the blocks that are not text, each up to a cap; never the texts.
 */
import { blockMediaType } from './block-media-type.ts';
import { JsonReader, type ValueKind } from './json-reader.ts';
import { PrefixSample } from './repeats.ts';
import { BlockList, type ScannedBlock } from './scan-blocks.ts';
import { type ScanStep, ScanSteps } from './scan-steps.ts';
import { OpenText } from './scan-text.ts';

const MOST_FRAME = 16 * 1024 * 1024;

/** Where bytes go. */
type Sink = 'frame' | 'between' | 'block' | 'text' | 'structured' | 'loose';

export class ResultScan {
  readonly texts: PrefixSample[] = [];
  structured: { readonly part: number; readonly sample: PrefixSample } | null = null;
  /** The part that holds the message of a protocol error. */
  errorPart: number | null = null;
  isError = false;
  readonly #reader = new JsonReader({
    begin: (kind, depth, at) => this.#begin(kind, depth, at),
    end: (kind, depth, at) => this.#end(kind, depth, at),
  });
  readonly #steps = new ScanSteps();
  readonly #blocks = new BlockList(this.#steps);
  readonly #frame: Uint8Array[] = [];
  #frameBytes = 0;
  #sink: Sink = 'frame';
  /** A value that stands where blocks should, and is open. */
  #loose: { readonly part: number; readonly sample: PrefixSample; readonly depth: number } | null = null;
  /** The string that is open, and where bytes go after it. */
  #text: { readonly open: OpenText; readonly back: Sink } | null = null;
  #chunk: Uint8Array = Buffer.alloc(0);
  /** Where in the message the chunk begins, and up to where it was handed on. */
  #base = 0;
  #from = 0;
  #overFull = false;

  /** Takes the next bytes of the message; returns what they make. */
  push(chunk: Uint8Array): readonly ScanStep[] {
    this.#chunk = chunk;
    this.#from = this.#base;
    this.#reader.push(chunk);
    this.#cut(this.#base + chunk.length);
    this.#base += chunk.length;
    return this.#steps.taken();
  }

  /** Nothing follows. */
  finish(): readonly ScanStep[] {
    this.#reader.finish();
    if (this.#text !== null) this.#closeText();
    this.#blocks.finish();
    return this.#steps.taken();
  }

  /** Whether it was a whole message. */
  get valid(): boolean {
    return this.#reader.done && !this.#overFull;
  }

  get blocks(): readonly ScannedBlock[] {
    return this.#blocks.blocks;
  }

  /** Bytes of text so far, structured content included. */
  get textBytes(): number {
    return this.texts.reduce((sum, { bytes }) => sum + bytes, this.structured?.sample.bytes ?? 0);
  }

  /**
   * The message without its blocks and its structured content (an empty list and null in their
   * places).
   */
  frame(): Buffer {
    return Buffer.concat(this.#frame);
  }

  #begin(kind: ValueKind, depth: number, at: number): void {
    const inResult = depth >= 2 && this.#reader.keyAt(1) === 'result';
    if (depth === 2 && inResult && kind === 'array' && this.#reader.keyAt(2) === 'content') {
      this.#cut(at + 1);
      this.#sink = 'between';
    } else if (depth === 2 && inResult && this.#reader.keyAt(2) === 'structuredContent') {
      this.#cut(at);
      this.#openStructured();
    } else if (depth === 3 && this.#sink === 'between') {
      this.#cut(at);
      this.#blocks.open();
      this.#sink = 'block';
      // A string in place of a block: clients that are lenient show it as text.
      if (kind === 'string') this.#openBlockText(depth, at);
    } else if (kind === 'string' && this.#isTextOfBlock(depth)) {
      this.#openBlockText(depth, at);
    } else if (kind === 'string' && this.#isErrorMessage(depth)) {
      this.#cut(at + 1);
      this.errorPart = this.#openText('error').part;
    } else if (this.#isLoose(kind, depth)) {
      this.#openLoose(kind, depth, at);
    }
  }

  #end(kind: ValueKind, depth: number, at: number): void {
    if (this.#sink === 'text') {
      this.#cut(at - 1);
      this.#closeText();
      if (depth === 3) this.#closeBlock(at);
    } else if (this.#sink === 'block' && depth === 3) {
      this.#closeBlock(at);
    } else if (this.#sink === 'between' && depth === 2) {
      this.#cut(at - 1);
      this.#sink = 'frame';
    } else if (this.#sink === 'structured' && depth === 2) {
      this.#cut(at);
      this.#closeStructured();
    } else if (this.#sink === 'loose' && depth === this.#loose?.depth) {
      this.#cut(at);
      this.#closeLoose();
    } else if (kind === 'scalar' && depth === 2 && this.#sink === 'frame') {
      if (this.#reader.keyAt(2) === 'isError') this.isError = this.#reader.scalar === 'true';
    }
  }

  #openBlockText(depth: number, at: number): void {
    this.#cut(at + 1);
    const before = this.#blocks.beforeText();
    const joined = this.#blocks.joined();
    const text =
      joined === null
        ? this.#openText('text', blockMediaType(before, depth - 3))
        : this.#open(new OpenText(this.#steps, joined.part, joined.sample));
    if (this.texts.at(-1) !== text.sample) this.texts.push(text.sample);
    this.#blocks.hasText(text.part, before);
  }

  #closeBlock(at: number): void {
    this.#cut(at);
    this.#blocks.close();
    this.#sink = 'between';
  }

  #isTextOfBlock(depth: number): boolean {
    if (this.#sink !== 'block' || !this.#blocks.takesText) return false;
    if (depth === 4) return this.#reader.keyAt(4) === 'text';
    return depth === 5 && this.#reader.keyAt(4) === 'resource' && this.#reader.keyAt(5) === 'text';
  }

  #isErrorMessage(depth: number): boolean {
    return (
      depth === 2 &&
      this.#sink === 'frame' &&
      this.errorPart === null &&
      this.#reader.keyAt(1) === 'error' &&
      this.#reader.keyAt(2) === 'message'
    );
  }

  /**
   * What a server says in a shape that the protocol does not know; clients may show it all the
   * same.
   */
  #isLoose(kind: ValueKind, depth: number): boolean {
    if (this.#sink !== 'frame' || kind === 'scalar') return false;
    if (this.#reader.keyAt(1) !== 'result') return false;
    if (depth === 1) return kind !== 'object';
    return depth === 2 && ['content', 'toolResult'].includes(this.#reader.keyAt(2));
  }

  #openLoose(kind: ValueKind, depth: number, at: number): void {
    if (kind === 'string') {
      this.#cut(at + 1);
      this.texts.push(this.#openText('text').sample);
      return;
    }
    this.#cut(at);
    this.#loose = { part: this.#steps.begin('json', 'content'), sample: new PrefixSample(), depth };
    this.texts.push(this.#loose.sample);
    this.#toFrame(Buffer.from('null'));
    this.#sink = 'loose';
  }

  #closeLoose(): void {
    if (this.#loose === null) return;
    const { part, sample } = this.#loose;
    this.#steps.end(part);
    this.#steps.refer(part, sample.bytes);
    this.#sink = 'frame';
    this.#loose = null;
  }

  #openText(name: string, mediaType?: string): OpenText {
    return this.#open(new OpenText(this.#steps, this.#steps.begin('text', name, mediaType)));
  }

  #open(open: OpenText): OpenText {
    this.#text = { open, back: this.#sink };
    this.#sink = 'text';
    return open;
  }

  #closeText(): void {
    if (this.#text === null) return;
    const { open, back } = this.#text;
    if (!open.close()) this.#reader.failed = true;
    if (!this.#blocks.isJoined(open.part)) this.#steps.end(open.part);
    this.#sink = back;
    this.#text = null;
  }

  #openStructured(): void {
    const part = this.#steps.begin('json', 'structured');
    this.structured = { part, sample: new PrefixSample() };
    this.#toFrame(Buffer.from('null'));
    this.#sink = 'structured';
  }

  #closeStructured(): void {
    if (this.structured === null) return;
    const { part, sample } = this.structured;
    this.#steps.end(part);
    this.#steps.refer(part, sample.bytes);
    this.#sink = 'frame';
  }

  /** Hands on what lies before a place. */
  #cut(at: number): void {
    const bytes = this.#chunk.subarray(this.#from - this.#base, at - this.#base);
    this.#from = at;
    if (bytes.length === 0) return;
    if (this.#sink === 'text') this.#text?.open.push(bytes);
    else if (this.#sink === 'block') this.#blocks.push(bytes);
    else if (this.#sink === 'structured' && this.structured !== null) {
      this.structured.sample.push(bytes);
      this.#steps.write(this.structured.part, bytes);
    } else if (this.#sink === 'loose' && this.#loose !== null) {
      this.#loose.sample.push(bytes);
      this.#steps.write(this.#loose.part, bytes);
    } else {
      if (this.#sink === 'frame') this.#toFrame(bytes);
      this.#steps.envelope(bytes);
    }
  }

  #toFrame(bytes: Uint8Array): void {
    this.#frameBytes += bytes.length;
    if (this.#frameBytes > MOST_FRAME) this.#overFull = true;
    else this.#frame.push(Buffer.from(bytes));
  }
}
