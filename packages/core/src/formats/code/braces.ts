/**
 * How deep in braces a line begins, and whether it begins inside a comment or a text of several
 * lines. Strings of one line are skipped, comments too; what a regular expression or a macro hides
 * from this is set right at the next definition at the margin.
 */
const QUOTES = new Set([34, 39, 96]);

export class BraceDepth {
  readonly #counts: boolean;
  depth = 0;
  #closer: '' | '*/' | '`' | '"""' | "'''" = '';

  constructor(counts: boolean) {
    this.#counts = counts;
  }

  get inText(): boolean {
    return this.#closer !== '';
  }

  reset(): void {
    this.depth = 0;
    this.#closer = '';
  }

  /** A brace closed at the margin closes everything. */
  settle(): void {
    if (this.depth < 0) this.depth = 0;
  }

  line(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#closer !== '') {
        at = this.#findCloser(bytes, at, to);
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte > 125 || (byte > 96 && byte < 123)) at++;
      else if (QUOTES.has(byte)) at = this.#quote(bytes, at, to);
      else if (byte === 47 && this.#counts && bytes[at + 1] === 47) return;
      else if (byte === 35 && !this.#counts) return;
      else if (byte === 47 && this.#counts && bytes[at + 1] === 42) {
        this.#closer = '*/';
        at += 2;
      } else {
        if (this.#counts && byte === 123) this.depth++;
        else if (this.#counts && byte === 125) this.depth--;
        at++;
      }
    }
  }

  #findCloser(bytes: Uint8Array, from: number, to: number): number {
    const closer = this.#closer;
    for (let at = from; at < to; at++) {
      if (bytes[at] === 92) at++;
      else if (matches(bytes, at, to, closer)) {
        this.#closer = '';
        return at + closer.length;
      }
    }
    return to;
  }

  #quote(bytes: Uint8Array, at: number, to: number): number {
    const quote = bytes[at] ?? 0;
    const triple = quote === 34 ? '"""' : "'''";
    if (!this.#counts && quote !== 96 && matches(bytes, at, to, triple)) {
      this.#closer = triple;
      return at + 3;
    }
    if (quote === 96) {
      if (this.#counts) this.#closer = '`';
      return at + 1;
    }
    for (let end = at + 1; end < to; end++) {
      if (bytes[end] === 92) end++;
      else if (bytes[end] === quote) return end + 1;
    }
    // Never closed: a lifetime, an apostrophe.
    return at + 1;
  }
}

function matches(bytes: Uint8Array, at: number, to: number, text: string): boolean {
  if (at + text.length > to) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
