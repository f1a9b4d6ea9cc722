/**
 * Where things lie in a message, told by one scan in any chunking: id and method, and of a tool's
 * result its texts, its other blocks and its structured content. Each becomes a part of the stored
 * output (result-parts.ts); the rest of the message is its *frame*. Memory: a few numbers a part.
 */
import { JsonScan, TreeKind, type TreeSink, type TreeToken } from '@spillway/core/plugin';
import { type ByteRange, keyOf } from './json-edit.ts';

/** A range that becomes a part, or continues one. */
export interface Piece extends ByteRange {
  readonly part: number;
  /** `body`: of a string, between its quotes. `written`: as it is. */
  readonly as: 'body' | 'written';
  readonly name: 'text' | 'error' | 'structured' | 'content' | 'block';
  /** What stands before a text in its block, and how many objects are open there. */
  readonly before?: ByteRange & { readonly depth: number };
}

export type Block =
  /** `before` and `after`: what stands around the text in it; null for a plain text block. */
  | {
      readonly kind: 'text';
      readonly part: number;
      readonly around: { readonly before: ByteRange; readonly after: ByteRange } | null;
    }
  /** Anything else; null where it is too large to stay in place. */
  | { readonly kind: 'other'; readonly part: number; readonly at: ByteRange; readonly inPlace: boolean };

/** What stands in the frame for a range that was taken out. */
export interface Hole extends ByteRange {
  readonly by: '' | 'null';
}

/** With the joined one, the message and structured content: at most 1,000 parts. */
const MOST_APART = 990;
/** Behind so many, what is left of a list of blocks is one piece. */
const MOST_PIECES = 300_000;
/** Blocks that are not text stay in place up to this many bytes in all. */
const MOST_IN_PLACE = 16 * 1024 * 1024;
/** No key below this depth decides what becomes of a value. */
const DEEPEST_KEY = 5;

type Token = Pick<TreeToken, 'kind' | 'start' | 'end' | 'key'>;

interface OpenBlock {
  readonly start: number;
  readonly texts: Piece[];
}

export class MessageScan implements TreeSink {
  readonly pieces: Piece[] = [];
  readonly blocks: Block[] = [];
  readonly holes: Hole[] = [];
  id: ByteRange | null = null;
  method: ByteRange | null = null;
  /** With params it is no answer, wherever its method stands. */
  hasParams = false;
  isError = false;
  readonly #scan = new JsonScan(this, 'one', Number.POSITIVE_INFINITY);
  /** Keys of open values, by depth. */
  readonly #keys: string[] = [];
  #parts = 0;
  #joined: number | null = null;
  #inPlace = 0;
  /** The list of blocks that is open, the block in it, and a value that becomes a part. */
  #list: number | null = null;
  #tail: number | null = null;
  #block: OpenBlock | null = null;
  #value: { readonly name: Piece['name']; readonly depth: number; readonly start: number } | null = null;

  push(chunk: Uint8Array): void {
    this.#scan.push(chunk);
  }

  /** What is open where the message breaks off is kept as far as it came. */
  finish(): void {
    const end = this.#scan.position;
    const { openString, start } = this.#scan;
    if (this.possible && openString >= 0 && openString === start)
      this.leaf({ kind: TreeKind.string, start, end: end + 1, key: () => this.#scan.key() });
    this.#scan.finish();
    if (this.#value !== null) this.#endValue(end);
    if (this.#block !== null) this.#endBlock(end);
    if (this.#list !== null) this.#endList(end);
  }

  get possible(): boolean {
    return this.#scan.failure === null;
  }

  /** Bytes that were read, as far as they may be JSON. */
  get position(): number {
    return this.#scan.position;
  }

  get valid(): boolean {
    return this.possible && this.#scan.depth === 0 && this.#scan.valueEnd >= 0;
  }

  get structured(): Piece | undefined {
    return this.pieces.find(({ name }) => name === 'structured');
  }

  open(token: Token): void {
    if (this.#value !== null) return;
    const { depth } = this.#scan;
    this.#enter(depth, token);
    const isArray = token.kind === TreeKind.array;
    if (depth === 1 && this.#keys[1] === 'params') this.hasParams = true;
    if (depth === 2 && isArray && this.#isAt('result', 'content')) this.#list = token.start + 1;
    else if (this.#list === null) this.#openValue(depth, isArray ? 'list' : 'object', token.start);
    else if (depth === 3) this.#openBlock(token.start);
  }

  leaf(token: Token): void {
    if (this.#value !== null) return;
    const { depth } = this.#scan;
    const { start, end } = token;
    const isString = token.kind === TreeKind.string;
    this.#enter(depth, token);
    if (depth === 1) this.#header(token, isString);
    if (depth === 3 && this.#list !== null) {
      this.#openBlock(start);
      // A string in place of a block: lenient clients show it as text.
      if (isString) this.#textOf(depth, token);
      this.#endBlock(end);
    } else if (isString && this.#block !== null) {
      const isText =
        (depth === 4 && this.#keys[4] === 'text') ||
        (depth === 5 && this.#keys[4] === 'resource' && this.#keys[5] === 'text');
      if (isText) this.#textOf(depth, token);
    } else if (depth === 2 && this.#isAt('result', 'isError')) this.isError = token.kind === TreeKind.true;
    else if (isString && depth === 2 && this.#isAt('error', 'message') && !this.#has('error'))
      this.#body('error', token);
    else if (isString && this.#isLoose(depth, 'string')) this.#body('text', token);
    else if (depth === 2 && this.#isAt('result', 'structuredContent')) {
      this.#value = { name: 'structured', depth, start };
      this.#endValue(end);
    }
  }

  close(token: Token): void {
    const { depth } = this.#scan;
    if (this.#value !== null) {
      if (this.#value.depth === depth) this.#endValue(token.end);
    } else if (depth === 3 && this.#block !== null) this.#endBlock(token.end);
    else if (depth === 2 && this.#list !== null) this.#endList(token.end - 1);
  }

  #enter(depth: number, token: Token): void {
    if (depth <= DEEPEST_KEY) this.#keys[depth] = keyOf(token);
  }

  #isAt(first: string, second: string): boolean {
    return this.#keys[1] === first && this.#keys[2] === second;
  }

  #has(name: Piece['name']): boolean {
    return this.pieces.some((piece) => piece.name === name);
  }

  #header({ start, end }: Token, isString: boolean): void {
    const [, key] = this.#keys;
    if (key === 'id') this.id = { start, end };
    if (key === 'method' && isString) this.method = { start, end };
    if (key === 'params') this.hasParams = true;
  }

  /** Shapes the protocol does not know, which clients may still show. */
  #isLoose(depth: number, kind: 'list' | 'object' | 'string'): boolean {
    const [, first, second] = this.#keys;
    if (first !== 'result') return false;
    if (depth === 1) return kind !== 'object';
    return depth === 2 && (second === 'toolResult' || (second === 'content' && kind !== 'list'));
  }

  #openValue(depth: number, kind: 'list' | 'object', start: number): void {
    if (depth === 2 && this.#isAt('result', 'structuredContent'))
      this.#value = { name: 'structured', depth, start };
    else if (this.#isLoose(depth, kind)) this.#value = { name: 'content', depth, start };
  }

  #endValue(end: number): void {
    if (this.#value === null) return;
    const { name, start } = this.#value;
    this.#value = null;
    this.pieces.push({ part: this.#parts++, as: 'written', name, start, end });
    this.holes.push({ start, end, by: 'null' });
  }

  #body(name: 'text' | 'error', { start, end }: Token): void {
    const range = { start: start + 1, end: end - 1 };
    this.pieces.push({ part: this.#parts++, as: 'body', name, ...range });
    this.holes.push({ ...range, by: '' });
  }

  #openBlock(start: number): void {
    if (this.pieces.length < MOST_PIECES) this.#block = { start, texts: [] };
    else this.#tail ??= start;
  }

  #textOf(depth: number, { start, end }: Token): void {
    const block = this.#block;
    if (block === null) return;
    const before =
      block.texts.length > 0 ? {} : { before: { start: block.start, end: start + 1, depth: depth - 3 } };
    const part = this.#joinedPart() ?? this.#parts++;
    const piece: Piece = { part, as: 'body', name: 'text', start: start + 1, end: end - 1, ...before };
    block.texts.push(piece);
    this.pieces.push(piece);
  }

  /** Blocks behind the first 990 are joined into one text. */
  #joinedPart(): number | null {
    const isLast = this.#joined === this.#parts - 1;
    if (!isLast && this.blocks.length >= MOST_APART) {
      this.#joined = this.#parts++;
      this.blocks.push({ kind: 'text', part: this.#joined, around: null });
    }
    return this.#joined;
  }

  #endBlock(end: number): void {
    const block = this.#block;
    this.#block = null;
    if (block === null) return;
    const at = { start: block.start, end };
    const [first, ...more] = block.texts;
    if (first !== undefined) {
      if (first.part === this.#joined) return;
      const before = { start: at.start, end: first.start };
      // Further texts of a block are shown as blocks of their own.
      const around = more.length === 0 ? { before, after: { start: first.end, end } } : null;
      for (const { part } of block.texts)
        if (part !== this.#joined) this.blocks.push({ kind: 'text', part, around });
      return;
    }
    const joined = this.#joinedPart();
    const part = joined ?? this.#parts++;
    this.pieces.push({ part, as: 'written', name: joined === null ? 'block' : 'text', ...at });
    this.#inPlace += end - block.start;
    const inPlace = this.#inPlace <= MOST_IN_PLACE;
    if (!inPlace) this.#inPlace -= end - block.start;
    if (joined === null) this.blocks.push({ kind: 'other', part, at, inPlace });
  }

  #endList(end: number): void {
    if (this.#list === null) return;
    const part = this.#tail === null ? null : this.#joinedPart();
    if (part !== null && this.#tail !== null)
      this.pieces.push({ part, as: 'written', name: 'text', start: this.#tail, end });
    this.holes.push({ start: this.#list, end, by: '' });
    [this.#list, this.#tail] = [null, null];
  }
}
