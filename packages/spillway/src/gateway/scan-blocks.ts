/**
 * The blocks of a result, one after the other. A block with text is kept as what stands around the
 * text; any other as it was written, up to a cap for all of them together; beyond that it goes into
 * its part alone. Of very many blocks those after the first 990 are joined into one text: their
 * texts, and what has none as it was written.
 */
import { PrefixSample } from './repeats.ts';
import type { ScanSteps } from './scan-steps.ts';

/**
 * Blocks that are not text are kept in place up to this many bytes in all; beyond, they are
 * described.
 */
const MOST_IN_PLACE = 16 * 1024 * 1024;

/** With the joined one, the message and structured content, an output has at most 1,000 parts. */
const MOST_APART = 990;

/** A block of the result. */
export type ScannedBlock =
  /** A block with text: what stands before and after the text in it. */
  | { readonly kind: 'text'; readonly part: number; before: Uint8Array; after: Uint8Array }
  /** Anything else, as written; null when it is too large to be held. */
  | {
      readonly kind: 'other';
      readonly part: number;
      readonly bytes: number;
      readonly json: Uint8Array | null;
    };

interface OpenBlock {
  pieces: Uint8Array[];
  bytes: number;
  /** Set once it is too large to be held. */
  part: number | null;
  text: Extract<ScannedBlock, { kind: 'text' }> | null;
  /** Whether it had a text before: what follows the last one is then not shown. */
  again: boolean;
}

/** How a block with one text more is shown: each of them as a block of its own. */
const OWN_BLOCK = { before: Buffer.from('{"type":"text","text":"'), after: Buffer.from('"}') };

export class BlockList {
  readonly blocks: ScannedBlock[] = [];
  readonly #steps: ScanSteps;
  #open: OpenBlock | null = null;
  #inPlaceBytes = 0;
  #joined: { readonly part: number; readonly sample: PrefixSample } | null = null;

  constructor(steps: ScanSteps) {
    this.#steps = steps;
  }

  open(): void {
    this.#open = { pieces: [], bytes: 0, part: null, text: null, again: false };
  }

  /** The part that all further blocks go into; null while each has a part of its own. */
  joined(): { readonly part: number; readonly sample: PrefixSample } | null {
    if (this.#joined === null && this.blocks.length >= MOST_APART) {
      const part = this.#steps.begin('text', 'text');
      this.#joined = { part, sample: new PrefixSample() };
      this.blocks.push({ kind: 'text', part, ...OWN_BLOCK });
    }
    return this.#joined;
  }

  isJoined(part: number): boolean {
    return part === this.#joined?.part;
  }

  /** Whether the block that is open may turn out to have a text. */
  get takesText(): boolean {
    return this.#open !== null && this.#open.part === null;
  }

  /** The text begins: what came before it. */
  beforeText(): Uint8Array {
    const before = Buffer.concat(this.#open?.pieces ?? []);
    if (this.#open !== null) this.#open.pieces = [];
    this.#steps.envelope(before);
    return before;
  }

  hasText(part: number, before: Uint8Array): void {
    const block = this.#open;
    if (block === null) return;
    if (block.text !== null) Object.assign(block.text, OWN_BLOCK);
    if (block.text !== null || this.#joined !== null) block.again = true;
    block.text = {
      kind: 'text',
      part,
      before: block.again ? OWN_BLOCK.before : before,
      after: OWN_BLOCK.after,
    };
    if (this.#joined === null) this.blocks.push(block.text);
  }

  push(bytes: Uint8Array): void {
    const block = this.#open;
    if (block === null) return;
    block.bytes += bytes.length;
    if (block.part !== null) {
      this.#steps.write(block.part, bytes);
      return;
    }
    this.#inPlaceBytes += bytes.length;
    // A chunk may be a window on a larger buffer that is used again.
    block.pieces.push(Buffer.from(bytes));
    if (this.#inPlaceBytes <= MOST_IN_PLACE || block.text !== null) return;
    block.part = this.joined()?.part ?? this.#steps.begin('binary', 'block');
    this.#steps.write(block.part, Buffer.concat(block.pieces));
    this.#inPlaceBytes -= block.bytes;
    block.pieces = [];
  }

  close(): void {
    const block = this.#open;
    this.#open = null;
    if (block === null) return;
    const rest = Buffer.concat(block.pieces);
    if (block.text !== null) {
      if (!block.again) block.text.after = rest;
      this.#steps.envelope(rest);
      return;
    }
    const joined = this.joined();
    const part = block.part ?? joined?.part ?? this.#steps.begin('binary', 'block');
    this.#steps.write(part, rest);
    this.#steps.refer(part, block.bytes);
    if (part === joined?.part) {
      joined.sample.push(rest);
      return;
    }
    this.#steps.end(part);
    this.blocks.push({ kind: 'other', part, bytes: block.bytes, json: block.part === null ? rest : null });
  }

  /** Nothing follows. */
  finish(): void {
    if (this.#joined !== null) this.#steps.end(this.#joined.part);
  }
}
