/**
 * What a scanner of JSON or XML tells while it reads. The token is the scanner itself, so nothing
 * is made for a node: a sink reads the fields that it needs during the call. Places are bytes from
 * the start of the text.
 */

/** What a node is. */
export const Kind = {
  /** The text itself: its children are the values or nodes at the top. */
  top: 0,
  object: 1,
  array: 2,
  string: 3,
  number: 4,
  true: 5,
  false: 6,
  null: 7,
  element: 8,
  attribute: 9,
  text: 10,
  cdata: 11,
  comment: 12,
  /** A declaration, a processing instruction or a document type. */
  instruction: 13,
} as const;

/** The node at hand. Valid during a call of the sink. */
export interface TreeToken {
  /** One of `TreeKind`. */
  readonly kind: number;
  /** Where its unit begins: behind the separator or bracket before it, white space included. */
  readonly from: number;
  /** Where the value begins; of an attribute what is between its quotes. */
  readonly start: number;
  /** Where the value ends. */
  readonly end: number;
  /** Where the key begins; of an element its name. */
  readonly keyAt: number;
  /** Its bytes with quotes; 0 without a key. */
  readonly keyBytes: number;
  /** A hash of the key in lower case; 0 without a key. */
  readonly name: number;
  /** A hash of how a scalar begins, in lower case; of a short whole number its value, of others -1. */
  readonly hash: number;
  /** UTF-16 units of the value. */
  readonly chars: number;
  /** UTF-16 units of the key and the separator around it. */
  readonly keyChars: number;
  /** Whether it refers to an entity that the document has to declare. */
  readonly hasEntity: boolean;
  /** One more than the highest number of a reserved key in the text so far; 0 if there is none. */
  readonly reserved: number;
  /** Chars of white space before the value that may be shown: of JSON all, of XML one line end. */
  readonly pad: number;
  /** The bytes of the key, without quotes. */
  key(): Uint8Array;
}

/** Takes the nodes of a text in their order. */
export interface TreeSink {
  /** A container begins. */
  open(token: TreeToken): void;
  /** The start tag of the innermost element ends at `token.end`; its attributes are over. */
  content?(token: TreeToken): void;
  /** The innermost container ends at `token.end`; what closes it begins at `token.start`. */
  close(token: TreeToken): void;
  /** A node without children. */
  leaf(token: TreeToken): void;
}

/**
 * What scanners of JSON and XML have in common: bytes in any chunking, the token at hand, and where
 * it failed. What a chunk cuts is carried over to the next one.
 */
export abstract class TreeScanner implements TreeToken {
  protected readonly sink: TreeSink;
  /** The window that is read, and the place of its first byte. */
  protected base = 0;
  protected window: Uint8Array = NO_BYTES;
  protected carry: Uint8Array = NO_BYTES;
  /** Why the text is not valid; null as long as it may be. */
  failure: string | null = null;
  /** Containers that are open. */
  depth = 0;
  reserved = 0;
  kind: number = Kind.top;
  from = 0;
  start = 0;
  end = 0;
  keyAt = 0;
  keyBytes = 0;
  name = 0;
  hash = SEED;
  chars = 0;
  keyChars = 0;
  pad = 0;
  hasEntity = false;

  constructor(sink: TreeSink) {
    this.sink = sink;
  }

  abstract key(): Uint8Array;
  /** Where a text begins that is not over; -1 if none is open. */
  abstract readonly openString: number;
  /** Nothing follows. */
  abstract finish(): void;
  /** Reads on from a place of the window; -1 - at where more bytes are needed. */
  protected abstract step(bytes: Uint8Array, at: number): number;
  /** The window was read up to a place; what follows comes again with the next chunk. */
  protected abstract leave(bytes: Uint8Array, at: number): void;

  /** Reads the next bytes. */
  push(chunk: Uint8Array): void {
    if (this.failure !== null || chunk.length === 0) return;
    this.read(this.carry.length === 0 ? chunk : Buffer.concat([this.carry, chunk]));
  }

  protected read(bytes: Uint8Array): void {
    this.carry = NO_BYTES;
    this.window = bytes;
    const hasMark = this.base === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    let at = hasMark ? this.skipMark() : 0;
    while (at < bytes.length && this.failure === null) {
      const next = this.step(bytes, at);
      if (next < 0) {
        at = -next - 1;
        break;
      }
      at = next;
    }
    if (this.failure === null) {
      this.leave(bytes, at);
      if (at < bytes.length) this.carry = bytes.slice(at);
    }
    this.base += at;
    this.window = bytes.subarray(at);
  }

  /** Skips a byte order mark. */
  protected skipMark(): number {
    return 3;
  }

  protected fail(why: string, at: number): number {
    this.failure = why;
    return at;
  }
}

export const NO_BYTES = new Uint8Array(0);

export const SEED = 0x811c9dc5 | 0;
export const PRIME = 0x01000193;

/** The hash by which names and words are compared: letters in lower case. */
export function hashName(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let hash = SEED;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ ((bytes[at] as number) | 0x20), PRIME);
  return hash;
}

export function hashWord(word: string): number {
  return hashName(Buffer.from(word));
}

/** Whether a node may have children. */
export function isBox(kind: number): boolean {
  return kind <= Kind.array || kind === Kind.element;
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
