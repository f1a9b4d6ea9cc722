/**
 * Takes the message with a tool's result apart while it arrives. What the tool said becomes parts (texts decoded, blocks that are not text and
 * structured content as written); the rest of the message is its frame. Beside that the *envelope* is written: the message itself, with
 * a reference where a part already holds the bytes, so that the exact message can be put together again (original.ts). Nothing here waits:
 * `push` returns what is to be written. Memory: the frame and the blocks that are not text, each up to a cap; never the texts.
 */
import { JsonReader, type ValueKind } from './json-reader.ts';
import { StringBody } from './json-strings.ts';
import { PrefixSample } from './repeats.ts';

/** Blocks that are not text are kept in place up to this many bytes in all; beyond, they are described. */
const MOST_IN_PLACE = 16 * 1024 * 1024;
const MOST_FRAME = 16 * 1024 * 1024;

/** What is to be written. Parts count from 0 in the order in which they begin; -1 is the envelope. */
export type ScanStep =
  | {
      readonly step: 'begin';
      readonly part: number;
      readonly kind: 'text' | 'json' | 'binary';
      readonly name: string;
    }
  | { readonly step: 'write'; readonly part: number; readonly bytes: Uint8Array }
  | { readonly step: 'end'; readonly part: number };

export const ENVELOPE = -1;

/** A block of the result. */
export type ScannedBlock =
  /** A block with text: what stands before and after the text in it. */
  | { readonly kind: 'text'; readonly part: number; readonly before: Uint8Array; after: Uint8Array }
  /** Anything else, as written; null when it is too large to be held. */
  | {
      readonly kind: 'other';
      readonly part: number;
      readonly bytes: number;
      readonly json: Uint8Array | null;
    };

type Sink = 'frame' | 'between' | 'block' | 'body' | 'structured';

export class ResultScan {
  readonly blocks: ScannedBlock[] = [];
  readonly texts: PrefixSample[] = [];
  structured: { readonly part: number; readonly sample: PrefixSample } | null = null;
  /** The part that holds the message of a protocol error. */
  errorPart: number | null = null;
  isError = false;
  readonly #reader = new JsonReader({
    begin: (kind, depth, at) => this.#begin(kind, depth, at),
    end: (kind, depth, at) => this.#end(kind, depth, at),
  });
  #steps: ScanStep[] = [];
  readonly #frame: Uint8Array[] = [];
  #frameBytes = 0;
  #inPlaceBytes = 0;
  #sink: Sink = 'frame';
  #chunk: Uint8Array = Buffer.alloc(0);
  /** Where in the message the chunk begins, and up to where it was handed on. */
  #base = 0;
  #from = 0;
  #parts = 0;
  #block: OpenBlock | null = null;
  #body: OpenBody | null = null;
  #overFull = false;

  /** Takes the next bytes of the message; returns what they make. */
  push(chunk: Uint8Array): readonly ScanStep[] {
    this.#chunk = chunk;
    this.#from = this.#base;
    this.#reader.push(chunk);
    this.#cut(this.#base + chunk.length);
    this.#base += chunk.length;
    return this.#taken();
  }

  /** Nothing follows. */
  finish(): readonly ScanStep[] {
    this.#reader.finish();
    if (this.#body !== null) this.#closeBody();
    return this.#taken();
  }

  /** Whether it was a whole message. */
  get valid(): boolean {
    return this.#reader.done && !this.#overFull;
  }

  /** Bytes of text so far, structured content included. */
  get textBytes(): number {
    return this.texts.reduce((sum, { bytes }) => sum + bytes, this.structured?.sample.bytes ?? 0);
  }

  /** The message without its blocks and its structured content (an empty list and null in their places). */
  frame(): Buffer {
    return Buffer.concat(this.#frame);
  }

  #taken(): readonly ScanStep[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
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
      this.#block = { pieces: [], bytes: 0, part: null, text: null };
      this.#sink = 'block';
    } else if (kind === 'string' && this.#isTextOfBlock(depth)) {
      this.#cut(at + 1);
      this.#openBlockText();
    } else if (kind === 'string' && this.#isErrorMessage(depth)) {
      this.#cut(at + 1);
      this.errorPart = this.#openBody('error');
    }
  }

  #end(kind: ValueKind, depth: number, at: number): void {
    if (this.#sink === 'body') {
      this.#cut(at - 1);
      this.#closeBody();
    } else if (this.#sink === 'block' && depth === 3) {
      this.#cut(at);
      this.#closeBlock();
    } else if (this.#sink === 'between' && depth === 2) {
      this.#cut(at - 1);
      this.#sink = 'frame';
    } else if (this.#sink === 'structured' && depth === 2) {
      this.#cut(at);
      this.#closeStructured();
    } else if (
      kind === 'scalar' &&
      depth === 2 &&
      this.#sink === 'frame' &&
      this.#reader.keyAt(2) === 'isError'
    ) {
      this.isError = this.#reader.scalar === 'true';
    }
  }

  #isTextOfBlock(depth: number): boolean {
    if (
      this.#sink !== 'block' ||
      this.#block === null ||
      this.#block.text !== null ||
      this.#block.part !== null
    )
      return false;
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

  #openBlockText(): void {
    const block = this.#block;
    if (block === null) return;
    const before = Buffer.concat(block.pieces);
    block.pieces = [];
    this.#envelope(before);
    const part = this.#openBody('text');
    const scanned: ScannedBlock = { kind: 'text', part, before, after: Buffer.alloc(0) };
    block.text = scanned;
    this.blocks.push(scanned);
  }

  #openBody(name: string): number {
    const part = this.#parts++;
    const sample = new PrefixSample();
    if (name === 'text') this.texts.push(sample);
    this.#steps.push({ step: 'begin', part, kind: 'text', name });
    this.#body = { part, decoder: new StringBody(), bytes: 0, inEnvelope: false, sample, back: this.#sink };
    this.#sink = 'body';
    return part;
  }

  #closeBody(): void {
    const body = this.#body;
    if (body === null) return;
    this.#bodyBytes(body, body.decoder.finish());
    if (!body.inEnvelope)
      this.#envelope(Buffer.concat([reference('t', body.part, body.bytes), body.decoder.pending]));
    if (body.decoder.failed) this.#reader.failed = true;
    this.#steps.push({ step: 'end', part: body.part });
    this.#sink = body.back;
    this.#body = null;
  }

  #bodyBytes(body: OpenBody, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    body.sample.push(bytes);
    this.#steps.push({ step: 'write', part: body.part, bytes });
    if (!body.inEnvelope) body.bytes += bytes.length;
  }

  #closeBlock(): void {
    const block = this.#block;
    this.#block = null;
    this.#sink = 'between';
    if (block === null) return;
    const rest = Buffer.concat(block.pieces);
    if (block.text !== null) {
      if (block.text.kind === 'text') block.text.after = rest;
      this.#envelope(rest);
      return;
    }
    const part = block.part ?? this.#beginRaw('binary', 'block');
    if (rest.length > 0) this.#steps.push({ step: 'write', part, bytes: rest });
    this.#steps.push({ step: 'end', part });
    this.blocks.push({ kind: 'other', part, bytes: block.bytes, json: block.part === null ? rest : null });
    this.#envelope(reference('r', part, block.bytes));
  }

  #openStructured(): void {
    const part = this.#beginRaw('json', 'structured');
    this.structured = { part, sample: new PrefixSample() };
    this.#toFrame(Buffer.from('null'));
    this.#sink = 'structured';
  }

  #closeStructured(): void {
    if (this.structured === null) return;
    const { part, sample } = this.structured;
    this.#steps.push({ step: 'end', part });
    this.#envelope(reference('r', part, sample.bytes));
    this.#sink = 'frame';
  }

  #beginRaw(kind: 'json' | 'binary', name: string): number {
    const part = this.#parts++;
    this.#steps.push({ step: 'begin', part, kind, name });
    return part;
  }

  /** Hands on what lies before a place. */
  #cut(at: number): void {
    const bytes = this.#chunk.subarray(this.#from - this.#base, at - this.#base);
    this.#from = at;
    if (bytes.length === 0) return;
    if (this.#sink === 'body' && this.#body !== null) this.#toBody(this.#body, bytes);
    else if (this.#sink === 'block' && this.#block !== null) this.#toBlock(this.#block, bytes);
    else if (this.#sink === 'structured' && this.structured !== null) {
      this.structured.sample.push(bytes);
      this.#steps.push({ step: 'write', part: this.structured.part, bytes });
    } else {
      if (this.#sink === 'frame') this.#toFrame(bytes);
      this.#envelope(bytes);
    }
  }

  #toBody(body: OpenBody, bytes: Uint8Array): void {
    const pending = body.decoder.pending;
    const said = body.decoder.push(bytes);
    if (!body.decoder.plain && !body.inEnvelope) {
      // From here on it is not written as we would write it: the envelope keeps how.
      this.#envelope(Buffer.concat([reference('t', body.part, body.bytes), pending]));
      body.inEnvelope = true;
    }
    if (body.inEnvelope) this.#envelope(bytes);
    this.#bodyBytes(body, said);
  }

  #toBlock(block: OpenBlock, bytes: Uint8Array): void {
    block.bytes += bytes.length;
    if (block.part !== null) {
      this.#steps.push({ step: 'write', part: block.part, bytes });
      return;
    }
    this.#inPlaceBytes += bytes.length;
    // A chunk may be a window on a larger buffer that is used again.
    block.pieces.push(Buffer.from(bytes));
    if (this.#inPlaceBytes <= MOST_IN_PLACE || block.text !== null) return;
    block.part = this.#beginRaw('binary', 'block');
    this.#steps.push({ step: 'write', part: block.part, bytes: Buffer.concat(block.pieces) });
    this.#inPlaceBytes -= block.bytes;
    block.pieces = [];
  }

  #toFrame(bytes: Uint8Array): void {
    this.#frameBytes += bytes.length;
    if (this.#frameBytes > MOST_FRAME) this.#overFull = true;
    else this.#frame.push(Buffer.from(bytes));
  }

  #envelope(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#steps.push({ step: 'write', part: ENVELOPE, bytes });
  }
}

interface OpenBlock {
  pieces: Uint8Array[];
  bytes: number;
  /** Set once it is too large to be held. */
  part: number | null;
  text: ScannedBlock | null;
}

interface OpenBody {
  readonly part: number;
  readonly decoder: StringBody;
  readonly sample: PrefixSample;
  /** Bytes of the part that the envelope refers to. */
  bytes: number;
  /** Whether the rest of it is written out in the envelope. */
  inEnvelope: boolean;
  readonly back: Sink;
}

/**
 * `\x01t3:120\x02` stands for the first 120 bytes of part 3, written as a JSON string; with `r` for the bytes themselves. Neither
 * byte can occur in valid JSON.
 */
function reference(how: 't' | 'r', part: number, bytes: number): Uint8Array {
  return Buffer.from(`\x01${how}${part}:${bytes}\x02`);
}
