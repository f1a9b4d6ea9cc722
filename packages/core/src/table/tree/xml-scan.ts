/**
 * A scanner of XML and HTML over bytes in any chunking: it tells a sink of every node in one pass and
 * without recursion. XML must be well-formed, but entities are not expanded and declarations are not
 * read. HTML may leave end tags out; if too many have to be guessed, that is a failure too. White
 * space between tags is no node: it is the `pad` of what follows. Memory: two numbers a level, one
 * name, and the end of a chunk that cuts a token. Bytes above 0x7F count as letters.
 */
import { html } from './html-rules.ts';
import { isSpace, Kind, PRIME, SEED, TreeScanner, type TreeSink } from './tree-sink.ts';

/** What is read: XML must be well-formed, HTML may leave end tags out. */
export type Markup = 'xml' | 'html';

/** What is being read. */
const AT = { text: 0, tag: 1, value: 2, section: 3, type: 4 } as const;

/** Deeper nesting is taken for broken: a table cannot drop rows that are open. */
const MOST_LEVELS = 100_000;
const LONGEST_NAME = 1_000;
const LONGEST_END_TAG = 4_096;
/** Between the name of an attribute and its value, and a value without quotes. */
const LONGEST_PLAIN = 65_536;
const LONGEST_REFERENCE = 258;
/** Bytes of a text that its hash covers. */
const HASHED = 32;
/** More attributes are not compared with each other. */
const MOST_COMPARED = 256;
/** Guesses that are always forgiven in HTML; beyond, one in so many tags. */
const FORGIVEN = 8;
const FORGIVEN_SHARE = 20;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const PREDEFINED = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/** By byte: 1 for what may be in a name, 2 for what may begin one as well. */
const NAME = new Uint8Array(256)
  .fill(1, 0x2d, 0x2f)
  .fill(1, 0x30, 0x3a)
  .fill(2, 0x3a, 0x3b)
  .fill(2, 0x41, 0x5b)
  .fill(2, 0x5f, 0x60)
  .fill(2, 0x61, 0x7b)
  .fill(2, 0x80);
/** HTML takes all but white space, `=`, `>` and `/`. */
const LOOSE_NAME = without(new Uint8Array(256).fill(2), '\t\n\v\f\r =>/');
const PLAIN = without(new Uint8Array(256).fill(1, 0x20, 0x80).fill(1, 9, 11).fill(1, 13, 14), '<&]');
const LOOSE = without(new Uint8Array(256).fill(1, 0, 0x80), '<');
/** The same inside of quotes, by the quote. */
const QUOTED: Readonly<Record<Markup, Readonly<Record<number, Uint8Array>>>> = {
  xml: { 34: PLAIN.with(0x22, 0), 39: PLAIN.with(0x27, 0) },
  html: { 34: LOOSE.with(0x22, 0), 39: LOOSE.with(0x27, 0) },
};

/** The scanner; `push` takes the next bytes, `finish` tells that nothing follows. */
export class XmlScan extends TreeScanner {
  readonly #isHtml: boolean;
  #state: number = AT.text;
  /** Open elements: a hash of the name in lower case, and one of the name as written. */
  readonly #names: number[] = [];
  readonly #exact: number[] = [];
  /** Attributes of the tag that is read. */
  readonly #attributes: number[] = [];
  /** A key that a chunk cut off from its value. */
  #key: Uint8Array | null = null;
  #nameExact = 0;
  /** Of the text or value that is read: chars that are fewer than bytes, and how far it is hashed. */
  #fewer = 0;
  #hashedTo = 0;
  #isBlank = true;
  #hasBreak = false;
  #quote = 0;
  #closing = '';
  #brackets = 0;
  /** Whether the inside of the open element is no markup. */
  #isRaw = false;
  #hasRoot = false;
  #hasType = false;
  #tags = 0;
  #guesses = 0;

  constructor(sink: TreeSink, markup: Markup) {
    super(sink);
    this.#isHtml = markup === 'html';
  }

  get openString(): number {
    return this.#state === AT.text || this.#state === AT.tag ? this.from : this.start;
  }

  /** The name of the element or attribute at hand. */
  key(): Uint8Array {
    const at = this.keyAt - this.base;
    return this.#key ?? this.window.subarray(at, at + this.keyBytes);
  }

  protected override skipMark(): number {
    this.from = super.skipMark();
    return this.from;
  }

  protected leave(): void {
    if (this.#state === AT.value) this.#key ??= this.key().slice();
  }

  finish(): void {
    if (this.failure !== null) return;
    const rest = Buffer.from(this.carry).toString('latin1');
    const isOpen = rest !== '' && rest !== '\r' && !(this.#isHtml && rest === '<');
    if (this.#state !== AT.text || isOpen || this.#isRaw) {
      this.failure = 'the text ends too early';
      return;
    }
    if (rest === '<') this.#isBlank = false;
    const end = this.base + rest.length;
    this.#endText(end);
    if (this.failure !== null) return;
    if (this.#isHtml) {
      this.#closeTo(0, end);
      if (this.#tags === 0) this.failure = 'it has no elements';
      else if (this.#guesses > FORGIVEN + this.#tags / FORGIVEN_SHARE)
        this.failure = 'its nesting cannot be understood';
    } else if (this.depth > 0 || !this.#hasRoot) this.failure = 'the text ends too early';
  }

  protected step(bytes: Uint8Array, at: number): number {
    switch (this.#state) {
      case AT.text:
        return this.#text(bytes, at);
      case AT.tag:
        return this.#tag(bytes, at);
      case AT.value:
        return this.#value(bytes, at);
      case AT.type:
        return this.#type(bytes, at);
      default:
        return this.#section(bytes, at);
    }
  }

  /** A unit begins: nothing is known of it. */
  #begin(at: number): void {
    this.#state = AT.text;
    this.from = at;
    this.pad = 0;
    this.#fewer = 0;
    this.#isBlank = true;
    this.#hasBreak = false;
    this.hasEntity = false;
  }

  #text(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#isBlank) {
      at = this.#blank(bytes, at);
      if (at < 0 || at === bytes.length) return at;
      if (bytes[at] !== LT) this.#beginText(this.base + at);
    }
    if (bytes[at] !== LT || !this.#isBlank) {
      at = this.#run(bytes, at, LT, this.#isHtml ? LOOSE : PLAIN);
      if (at < 0 || at === bytes.length || this.failure !== null) return at;
    }
    return this.#markup(bytes, at);
  }

  #beginText(at: number): void {
    this.#isBlank = false;
    this.hash = SEED;
    this.#hashedTo = at + HASHED;
  }

  /** White space: of it one line end is shown, or its first character. */
  #blank(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && isSpace(bytes[at] as number)) {
      if (this.pad === 0) this.pad = 1;
      const byte = bytes[at] as number;
      if (byte === 0x0d && !this.#hasBreak) {
        if (at + 1 === bytes.length) return -at - 1;
        if (bytes[at + 1] === 0x0a) this.pad = 2;
      }
      if (byte === 0x0a || byte === 0x0d) this.#hasBreak = true;
      at++;
    }
    return at;
  }

  /** Characters up to `stop`. */
  #run(bytes: Uint8Array, from: number, stop: number, plain: Uint8Array): number {
    const { length } = bytes;
    const hashedTo = this.#hashedTo - this.base;
    let { hash } = this;
    let at = from;
    for (;;) {
      const few = hashedTo < length ? hashedTo : length;
      while (at < few && plain[bytes[at] as number] === 1)
        hash = Math.imul(hash ^ ((bytes[at++] as number) | 0x20), PRIME);
      if (at >= hashedTo) while (at < length && plain[bytes[at] as number] === 1) at++;
      const byte = at < length ? (bytes[at] as number) : -1;
      if (byte >= 0x80) {
        if (byte < 0xc0) this.#fewer++;
        else if (byte >= 0xf0) this.#fewer--;
        if (at < hashedTo) hash = Math.imul(hash ^ byte, PRIME);
        at++;
        continue;
      }
      this.hash = hash;
      if (byte === stop || byte < 0) return at;
      const next = this.#special(bytes, at, byte, stop === LT ? 'text' : 'value');
      if (next < 0 || this.failure !== null) return next;
      if (at < hashedTo) hash = Math.imul(hash ^ byte, PRIME);
      at = next;
    }
  }

  /** What is not plain inside of a text or value. */
  #special(bytes: Uint8Array, at: number, byte: number, where: 'text' | 'value'): number {
    if (this.#isHtml) return at + 1;
    if (byte === 0x5d) {
      if (where === 'value') return at + 1;
      if (at + 2 >= bytes.length && (bytes[at + 1] ?? 0x5d) === 0x5d) return -at - 1;
      if (bytes[at + 1] !== 0x5d || bytes[at + 2] !== GT) return at + 1;
      return this.fail('"]]>" stands in a text', at);
    }
    if (byte === LT) return this.fail('"<" stands in a value', at);
    if (byte !== 0x26) return this.fail(`a control character stands in a ${where}`, at);
    let end = at + 1;
    if (bytes[end] === 0x23) end++;
    while (end < bytes.length && (NAME[bytes[end] as number] as number) > 0) end++;
    if (end - at > LONGEST_REFERENCE || (end < bytes.length && (bytes[end] !== 0x3b || end === at + 1)))
      return this.fail('"&" does not begin a reference', at);
    if (end >= bytes.length) return -at - 1;
    const name = bytes.subarray(at + 1, end);
    if (name[0] !== 0x23 && !PREDEFINED.has(Buffer.from(name).toString('latin1'))) this.hasEntity = true;
    for (let i = 0; i < name.length; i++) if (((name[i] as number) & 0xc0) === 0x80) this.#fewer++;
    return end + 1;
  }

  /** At `<`, which ends a text unless HTML means it as such. */
  #markup(bytes: Uint8Array, at: number): number {
    const next = bytes[at + 1];
    if (next === undefined) return -at - 1;
    const isLetter = (next | 0x20) >= 0x61 && (next | 0x20) <= 0x7a;
    if (this.#isRaw || (this.#isHtml && !isLetter && next !== SLASH && next !== 0x21 && next !== 0x3f)) {
      const isEnd = this.#isRaw ? this.#endsRaw(bytes, at) : 'no';
      if (isEnd === 'unknown') return -at - 1;
      if (isEnd === 'no') {
        if (this.#isBlank) this.#beginText(this.base + at);
        return at + 1;
      }
      this.#isRaw = false;
    }
    if (next === SLASH) return this.#endTag(bytes, at);
    if (next === 0x21) return this.#declaration(bytes, at);
    if (next === 0x3f) {
      this.#beginSection(at, this.#isHtml ? Kind.comment : Kind.instruction, this.#isHtml ? '>' : '?>');
      return at + 2;
    }
    return this.#startTag(bytes, at);
  }

  /** Whether the end tag of the element whose inside is no markup begins here. */
  #endsRaw(bytes: Uint8Array, at: number): 'yes' | 'no' | 'unknown' {
    if (bytes[at + 1] !== SLASH) return 'no';
    let name = SEED;
    let end = at + 2;
    while (end < bytes.length && LOOSE_NAME[bytes[end] as number] === 2 && end - at < 32)
      name = Math.imul(name ^ ((bytes[end++] as number) | 0x20), PRIME);
    if (end === bytes.length) return 'unknown';
    return name === this.#names[this.depth - 1] ? 'yes' : 'no';
  }

  /** The text before markup is over. */
  #endText(at: number): void {
    if (this.#isBlank) return;
    if (!this.#isHtml && this.depth === 0) {
      this.failure = 'something stands outside of the root element';
      return;
    }
    this.start = this.from;
    this.pad = 0;
    this.#leaf(Kind.text, at);
  }

  #leaf(kind: number, end: number): void {
    this.kind = kind;
    this.name = 0;
    this.keyBytes = 0;
    this.keyChars = 0;
    this.end = end;
    this.chars = end - this.start - this.#fewer;
    this.sink.leaf(this);
    this.#begin(end);
  }

  /** Comments, CDATA sections and document types. */
  #declaration(bytes: Uint8Array, at: number): number {
    const size = Math.min(9, bytes.length - at);
    const head = Buffer.from(bytes.subarray(at, at + size))
      .toString('latin1')
      .toUpperCase();
    if (head.startsWith('<!--')) {
      this.#beginSection(at, Kind.comment, this.#isHtml ? '-->' : '--');
      return at + (this.#isHtml ? 2 : 4);
    }
    if (head === '<![CDATA[') {
      if (this.depth === 0 && !this.#isHtml)
        return this.fail('something stands outside of the root element', at);
      this.#beginSection(at, Kind.cdata, ']]>');
      return at + 9;
    }
    if (head === '<!DOCTYPE') {
      if (!this.#isHtml && (this.#hasRoot || this.#hasType))
        return this.fail('something stands outside of the root element', at);
      this.#hasType = true;
      this.#beginSection(at, Kind.instruction, '');
      this.#state = AT.type;
      this.#brackets = 0;
      return at + 9;
    }
    if (['<!--', '<![CDATA[', '<!DOCTYPE'].some((mark) => mark.startsWith(head))) return -at - 1;
    if (!this.#isHtml) return this.fail('"<!" begins nothing that is known', at);
    this.#beginSection(at, Kind.comment, '>');
    return at + 2;
  }

  #beginSection(at: number, kind: number, closing: string): void {
    this.#endText(this.base + at);
    this.start = this.base + at;
    this.kind = kind;
    this.hash = kind;
    this.#fewer = 0;
    this.#closing = closing;
    this.#state = AT.section;
  }

  #section(bytes: Uint8Array, from: number): number {
    const closing = this.#closing;
    const found = indexOf(bytes, closing, from);
    const isStrict = closing === '--';
    if (found < 0) {
      const rest = Math.max(from, bytes.length - closing.length + 1);
      this.#count(bytes, from, rest);
      return -rest - 1;
    }
    if (isStrict && found + 2 === bytes.length) {
      this.#count(bytes, from, found);
      return -found - 1;
    }
    if (isStrict && bytes[found + 2] !== GT) return this.fail('"--" stands in a comment', found);
    this.#count(bytes, from, found);
    const end = found + closing.length + (isStrict ? 1 : 0);
    this.#leaf(this.kind, this.base + end);
    return end;
  }

  /** A document type: its internal subset may hold `>`, quotes and comments with quotes. */
  #type(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#closing !== '') {
        const found = indexOf(bytes, this.#closing, at);
        const to = found < 0 ? Math.max(at, bytes.length - this.#closing.length + 1) : found;
        this.#count(bytes, at, to);
        if (found < 0) return -to - 1;
        at = found + this.#closing.length - 1;
        this.#closing = '';
        continue;
      }
      const byte = bytes[at] as number;
      this.#count(bytes, at, at + 1);
      if (byte === 0x22 || byte === 0x27) this.#closing = String.fromCharCode(byte);
      else if (byte === LT) {
        if (bytes.length - at < 4) return -at - 1;
        const head = Buffer.from(bytes.subarray(at, at + 4)).toString('latin1');
        if (head === '<!--') this.#closing = '-->';
        else if (head.startsWith('<?')) this.#closing = '?>';
        if (this.#closing !== '') at += this.#closing.length;
      } else if (byte === 0x5b) this.#brackets++;
      else if (byte === 0x5d) this.#brackets--;
      else if (byte === GT && this.#brackets <= 0) {
        this.#leaf(Kind.instruction, this.base + at + 1);
        return at + 1;
      }
    }
    return bytes.length;
  }

  /** Chars that are fewer than bytes. */
  #count(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte < 0x80) continue;
      if (byte < 0xc0) this.#fewer++;
      else if (byte >= 0xf0) this.#fewer--;
    }
  }

  /** Reads a name: its end, or -1 - at where it is not over. `local`: the part behind its prefix. */
  #readName(bytes: Uint8Array, from: number): number {
    const allowed = this.#isHtml ? LOOSE_NAME : NAME;
    let local = SEED;
    let exact = SEED;
    let at = from;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (allowed[byte] === 0) break;
      local = byte === 0x3a && !this.#isHtml ? SEED : Math.imul(local ^ (byte | 0x20), PRIME);
      exact = (Math.imul(exact ^ byte, 0x5bd1e995) + byte) | 0;
    }
    if (at - from > LONGEST_NAME) return this.fail('a name is too long', at);
    if (at === bytes.length) return -at - 1;
    this.#nameExact = exact;
    this.name = local;
    return at;
  }

  #startTag(bytes: Uint8Array, at: number): number {
    if (!this.#isHtml && NAME[bytes[at + 1] as number] !== 2)
      return this.fail('"<" does not begin a tag', at);
    const end = this.#readName(bytes, at + 1);
    if (end < 0) return -at - 1;
    if (this.failure !== null) return at;
    const { name } = this;
    const from = this.base + at;
    this.#endText(from);
    if (this.failure !== null) return at;
    this.#tags++;
    if (this.#isHtml) this.#closeTo(html.endedBy(name, this.#names, this.depth), from);
    else if (this.depth === 0 && this.#hasRoot) return this.fail('there are two root elements', at);
    if (this.depth === MOST_LEVELS) return this.fail('it is nested too deep', at);
    this.#hasRoot = true;
    this.#attributes.length = 0;
    this.#key = null;
    this.kind = Kind.element;
    this.name = name;
    this.start = from;
    this.end = this.base + end;
    this.keyAt = from + 1;
    this.keyBytes = end - at - 1;
    this.keyChars = 0;
    this.#fewer = 0;
    this.#count(bytes, at, end);
    this.chars = end - at - this.#fewer;
    this.sink.open(this);
    this.#exact[this.depth] = this.#nameExact;
    this.#names[this.depth++] = name;
    this.#begin(this.base + end);
    this.#state = AT.tag;
    return end;
  }

  /** Between attributes. */
  #tag(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && isSpace(bytes[at] as number)) at++;
    if (at === bytes.length) return at;
    const byte = bytes[at] as number;
    if (byte === GT) return this.#tagEnd(at + 1, false);
    if (byte === SLASH) {
      if (at + 1 === bytes.length) return -at - 1;
      if (bytes[at + 1] === GT) return this.#tagEnd(at + 2, true);
      return this.#isHtml ? at + 1 : this.fail('a tag is not complete', at);
    }
    if (!this.#isHtml) {
      if (byte === LT) return this.fail('"<" stands in a tag', at);
      if (NAME[byte] !== 2) return this.fail('a name is missing', at);
      if (this.base + at === this.from) return this.fail('a space is missing between attributes', at);
    }
    return this.#attribute(bytes, at);
  }

  /** The name of an attribute and what stands before its value. */
  #attribute(bytes: Uint8Array, from: number): number {
    const isWaiting = (at: number) => at === bytes.length && at - from < LONGEST_PLAIN;
    const nameEnd = bytes[from] === 0x3d ? from + 1 : this.#readName(bytes, from);
    if (nameEnd < 0) return -from - 1;
    if (this.failure !== null) return from;
    let at = nameEnd;
    while (at < bytes.length && isSpace(bytes[at] as number)) at++;
    if (isWaiting(at)) return -from - 1;
    const isBare = bytes[at] !== 0x3d;
    if (isBare && !this.#isHtml) return this.fail('a value has no quotes', at);
    if (!isBare) at++;
    while (!isBare && at < bytes.length && isSpace(bytes[at] as number)) at++;
    if (isWaiting(at)) return -from - 1;
    if (at >= bytes.length) return this.fail('a tag is too long', from);
    const quote = bytes[at] as number;
    const isQuoted = !isBare && (quote === 0x22 || quote === 0x27);
    if (!isQuoted && !this.#isHtml) return this.fail('a value has no quotes', at);
    this.#key = null;
    this.keyAt = this.base + from;
    this.keyBytes = nameEnd - from;
    this.#fewer = 0;
    this.#count(bytes, from, nameEnd);
    this.start = this.base + (isBare ? nameEnd : isQuoted ? at + 1 : at);
    this.keyChars = this.start - this.from - this.#fewer + (isQuoted ? 1 : 0);
    this.#fewer = 0;
    this.hash = SEED;
    this.hasEntity = false;
    this.#hashedTo = this.start + HASHED;
    if (isQuoted) {
      this.#state = AT.value;
      this.#quote = quote;
      return at + 1;
    }
    let end = isBare ? nameEnd : at;
    if (!isBare)
      while (end < bytes.length && !isSpace(bytes[end] as number) && bytes[end] !== GT)
        this.hash = Math.imul(this.hash ^ ((bytes[end++] as number) | 0x20), PRIME);
    if (isWaiting(end)) return -from - 1;
    if (end === bytes.length) return this.fail('a tag is too long', from);
    this.#count(bytes, at, end);
    this.#attributeOver(this.base + end, 0);
    return end;
  }

  #value(bytes: Uint8Array, from: number): number {
    const at = this.#run(
      bytes,
      from,
      this.#quote,
      QUOTED[this.#isHtml ? 'html' : 'xml'][this.#quote] as Uint8Array,
    );
    if (at < 0 || at === bytes.length || this.failure !== null) return at;
    const key = this.name * 0x200000 + (this.#nameExact >>> 11);
    if (!this.#isHtml && this.#attributes.includes(key)) return this.fail('an attribute is there twice', at);
    if (this.#attributes.length < MOST_COMPARED) this.#attributes.push(key);
    this.#attributeOver(this.base + at, 1);
    return at + 1;
  }

  #attributeOver(end: number, quote: number): void {
    this.kind = Kind.attribute;
    this.end = end;
    this.chars = end - this.start - this.#fewer;
    this.pad = 0;
    this.sink.leaf(this);
    this.#begin(end + quote);
    this.#state = AT.tag;
  }

  #tagEnd(at: number, isSlashed: boolean): number {
    const name = this.#names[this.depth - 1] as number;
    this.end = this.base + at;
    this.chars = this.end - this.from;
    this.sink.content?.(this);
    this.#begin(this.end);
    if (this.#isHtml ? html.isEmpty(name, isSlashed) : isSlashed) this.#close(this.end, this.end, 0);
    else this.#isRaw = this.#isHtml && html.isRaw(name);
    return at;
  }

  #endTag(bytes: Uint8Array, at: number): number {
    const nameEnd = this.#readName(bytes, at + 2);
    if (this.failure !== null) return at;
    let gt = nameEnd < 0 ? bytes.length : nameEnd;
    while (gt < bytes.length && bytes[gt] !== GT && (this.#isHtml || isSpace(bytes[gt] as number))) gt++;
    if (gt - at > LONGEST_END_TAG) return this.fail('an end tag is too long', at);
    if (gt === bytes.length) return -at - 1;
    if (bytes[gt] !== GT) return this.fail('an end tag is not complete', at);
    const { name } = this;
    const from = this.base + at;
    this.#endText(from);
    if (this.failure !== null) return at;
    this.#tags++;
    this.#fewer = 0;
    this.#count(bytes, at, gt);
    const chars = gt + 1 - at - this.#fewer;
    if (this.#isHtml) {
      const level = html.closedBy(name, this.#names, this.depth);
      if (level < 0) {
        this.#guesses++;
        this.start = from;
        this.hash = Kind.comment;
        this.#leaf(Kind.comment, this.base + gt + 1);
        return gt + 1;
      }
      this.#closeTo(level + 1, from);
    } else {
      const isMatch = this.depth > 0 && this.#exact[this.depth - 1] === this.#nameExact;
      if (!isMatch || this.#names[this.depth - 1] !== name) return this.fail('an end tag does not match', at);
    }
    this.#close(from, this.base + gt + 1, chars);
    return gt + 1;
  }

  /** Ends elements of HTML whose end tags are missing. */
  #closeTo(level: number, at: number): void {
    while (this.depth > level) {
      if (!html.isOptional(this.#names[this.depth - 1] as number)) this.#guesses++;
      this.#close(at, at, 0);
    }
  }

  #close(start: number, end: number, chars: number): void {
    this.depth--;
    this.start = start;
    this.end = end;
    this.chars = chars;
    this.sink.close(this);
    this.#begin(end);
  }
}

function indexOf(bytes: Uint8Array, mark: string, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(mark, from, 'latin1');
}

/** 1 for bytes like that, `high` for those above 0x7F. */
function without(table: Uint8Array, chars: string): Uint8Array {
  for (const byte of Buffer.from(chars)) table[byte] = 0;
  return table;
}
