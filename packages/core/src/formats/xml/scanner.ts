/**
 * Splits XML or HTML into tokens, over bytes in any chunking: text and tags here, the others by
 * their ends (section-ends.ts). Tokens follow each other without gaps. The scanner knows where each
 * ends and what may not stand inside it; it does not check that tags match, and expands no entity.
 * Memory: one tag, up to `mostTagBytes`. Positions are bytes from the start of the text.
 */
import { isNameByte, isNameStart, isSpace } from './bytes.ts';
import {
  BOGUS_END,
  BROKEN,
  CommentEnd,
  DoctypeEnd,
  NOT_HERE,
  RawEnd,
  type SectionEnd,
  SignedEnd,
} from './section-ends.ts';

export type XmlTokenKind =
  | 'start'
  | 'end'
  | 'text'
  /** Text of nothing but white space. */
  | 'blank'
  /** The inside of a script or style of HTML. */
  | 'raw'
  | 'cdata'
  | 'comment'
  | 'instruction'
  | 'doctype';

export interface XmlHooks {
  /**
   * A token is complete. `bytes[start, end)` is a start or end tag, of a very long one the
   * beginning; valid during the call.
   */
  token(kind: XmlTokenKind, from: number, to: number, bytes: Uint8Array, start: number, end: number): void;
}

export type Markup = 'xml' | 'html';

/** What is being read. */
const AT = { text: 0, reference: 1, less: 2, bang: 3, tag: 4, section: 5, raw: 6 } as const;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const LONGEST_REFERENCE = 256;
const EMPTY = new Uint8Array(0);
const NO_CARRY: readonly Uint8Array[] = [];
/** Text that needs no look: all but `<`, `&`, `]` and control characters. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === LT || byte === 0x26 || byte === 0x5d || (byte < 0x20 && !isSpace(byte)) ? 0 : 1,
);

export class XmlScanner {
  readonly #hooks: XmlHooks;
  readonly #markup: Markup;
  readonly #mostTagBytes: number;
  #state: number = AT.text;
  #position = 0;
  #tokenStart = 0;
  #blank = true;
  /** How much of the current reference or of `]]` has been read. */
  #run = 0;
  /** Where the `<` is that may begin markup. */
  #less = 0;
  #bang = '';
  #isEnd = false;
  #quote = 0;
  #lastSign = 0;
  #carry: readonly Uint8Array[] = NO_CARRY;
  #carried = 0;
  #section: { readonly kind: XmlTokenKind; readonly end: SectionEnd } = { kind: 'comment', end: BOGUS_END };
  #raw = new RawEnd('');
  failure: string | null = null;

  constructor(hooks: XmlHooks, markup: Markup, mostTagBytes: number) {
    this.#hooks = hooks;
    this.#markup = markup;
    this.#mostTagBytes = mostTagBytes;
  }

  /** Where the token begins that is not complete yet. */
  get tokenStart(): number {
    return this.#tokenStart;
  }

  /**
   * Where a `<` is that may or may not end this token: the answer has not arrived; otherwise the
   * same as `tokenStart`.
   */
  get undecided(): number {
    if (this.#state === AT.less) return this.#less;
    return this.#state === AT.raw && this.#raw.matched > 0
      ? this.#position - this.#raw.matched
      : this.#tokenStart;
  }

  /** Whether the start tag that is being given ends in a slash. */
  get slashed(): boolean {
    return this.#lastSign === 0x2f;
  }

  push(bytes: Uint8Array): void {
    const base = this.#position;
    let at = 0;
    if (base === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      at = 3;
      this.#tokenStart = 3;
    }
    this.#position += bytes.length;
    while (at < bytes.length && this.failure === null) at = this.#step(bytes, at, base);
    if (this.#state === AT.less || this.#state === AT.tag)
      this.#carryOn(
        bytes.subarray(Math.max(0, (this.#state === AT.less ? this.#less : this.#tokenStart) - base)),
      );
  }

  /**
   * What follows is the inside of that element, up to its end tag. Called from the hook, at its
   * start tag.
   */
  rawUntil(name: string): void {
    this.#raw = new RawEnd(name);
    this.#state = AT.raw;
  }

  /** Gives the text that is still open: nothing follows it here. */
  flush(): void {
    if (this.#state === AT.text || this.#state === AT.raw)
      this.#give(this.#state === AT.raw ? 'raw' : this.#blank ? 'blank' : 'text', this.#position);
  }

  /** Nothing follows. */
  finish(): void {
    if (this.failure !== null) return;
    if (this.#markup === 'html' && this.#state === AT.less) this.#state = AT.text;
    if (this.#state !== AT.text) this.failure = 'the text ends too early';
    else this.flush();
  }

  #step(bytes: Uint8Array, from: number, base: number): number {
    switch (this.#state) {
      case AT.text:
        return this.#markup === 'xml'
          ? this.#inText(bytes, from, base)
          : this.#inLooseText(bytes, from, base);
      case AT.reference:
        return this.#inReference(bytes, from);
      case AT.less:
        return this.#afterLess(bytes, from, base);
      case AT.bang:
        return this.#afterBang(bytes, from);
      case AT.tag:
        return this.#inTag(bytes, from, base);
      case AT.raw:
        return this.#inRaw(bytes, from, base);
      default:
        return this.#inSection(bytes, from, base);
    }
  }

  #inText(bytes: Uint8Array, from: number, base: number): number {
    let at = from;
    const end = bytes.length;
    if (this.#blank) {
      while (at < end && isSpace(bytes[at])) at++;
      if (at === end) return end;
      if (bytes[at] !== LT) this.#blank = false;
    }
    while (at < end) {
      const start = at;
      while (at < end && PLAIN[bytes[at] ?? 0] === 1) at++;
      if (this.#run >= 2 && bytes[start] === GT) return this.#fail('"]]>" stands in a text');
      if (at > start) this.#run = 0;
      if (at === end) return end;
      const byte = bytes[at];
      if (byte === 0x5d) {
        this.#run++;
        at++;
        continue;
      }
      this.#run = 0;
      if (byte === LT) return this.#markupAt(bytes, at, base);
      if (byte !== 0x26) return this.#fail('a control character stands in a text');
      this.#state = AT.reference;
      return at + 1;
    }
    return end;
  }

  #inLooseText(bytes: Uint8Array, from: number, base: number): number {
    const found = bytes.indexOf(LT, from);
    const end = found < 0 ? bytes.length : found;
    for (let at = from; this.#blank && at < end; at++) if (!isSpace(bytes[at])) this.#blank = false;
    return found < 0 ? bytes.length : this.#markupAt(bytes, found, base);
  }

  /**
   * Most tags are all there and plain: they are read in one loop. Whatever is not takes the way
   * through the states, sign by sign.
   */
  #markupAt(bytes: Uint8Array, at: number, base: number): number {
    const first = bytes[at + 1] ?? 0;
    const isTag = first === SLASH || ((first | 0x20) >= 0x61 && (first | 0x20) <= 0x7a);
    if (!isTag) return this.#beginMarkup(at, base);
    const less = base + at;
    let last = first;
    for (let next = at + 2; next < bytes.length; next++) {
      const byte = bytes[next] as number;
      if (byte === GT) {
        if (less > this.#tokenStart) this.#give(this.#blank ? 'blank' : 'text', less);
        this.#isEnd = first === SLASH;
        this.#lastSign = last;
        this.#carry = NO_CARRY;
        this.#giveTag(bytes, next + 1, base);
        return next + 1;
      }
      if (byte === LT) break;
      if ((byte === 0x22 || byte === 0x27) && last === 0x3d) {
        next++;
        while (next < bytes.length && bytes[next] !== byte && bytes[next] !== LT) next++;
        if (bytes[next] !== byte) break;
        last = 0x22;
      } else if (byte > 0x20 || !isSpace(byte)) last = byte;
    }
    return this.#beginMarkup(at, base);
  }

  #beginMarkup(at: number, base: number): number {
    this.#less = base + at;
    this.#state = AT.less;
    this.#carry = NO_CARRY;
    this.#carried = 0;
    return at + 1;
  }

  /** `&name;` or `&#1;`: its form, not its meaning. */
  #inReference(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === 0x3b && this.#run > 0) {
        this.#run = 0;
        this.#state = AT.text;
        return at + 1;
      }
      const fits = isNameByte(byte) || (byte === 0x23 && this.#run === 0);
      if (!fits || ++this.#run > LONGEST_REFERENCE) return this.#fail('"&" does not begin a reference');
    }
    return bytes.length;
  }

  #afterLess(bytes: Uint8Array, from: number, base: number): number {
    const byte = bytes[from] ?? 0;
    const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
    const loose = this.#markup === 'html';
    if (byte !== 0x2f && byte !== 0x21 && byte !== 0x3f && !(loose ? isLetter : isNameStart(byte))) {
      if (!loose) return this.#fail('"<" does not begin a tag');
      this.#blank = false;
      this.#state = AT.text;
      return from;
    }
    if (this.#less > this.#tokenStart) this.#give(this.#blank ? 'blank' : 'text', this.#less);
    this.#run = 0;
    if (byte === 0x21) {
      this.#bang = '';
      this.#state = AT.bang;
      return from + 1;
    }
    if (byte === 0x3f) {
      if (loose) this.#begin('comment', BOGUS_END);
      else this.#begin('instruction', new SignedEnd(0x3f, 1));
      return from + 1;
    }
    this.#state = AT.tag;
    this.#isEnd = byte === 0x2f;
    this.#quote = 0;
    this.#lastSign = byte;
    // The carried bytes begin at the `<`, which may lie in an earlier piece.
    if (this.#less >= base) this.#carry = NO_CARRY;
    return from + 1;
  }

  #afterBang(bytes: Uint8Array, from: number): number {
    const byte = bytes[from] ?? 0;
    const bang = this.#bang + String.fromCharCode(byte).toUpperCase();
    const loose = this.#markup === 'html';
    if (bang === '--') this.#begin('comment', new CommentEnd(this.#markup));
    else if (bang === '[CDATA[') this.#begin('cdata', new SignedEnd(0x5d, 2));
    else if (bang === 'DOCTYPE') this.#begin('doctype', new DoctypeEnd());
    else if (['--', '[CDATA[', 'DOCTYPE'].some((mark) => mark.startsWith(bang))) {
      this.#bang = bang;
    } else if (loose) {
      this.#begin('comment', BOGUS_END);
      return from;
    } else {
      return this.#fail('"<!" begins nothing that is known');
    }
    return from + 1;
  }

  #inTag(bytes: Uint8Array, from: number, base: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#quote !== 0) {
        while (at < bytes.length && bytes[at] !== this.#quote && bytes[at] !== LT) at++;
        if (at === bytes.length) return at;
        if (bytes[at] === this.#quote) this.#quote = 0;
        else if (this.#markup === 'xml') return this.#fail('"<" stands in a value');
        this.#lastSign = 0x22;
        at++;
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte === GT) {
        this.#giveTag(bytes, at + 1, base);
        return at + 1;
      }
      if (byte === LT && this.#markup === 'xml') return this.#fail('"<" stands in a tag');
      if ((byte === 0x22 || byte === 0x27) && this.#lastSign === 0x3d) this.#quote = byte;
      if (!isSpace(byte)) this.#lastSign = byte;
      at++;
    }
    return at;
  }

  #giveTag(bytes: Uint8Array, end: number, base: number): void {
    const most = this.#mostTagBytes;
    const kind = this.#isEnd ? 'end' : 'start';
    if (this.#carry.length === 0) {
      const start = this.#tokenStart - base;
      this.#give(kind, base + end, bytes, start, Math.min(end, start + most));
      return;
    }
    const all = Buffer.concat([...this.#carry, bytes.subarray(0, end)]);
    this.#carry = NO_CARRY;
    this.#carried = 0;
    this.#give(kind, base + end, all, 0, Math.min(all.length, most));
  }

  #carryOn(bytes: Uint8Array): void {
    const part = bytes.subarray(0, Math.max(0, this.#mostTagBytes - this.#carried));
    if (part.length > 0) this.#carry = [...this.#carry, part];
    this.#carried += part.length;
  }

  #begin(kind: XmlTokenKind, end: SectionEnd): void {
    this.#section = { kind, end };
    this.#state = AT.section;
  }

  #inSection(bytes: Uint8Array, from: number, base: number): number {
    const { kind, end } = this.#section;
    const to = end.find(bytes, from);
    if (to === BROKEN) return this.#fail('"--" stands in a comment');
    if (to === NOT_HERE) return bytes.length;
    this.#give(kind, base + to);
    return to;
  }

  #inRaw(bytes: Uint8Array, from: number, base: number): number {
    const at = this.#raw.find(bytes, from);
    return at === NOT_HERE ? bytes.length : this.#endRaw(at, base);
  }

  /** The end tag begins before `at`, and perhaps in an earlier piece. */
  #endRaw(at: number, base: number): number {
    const { mark } = this.#raw;
    const less = base + at - mark.length;
    if (less > this.#tokenStart) this.#give('raw', less);
    this.#state = AT.tag;
    this.#isEnd = true;
    this.#quote = 0;
    this.#lastSign = 0;
    this.#carry = less < base ? [Buffer.from(mark.slice(0, base - less), 'latin1')] : NO_CARRY;
    this.#carried = this.#carry[0]?.length ?? 0;
    return at;
  }

  #give(kind: XmlTokenKind, to: number, bytes: Uint8Array = EMPTY, start = 0, end = 0): void {
    const from = this.#tokenStart;
    this.#tokenStart = to;
    this.#state = AT.text;
    this.#blank = true;
    this.#run = 0;
    if (to > from) this.#hooks.token(kind, from, to, bytes, start, end);
  }

  #fail(why: string): number {
    this.failure = why;
    return 0;
  }
}
