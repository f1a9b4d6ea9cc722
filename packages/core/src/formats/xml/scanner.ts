/**
 * Splits XML or HTML into tokens, over bytes in any chunking: tags, text, CDATA sections, comments, instructions, the document type. Tokens
 * follow each other without gaps. It knows where each ends and what may not stand inside it; whether tags match is for others to
 * say. No entity is ever expanded. Memory: one tag, up to `mostTagBytes`. Positions are bytes from the start of the text.
 */

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
  /** A token is complete. `tag` holds the bytes of a start or end tag, of a very long one the beginning; valid during the call. */
  token(kind: XmlTokenKind, from: number, to: number, tag: Uint8Array): void;
}

export type Markup = 'xml' | 'html';

/** What is being read. */
const AT = {
  text: 0,
  reference: 1,
  less: 2,
  bang: 3,
  tag: 4,
  comment: 5,
  cdata: 6,
  instruction: 7,
  doctype: 8,
  raw: 9,
  bogus: 10,
} as const;

/** Inside a document type. */
const IN = { plain: 0, quoted: 1, comment: 2, instruction: 3 } as const;

const LT = 0x3c;
const GT = 0x3e;
const LONGEST_REFERENCE = 256;
const EMPTY = new Uint8Array(0);
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
  /** How much of the current reference, of `]]`, of `--` has been read. */
  #run = 0;
  /** Where the `<` is that may begin markup. */
  #less = 0;
  #bang = '';
  #isEnd = false;
  #quote = 0;
  #lastSign = 0;
  #carry: Uint8Array[] = [];
  #carried = 0;
  #brackets = 0;
  #inDoctype: number = IN.plain;
  #lately = '';
  #rawEnd = '';
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

  /** Where a `<` is that may or may not end this token: the answer has not arrived; otherwise the same as `tokenStart`. */
  get undecided(): number {
    const open = this.#state === AT.less || (this.#state === AT.raw && this.#run > 0);
    return open ? this.#less : this.#tokenStart;
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

  /** What follows is the inside of that element, up to its end tag. Called from the hook, at its start tag. */
  rawUntil(name: string): void {
    this.#rawEnd = `</${name}`;
    this.#state = AT.raw;
    this.#run = 0;
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
      case AT.comment:
        return this.#inComment(bytes, from, base);
      case AT.cdata:
        return this.#inSection(bytes, from, base, 0x5d, 2, 'cdata');
      case AT.instruction:
        return this.#inSection(bytes, from, base, 0x3f, 1, 'instruction');
      case AT.doctype:
        return this.#inDocumentType(bytes, from, base);
      case AT.raw:
        return this.#inRaw(bytes, from, base);
      default:
        return this.#inBogus(bytes, from, base);
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
      if (byte === LT) return this.#beginMarkup(at, base);
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
    return found < 0 ? bytes.length : this.#beginMarkup(found, base);
  }

  #beginMarkup(at: number, base: number): number {
    this.#less = base + at;
    this.#state = AT.less;
    this.#carry = [];
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
      this.#state = loose ? AT.bogus : AT.instruction;
      return from + 1;
    }
    this.#state = AT.tag;
    this.#isEnd = byte === 0x2f;
    this.#quote = 0;
    this.#lastSign = byte;
    // The carried bytes begin at the `<`, which may lie in an earlier piece.
    if (this.#less >= base) this.#carry = [];
    return from + 1;
  }

  #afterBang(bytes: Uint8Array, from: number): number {
    const byte = bytes[from] ?? 0;
    const bang = this.#bang + String.fromCharCode(byte).toUpperCase();
    const loose = this.#markup === 'html';
    if (bang === '--') {
      this.#state = AT.comment;
      this.#run = loose ? 2 : 0;
    } else if (bang === '[CDATA[') {
      this.#state = AT.cdata;
      this.#run = 0;
    } else if (bang === 'DOCTYPE') {
      this.#state = AT.doctype;
      this.#brackets = 0;
      this.#inDoctype = IN.plain;
      this.#lately = '';
    } else if (['--', '[CDATA[', 'DOCTYPE'].some((mark) => mark.startsWith(bang))) {
      this.#bang = bang;
    } else if (loose) {
      this.#state = AT.bogus;
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
        const tag = this.#tagBytes(bytes, at + 1, base);
        this.#give(this.#isEnd ? 'end' : 'start', base + at + 1, tag);
        return at + 1;
      }
      if (byte === LT && this.#markup === 'xml') return this.#fail('"<" stands in a tag');
      if ((byte === 0x22 || byte === 0x27) && this.#lastSign === 0x3d) this.#quote = byte;
      if (!isSpace(byte)) this.#lastSign = byte;
      at++;
    }
    return at;
  }

  #tagBytes(bytes: Uint8Array, end: number, base: number): Uint8Array {
    const most = this.#mostTagBytes;
    if (this.#carry.length === 0) {
      const start = this.#tokenStart - base;
      return bytes.subarray(start, Math.min(end, start + most));
    }
    const all = Buffer.concat([...this.#carry, bytes.subarray(0, end)]);
    this.#carry = [];
    this.#carried = 0;
    return all.subarray(0, most);
  }

  #carryOn(bytes: Uint8Array): void {
    const part = bytes.subarray(0, Math.max(0, this.#mostTagBytes - this.#carried));
    if (part.length > 0) this.#carry.push(part);
    this.#carried += part.length;
  }

  #inComment(bytes: Uint8Array, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#run === 0) {
        at = bytes.indexOf(0x2d, at);
        if (at < 0) return bytes.length;
      }
      const byte = bytes[at];
      if (byte === 0x2d) {
        this.#run++;
      } else if (byte === GT && (this.#run === 2 || (this.#run > 2 && this.#markup === 'html'))) {
        this.#give('comment', base + at + 1);
        return at + 1;
      } else {
        if (this.#run >= 2 && this.#markup === 'xml') return this.#fail('"--" stands in a comment');
        this.#run = 0;
      }
    }
    return bytes.length;
  }

  /** Up to so many signs in a row and a `>`. */
  #inSection(
    bytes: Uint8Array,
    from: number,
    base: number,
    sign: number,
    many: number,
    kind: XmlTokenKind,
  ): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#run === 0) {
        at = bytes.indexOf(sign, at);
        if (at < 0) return bytes.length;
      }
      const byte = bytes[at];
      if (byte === GT && this.#run >= many) {
        this.#give(kind, base + at + 1);
        return at + 1;
      }
      this.#run = byte === sign ? this.#run + 1 : 0;
    }
    return bytes.length;
  }

  /** An internal subset may hold `>`, quotes and comments with quotes; its declarations are only text here. */
  #inDocumentType(bytes: Uint8Array, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#inDoctype === IN.quoted) {
        at = bytes.indexOf(this.#quote, at);
        if (at < 0) return bytes.length;
        this.#inDoctype = IN.plain;
        this.#lately = '';
        continue;
      }
      this.#lately = (this.#lately + String.fromCharCode(byte)).slice(-4);
      if (this.#inDoctype === IN.comment) {
        if (this.#lately.endsWith('-->')) this.#inDoctype = IN.plain;
      } else if (this.#inDoctype === IN.instruction) {
        if (this.#lately.endsWith('?>')) this.#inDoctype = IN.plain;
      } else if (byte === 0x22 || byte === 0x27) {
        this.#inDoctype = IN.quoted;
        this.#quote = byte;
      } else if (this.#lately === '<!--') {
        this.#inDoctype = IN.comment;
        this.#lately = '';
      } else if (this.#lately.endsWith('<?')) {
        this.#inDoctype = IN.instruction;
      } else if (byte === 0x5b) {
        this.#brackets++;
      } else if (byte === 0x5d) {
        this.#brackets--;
      } else if (byte === GT && this.#brackets <= 0) {
        this.#give('doctype', base + at + 1);
        return at + 1;
      }
    }
    return bytes.length;
  }

  #inRaw(bytes: Uint8Array, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#run === 0) {
        at = bytes.indexOf(LT, at);
        if (at < 0) return bytes.length;
        this.#less = base + at;
      }
      const byte = bytes[at] ?? 0;
      if (this.#run === this.#rawEnd.length) {
        if (isSpace(byte) || byte === GT || byte === 0x2f) return this.#endRaw(at, base);
        this.#run = 0;
      } else if (lower(byte) === this.#rawEnd.charCodeAt(this.#run)) {
        this.#run++;
        continue;
      } else {
        this.#run = 0;
      }
      if (byte === LT) at--;
    }
    return bytes.length;
  }

  #endRaw(at: number, base: number): number {
    if (this.#less > this.#tokenStart) this.#give('raw', this.#less);
    this.#state = AT.tag;
    this.#isEnd = true;
    this.#quote = 0;
    this.#lastSign = 0;
    this.#carry = this.#less < base ? [Buffer.from(this.#rawEnd.slice(0, base - this.#less), 'latin1')] : [];
    this.#carried = this.#carry[0]?.length ?? 0;
    return at;
  }

  /** HTML forgives `<?` and `<!` of any kind: up to the next `>` it is a comment. */
  #inBogus(bytes: Uint8Array, from: number, base: number): number {
    const end = bytes.indexOf(GT, from);
    if (end < 0) return bytes.length;
    this.#give('comment', base + end + 1);
    return end + 1;
  }

  #give(kind: XmlTokenKind, to: number, tag: Uint8Array = EMPTY): void {
    const from = this.#tokenStart;
    this.#tokenStart = to;
    this.#state = AT.text;
    this.#blank = true;
    this.#run = 0;
    if (to > from) this.#hooks.token(kind, from, to, tag);
  }

  #fail(why: string): number {
    this.failure = why;
    return 0;
  }
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}

/** Letters, digits, `.`, `-`, `_`, `:` and all that is not ASCII. */
export function isNameByte(byte: number): boolean {
  return isNameStart(byte) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2e;
}

export function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}
