/**
 * Tells, from tokens, where elements open and close. XML must be well-formed: what is not is a
 * failure, with a reason. HTML may leave end tags out; how often it had to be guessed is counted,
 * and if it was too often, that is a failure too. Memory: one number for each level.
 */
import { type Markup, type XmlHooks, XmlScanner, type XmlTokenKind } from '../scanner.ts';
import { html } from './html.ts';
import { type KnownTags, TagReader } from './tag-reader.ts';
import { endFault, LONGEST_END_TAG, nameEnd, nameKey } from './tags.ts';

export type LeafKind = 'text' | 'blank' | 'raw' | 'cdata' | 'comment' | 'instruction' | 'doctype' | 'stray';

export interface Structure {
  /** An element opens. One that is empty closes right away, in no bytes. */
  open(from: number, to: number, tag: TagReader): void;
  /** The innermost element closes; where its end tag is missing, in no bytes. */
  close(from: number, to: number): void;
  leaf(kind: LeafKind, from: number, to: number): void;
}

const MOST_LEVELS = 1 << 21;
/** How far up an element is looked for that a tag of HTML may close. */
const FARTHEST = 512;
/** Guesses that are always forgiven; beyond, one in so many tags. */
const FORGIVEN = 8;
const FORGIVEN_SHARE = 20;

export class Nesting implements XmlHooks {
  readonly #structure: Structure;
  readonly #markup: Markup;
  readonly #scanner: XmlScanner;
  readonly #tag: TagReader;
  readonly #open: number[] = [];
  #failure: string | null = null;
  #rootSeen = false;
  #doctypeSeen = false;
  #tags = 0;
  #guesses = 0;

  /** `known`: tags that were read before, in this text. */
  constructor(structure: Structure, markup: Markup, mostTagBytes: number, known: KnownTags) {
    this.#structure = structure;
    this.#markup = markup;
    this.#tag = new TagReader(markup, known);
    this.#scanner = new XmlScanner(this, markup, mostTagBytes);
  }

  get failure(): string | null {
    return this.#scanner.failure ?? this.#failure;
  }

  get tokenStart(): number {
    return this.#scanner.tokenStart;
  }

  get undecided(): number {
    return this.#scanner.undecided;
  }

  push(bytes: Uint8Array): void {
    if (this.failure === null) this.#scanner.push(bytes);
  }

  /** Gives the text that is still open, where what follows is known elsewhere. */
  flush(): void {
    this.#scanner.flush();
  }

  /** Nothing follows. */
  finish(): void {
    if (this.failure !== null) return;
    this.#scanner.finish();
    if (this.failure !== null) return;
    const end = this.#scanner.tokenStart;
    if (this.#markup === 'html') {
      this.#closeTo(0, end);
      if (this.#tags === 0) this.#failure = 'it has no elements';
      if (this.#guesses > FORGIVEN + this.#tags / FORGIVEN_SHARE)
        this.#failure = 'its nesting cannot be understood';
    } else if (this.#open.length > 0 || !this.#rootSeen) this.#failure = 'the text ends too early';
  }

  /** Told by the scanner. */
  token(kind: XmlTokenKind, from: number, to: number, bytes: Uint8Array, start: number, end: number): void {
    if (this.#failure !== null) return;
    if (kind === 'start') this.#start(from, to, bytes, start, end);
    else if (kind === 'end') this.#end(from, to, bytes, start, end);
    else if (this.#markup === 'xml' && this.#open.length === 0 && !this.#mayStandOutside(kind))
      this.#failure = 'something stands outside of the root element';
    else this.#structure.leaf(kind, from, to);
  }

  #mayStandOutside(kind: LeafKind): boolean {
    if (kind === 'doctype') {
      if (this.#doctypeSeen || this.#rootSeen) return false;
      this.#doctypeSeen = true;
    }
    return kind !== 'text' && kind !== 'cdata';
  }

  #start(from: number, to: number, bytes: Uint8Array, start: number, end: number): void {
    const tag = this.#tag;
    const fault = tag.read(bytes, start, end, to - from);
    const { name } = tag;
    const { slashed } = this.#scanner;
    this.#tags++;
    if (this.#markup === 'xml') {
      this.#failure = fault;
      if (this.#open.length === 0 && this.#rootSeen) this.#failure = 'there are two root elements';
      if (this.#failure !== null) return;
    } else {
      this.#closeImplied(name, from);
    }
    this.#rootSeen = true;
    if (this.#open.length >= MOST_LEVELS) {
      this.#failure = 'it is nested too deep';
      return;
    }
    this.#open.push(name);
    this.#structure.open(from, to, tag);
    const isEmpty = this.#markup === 'xml' ? slashed : html.isVoid(name) || (slashed && !html.isKnown(name));
    if (isEmpty) this.#close(to, to);
    else if (this.#markup === 'html') this.#beginRaw(name);
  }

  #beginRaw(name: number): void {
    const raw = html.rawName(name);
    if (raw !== undefined) this.#scanner.rawUntil(raw);
  }

  #end(from: number, to: number, bytes: Uint8Array, start: number, end: number): void {
    const nameTo = nameEnd(bytes, start + 2, end);
    const name = nameKey(bytes, start + 2, nameTo, this.#markup);
    this.#tags++;
    if (this.#markup === 'html') {
      this.#looseEnd(name, from, to);
      return;
    }
    // A name that is open is a name: most end tags are theirs, and nothing else.
    const isPlain = nameTo === end - 1 && end - start === to - from && to - from <= LONGEST_END_TAG;
    const isMatch = this.#open[this.#open.length - 1] === name;
    if (!isPlain || !isMatch) this.#failure = endFault(bytes, start, end, to - from);
    if (this.#failure !== null) return;
    if (!isMatch) this.#failure = 'an end tag does not match';
    else this.#close(from, to);
  }

  /**
   * Closes what it names, and on the way what was left open; names it nothing, it is kept as it
   * stands.
   */
  #looseEnd(name: number, from: number, to: number): void {
    const least = Math.max(0, this.#open.length - FARTHEST);
    let at = this.#open.length - 1;
    while (at >= least && this.#open[at] !== name) {
      if (html.isScope(this.#open[at] ?? 0) && !html.reachesOut(name)) at = least;
      at--;
    }
    if (at < least) {
      this.#guesses++;
      this.#structure.leaf('stray', from, to);
    } else {
      this.#closeTo(at + 1, from);
      this.#close(from, to);
    }
  }

  #closeImplied(name: number, at: number): void {
    const implied = html.implied(name);
    if (implied === undefined) return;
    let to = -1;
    const least = Math.max(0, this.#open.length - FARTHEST);
    for (let level = this.#open.length - 1; level >= least; level--) {
      const open = this.#open[level] ?? 0;
      if (implied.closes.has(open)) to = level;
      else if (implied.within.has(open)) break;
    }
    if (to >= 0) this.#closeTo(to, at);
  }

  #closeTo(level: number, at: number): void {
    while (this.#open.length > level) {
      if (!html.isOptional(this.#open.at(-1) ?? 0)) this.#guesses++;
      this.#close(at, at);
    }
  }

  #close(from: number, to: number): void {
    this.#open.pop();
    this.#structure.close(from, to);
  }
}
