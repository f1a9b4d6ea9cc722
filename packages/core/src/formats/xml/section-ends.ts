/**
 * Finds the end of what XML and HTML hold between a mark and its closing: comments, CDATA sections,
 * instructions, document types, the inside of a script. Each end is a small state machine that
 * reads bytes in any chunking and remembers only how much of its closing it has seen. `find`
 * returns the place behind the closing, in the bytes that it was given.
 */
import { isSpace, lower } from './bytes.ts';

/** The closing is not in these bytes. */
export const NOT_HERE = -1;
/** Something stands inside that may not. */
export const BROKEN = -2;

export interface SectionEnd {
  find(bytes: Uint8Array, from: number): number;
}

const LT = 0x3c;
const GT = 0x3e;

/** Ends at a number of equal signs in a row and a `>`: `]]>`, `?>`. */
export class SignedEnd implements SectionEnd {
  readonly #sign: number;
  readonly #many: number;
  #run = 0;

  constructor(sign: number, many: number) {
    this.#sign = sign;
    this.#many = many;
  }

  find(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#run === 0) {
        at = bytes.indexOf(this.#sign, at);
        if (at < 0) return NOT_HERE;
      }
      const byte = bytes[at];
      if (byte === GT && this.#run >= this.#many) return at + 1;
      this.#run = byte === this.#sign ? this.#run + 1 : 0;
    }
    return NOT_HERE;
  }
}

/** Ends at `-->`. XML allows no `--` before it; HTML does, and takes `<!-->` for a comment. */
export class CommentEnd implements SectionEnd {
  readonly #loose: boolean;
  #run: number;

  constructor(markup: 'xml' | 'html') {
    this.#loose = markup === 'html';
    this.#run = this.#loose ? 2 : 0;
  }

  find(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#run === 0) {
        at = bytes.indexOf(0x2d, at);
        if (at < 0) return NOT_HERE;
      }
      const byte = bytes[at];
      if (byte === 0x2d) this.#run++;
      else if (byte === GT && (this.#run === 2 || (this.#run > 2 && this.#loose))) return at + 1;
      else if (this.#run >= 2 && !this.#loose) return BROKEN;
      else this.#run = 0;
    }
    return NOT_HERE;
  }
}

/** HTML forgives `<?` and `<!` of any kind: up to the next `>` it is a comment. */
export const BOGUS_END: SectionEnd = {
  find(bytes, from) {
    const end = bytes.indexOf(GT, from);
    return end < 0 ? NOT_HERE : end + 1;
  },
};

const IN = { plain: 0, quoted: 1, comment: 2, instruction: 3 } as const;

/**
 * An internal subset may hold `>`, quotes and comments with quotes; its declarations are only text
 * here.
 */
export class DoctypeEnd implements SectionEnd {
  #inside: number = IN.plain;
  #brackets = 0;
  #quote = 0;
  #lately = '';

  find(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#inside === IN.quoted) {
        at = bytes.indexOf(this.#quote, at);
        if (at < 0) return NOT_HERE;
        this.#inside = IN.plain;
        this.#lately = '';
      } else if (this.#isEnd(bytes[at] ?? 0)) return at + 1;
    }
    return NOT_HERE;
  }

  #isEnd(byte: number): boolean {
    this.#lately = (this.#lately + String.fromCharCode(byte)).slice(-4);
    if (this.#inside === IN.comment) {
      if (this.#lately.endsWith('-->')) this.#inside = IN.plain;
    } else if (this.#inside === IN.instruction) {
      if (this.#lately.endsWith('?>')) this.#inside = IN.plain;
    } else if (byte === 0x22 || byte === 0x27) {
      this.#inside = IN.quoted;
      this.#quote = byte;
    } else if (this.#lately === '<!--') {
      this.#inside = IN.comment;
      this.#lately = '';
    } else if (this.#lately.endsWith('<?')) this.#inside = IN.instruction;
    else if (byte === 0x5b) this.#brackets++;
    else if (byte === 0x5d) this.#brackets--;
    else return byte === GT && this.#brackets <= 0;
    return false;
  }
}

/**
 * The inside of a script or style of HTML ends at its end tag: `find` returns the place behind
 * `</script`.
 */
export class RawEnd implements SectionEnd {
  /** `</` and the name. */
  readonly mark: string;
  /** How much of the mark has been read. */
  matched = 0;

  constructor(name: string) {
    this.mark = `</${name}`;
  }

  find(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.matched === 0) {
        at = bytes.indexOf(LT, at);
        if (at < 0) return NOT_HERE;
      }
      const byte = bytes[at] ?? 0;
      if (this.matched === this.mark.length) {
        if (isSpace(byte) || byte === GT || byte === 0x2f) return at;
        this.matched = 0;
      } else if (lower(byte) === this.mark.charCodeAt(this.matched)) {
        this.matched++;
        continue;
      } else this.matched = 0;
      if (byte === LT) at--;
    }
    return NOT_HERE;
  }
}
