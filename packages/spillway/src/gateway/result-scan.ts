/**
 * Takes the message with a tool's result apart while it arrives. What the tool said becomes parts
 * (texts decoded, blocks that are not text and structured content as written); the rest of the
 * message is its frame. Beside that the envelope is written (scan-steps.ts), so that the exact
 * message can be put together again (original.ts). Nothing here waits: `push` returns what is to be
 * written. Memory: the frame and the blocks that are not text, each up to a cap; never the texts.
 */
import { JsonScan, TreeKind, type TreeSink, type TreeToken } from '@spillway/core/plugin';
import { keyOf } from './json-edit.ts';
import { PrefixSample } from './repeats.ts';
import { BlockList, blockMediaType, type ScannedBlock } from './scan-blocks.ts';
import { OpenText, type ScanStep, ScanSteps } from './scan-steps.ts';

const MOST_FRAME = 16 * 1024 * 1024;
/** No key below this depth decides where bytes go. */
const DEEPEST_KEY = 5;

type ValueKind = 'object' | 'array' | 'string' | 'scalar';

/** `value`: becomes a part as written. */
type Sink = 'frame' | 'between' | 'block' | 'text' | 'value';

interface ValuePart {
  readonly part: number;
  readonly sample: PrefixSample;
}

export class ResultScan implements TreeSink {
  readonly texts: PrefixSample[] = [];
  structured: ValuePart | null = null;
  errorPart: number | null = null;
  isError = false;
  readonly #scan = new JsonScan(this, 'one', Number.POSITIVE_INFINITY);
  /** Keys of open values, by depth. */
  readonly #keys: string[] = [];
  #begunAt = -1;
  readonly #steps = new ScanSteps();
  readonly #blocks = new BlockList(this.#steps);
  readonly #frame: Uint8Array[] = [];
  #frameBytes = 0;
  #sink: Sink = 'frame';
  #value: (ValuePart & { readonly depth: number }) | null = null;
  #text: { readonly open: OpenText; readonly back: Sink } | null = null;
  /** Bytes not handed on yet, and their position in the message. */
  #chunk: Uint8Array = Buffer.alloc(0);
  #from = 0;
  #overFull = false;

  push(chunk: Uint8Array): readonly ScanStep[] {
    this.#chunk = this.#chunk.length === 0 ? chunk : Buffer.concat([this.#chunk, chunk]);
    this.#scan.push(chunk);
    const { openString, start } = this.#scan;
    if (openString >= 0 && openString === start) this.#beginString(this.#scan);
    this.#cut(this.#scan.failure === null ? this.#scan.position : this.#from + this.#chunk.length);
    // A chunk may be a window on a buffer that is reused.
    this.#chunk = this.#chunk.slice();
    return this.#steps.taken();
  }

  finish(): readonly ScanStep[] {
    this.#scan.finish();
    this.#cut(this.#from + this.#chunk.length);
    if (this.#text !== null) this.#closeText();
    this.#blocks.finish();
    return this.#steps.taken();
  }

  open(token: TreeToken): void {
    this.#begin(token.kind === TreeKind.array ? 'array' : 'object', token);
  }

  leaf(token: TreeToken): void {
    const kind = token.kind === TreeKind.string ? 'string' : 'scalar';
    if (kind === 'string') this.#beginString(token);
    else this.#begin(kind, token);
    this.#end(kind, this.#scan.depth, token);
  }

  close(token: TreeToken): void {
    this.#end('object', this.#scan.depth, token);
  }

  #beginString(token: TreeToken): void {
    if (this.#begunAt === token.start) return;
    this.#begunAt = token.start;
    this.#begin('string', token);
  }

  #keyAt(depth: number): string {
    return this.#keys[depth] ?? '';
  }

  get valid(): boolean {
    return this.#scan.failure === null && this.#scan.depth === 0 && !this.#overFull;
  }

  get blocks(): readonly ScannedBlock[] {
    return this.#blocks.blocks;
  }

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

  #begin(kind: ValueKind, token: TreeToken): void {
    const { depth } = this.#scan;
    const at = token.start;
    if (depth <= DEEPEST_KEY) this.#keys[depth] = keyOf(token);
    const inResult = depth >= 2 && this.#keyAt(1) === 'result';
    if (depth === 2 && inResult && kind === 'array' && this.#keyAt(2) === 'content') {
      this.#cut(at + 1);
      this.#sink = 'between';
    } else if (depth === 2 && inResult && this.#keyAt(2) === 'structuredContent') {
      this.structured = this.#openValue('structured', depth, at);
    } else if (depth === 3 && this.#sink === 'between') {
      this.#cut(at);
      this.#blocks.open();
      this.#sink = 'block';
      // A string in place of a block: lenient clients show it as text.
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

  #end(kind: ValueKind, depth: number, token: TreeToken): void {
    const at = token.end;
    if (this.#sink === 'text') {
      this.#cut(at - 1);
      this.#closeText();
      if (depth === 3) this.#closeBlock(at);
    } else if (this.#sink === 'block' && depth === 3) {
      this.#closeBlock(at);
    } else if (this.#sink === 'between' && depth === 2) {
      this.#cut(at - 1);
      this.#sink = 'frame';
    } else if (this.#sink === 'value' && depth === this.#value?.depth) {
      this.#cut(at);
      this.#steps.end(this.#value.part);
      this.#steps.refer(this.#value.part, this.#value.sample.bytes);
      this.#sink = 'frame';
    } else if (kind === 'scalar' && depth === 2 && this.#sink === 'frame') {
      if (this.#keyAt(2) === 'isError') this.isError = token.kind === TreeKind.true;
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
    if (depth === 4) return this.#keyAt(4) === 'text';
    return depth === 5 && this.#keyAt(4) === 'resource' && this.#keyAt(5) === 'text';
  }

  #isErrorMessage(depth: number): boolean {
    return (
      depth === 2 &&
      this.#sink === 'frame' &&
      this.errorPart === null &&
      this.#keyAt(1) === 'error' &&
      this.#keyAt(2) === 'message'
    );
  }

  /** Shapes the protocol does not know, which clients may still show. */
  #isLoose(kind: ValueKind, depth: number): boolean {
    if (this.#sink !== 'frame' || kind === 'scalar') return false;
    if (this.#keyAt(1) !== 'result') return false;
    if (depth === 1) return kind !== 'object';
    return depth === 2 && ['content', 'toolResult'].includes(this.#keyAt(2));
  }

  #openLoose(kind: ValueKind, depth: number, at: number): void {
    if (kind !== 'string') {
      this.texts.push(this.#openValue('content', depth, at).sample);
      return;
    }
    this.#cut(at + 1);
    this.texts.push(this.#openText('text').sample);
  }

  #openValue(name: string, depth: number, at: number): ValuePart {
    this.#cut(at);
    this.#value = { part: this.#steps.begin('json', name), sample: new PrefixSample(), depth };
    this.#toFrame(Buffer.from('null'));
    this.#sink = 'value';
    return this.#value;
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
    open.close();
    if (!this.#blocks.isJoined(open.part)) this.#steps.end(open.part);
    this.#sink = back;
    this.#text = null;
  }

  #cut(at: number): void {
    const bytes = this.#chunk.subarray(0, at - this.#from);
    this.#chunk = this.#chunk.subarray(bytes.length);
    this.#from = at;
    if (bytes.length === 0) return;
    if (this.#sink === 'text') this.#text?.open.push(bytes);
    else if (this.#sink === 'block') this.#blocks.push(bytes);
    else if (this.#sink === 'value' && this.#value !== null) {
      this.#value.sample.push(bytes);
      this.#steps.write(this.#value.part, bytes);
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
