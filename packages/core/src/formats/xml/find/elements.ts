/**
 * Elements of well-formed XML in any chunking: where each begins and ends, and the text of its
 * start tag. Nothing is decoded. Memory: the open names and one tag. Positions are bytes.
 */
import { decode } from '../../../text/utf8.ts';
import { XmlScanner, type XmlTokenKind } from '../scanner.ts';

export interface ElementSink {
  /** A start tag, from `<` to `>`, both included; valid during the call. */
  open(name: string, tag: Uint8Array, at: number): void;
  /** The innermost open element is over, just before `at`. */
  close(at: number): void;
}

/** Bytes of a tag; a longer one is refused. */
const TAG_BYTES = 1_048_576;
const NAME_BYTES = 1_024;
const MOST_DEPTH = 10_000;

export class XmlElements {
  readonly #scanner = new XmlScanner(
    {
      token: (kind, from, to, bytes, start, end) => this.#token(kind, from, to, bytes.subarray(start, end)),
    },
    'xml',
    TAG_BYTES,
  );
  readonly #sink: ElementSink;
  readonly #open: string[] = [];
  #seen = false;
  #failure: string | null = null;

  constructor(sink: ElementSink) {
    this.#sink = sink;
  }

  /** Why the text is not well-formed; null as long as it is. */
  get failure(): string | null {
    return this.#failure ?? this.#scanner.failure;
  }

  push(piece: Uint8Array): void {
    if (this.failure === null) this.#scanner.push(piece);
  }

  finish(): void {
    if (this.failure !== null) return;
    this.#scanner.finish();
    if (this.failure !== null) return;
    if (!this.#seen) this.#failure = 'it has no element';
    else if (this.#open.length > 0) this.#failure = 'the text ends too early';
  }

  #token(kind: XmlTokenKind, from: number, to: number, tag: Uint8Array): void {
    if (this.#failure !== null) return;
    if (kind === 'start') this.#failure = this.#start(from, to, tag);
    else if (kind === 'end') this.#failure = this.#end(to, tag);
    else if ((kind === 'text' || kind === 'cdata') && this.#open.length === 0)
      this.#failure = 'text stands outside of elements';
  }

  #start(from: number, to: number, tag: Uint8Array): string | null {
    const name = /^<([^\s/>]+)/.exec(decode(tag.subarray(0, NAME_BYTES)))?.[1];
    if (name === undefined) return 'a tag has no name';
    if (tag.length < to - from) return 'a tag is too long';
    if (this.#open.length === 0 && this.#seen) return 'there is more than one outermost element';
    if (this.#open.length >= MOST_DEPTH) return 'it is nested too deeply';
    this.#seen = true;
    this.#open.push(name);
    this.#sink.open(name, tag, from);
    if (tag.at(-2) === 0x2f) this.#close(to);
    return null;
  }

  #end(to: number, tag: Uint8Array): string | null {
    const name = decode(tag.subarray(2, -1)).trimEnd();
    if (this.#open.at(-1) !== name) return 'a closing tag does not fit';
    this.#close(to);
    return null;
  }

  #close(to: number): void {
    this.#open.pop();
    this.#sink.close(to);
  }
}
