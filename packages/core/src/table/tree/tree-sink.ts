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
  readonly kind: number;
  /** Where its unit begins: behind the separator or bracket before it, white space included. */
  readonly from: number;
  /** Where the value begins and ends; of an attribute what is between its quotes. */
  readonly start: number;
  readonly end: number;
  /** Where the key begins, and its bytes with quotes; of an element its name. 0 bytes: none. */
  readonly keyAt: number;
  readonly keyBytes: number;
  /** A hash of the key in lower case; 0 without a key. */
  readonly name: number;
  /** A hash of how a scalar begins, in lower case. */
  readonly hash: number;
  /** UTF-16 units of the value, and of the key and the separator around it. */
  readonly chars: number;
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
