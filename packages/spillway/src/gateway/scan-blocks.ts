/**
 * The blocks of a result. A text block is kept as what surrounds its text; any other as written, up
 * to a total cap, beyond which only its part has it. Blocks after the first 990 are joined into one
 * text.
 */
import { PrefixSample } from './repeats.ts';
import type { ScanSteps } from './scan-steps.ts';

/**
 * Blocks that are not text stay in place up to this many bytes in all; beyond, they are described.
 */
const MOST_IN_PLACE = 16 * 1024 * 1024;

/** With the joined one, the message and structured content: at most 1,000 parts. */
const MOST_APART = 990;

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
  part: number | null;
  text: Extract<ScannedBlock, { kind: 'text' }> | null;
  /** Had a text before: what follows the last one is not shown. */
  again: boolean;
}

/** Further texts of a block are shown as blocks of their own. */
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

  get takesText(): boolean {
    return this.#open !== null && this.#open.part === null;
  }

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
    // A chunk may be a window on a buffer that is reused.
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

  finish(): void {
    if (this.#joined !== null) this.#steps.end(this.#joined.part);
  }
}

// The media type that a content block names for its text, from what stands before the text:
// `{"type":"resource","resource":{"uri":"file:///sales.csv","mimeType":"text/csv","text":"`. The
// file name of the URI becomes the parameter `name`: `text/csv; name="sales.csv"`. A server that
// names them behind the text is not heard, since the text is on its way into the store by then.

const MOST_BEFORE = 64 * 1024;
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;
const FILE_NAME = /([\w.-]{1,200}\.\w{1,12})(?:[?#][\s\S]*)?$/;

/** `depth`: how many objects are open around the text, the block included. */
export function blockMediaType(before: Uint8Array, depth: number): string | undefined {
  if (before.length > MOST_BEFORE) return undefined;
  const block = parsed(`${Buffer.from(before).toString('utf8')}"${'}'.repeat(depth)}`);
  const { mimeType, uri } = { ...block, ...objectIn(block?.resource) };
  const type = typeof mimeType === 'string' ? TYPE.exec(mimeType)?.[0] : undefined;
  const name = typeof uri === 'string' ? FILE_NAME.exec(uri.slice(-300))?.[1] : undefined;
  return name === undefined ? type : `${type ?? 'text/plain'}; name="${name}"`;
}

type Members = Readonly<Record<string, unknown>>;

/** Undefined for a second text in a block. */
function parsed(json: string): Members | undefined {
  try {
    return objectIn(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function objectIn(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null ? (value as Members) : undefined;
}
