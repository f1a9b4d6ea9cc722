/**
 * Tells what each line of a diff is. The counts in `@@ -1,7 +1,9 @@` say how far a hunk goes, so a
 * deleted line that reads `-- x` is never taken for a header. Outside of hunks only lines that a
 * diff writes are its own; everything else is text.
 */
import type { Line } from '../../model/line-grammar.ts';
import { decode } from '../../text/utf8.ts';

/**
 * `head`: first line of a file; `index`: rest of its header; `hunk`, and `more` of a long one;
 * `text`: between diffs.
 */
type DiffRole = 'head' | 'index' | 'hunk' | 'more' | 'text';

const HUNK = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/;
const COMBINED = /^@@@+ .*@@@/;
const FILE = /^(?:diff --git |diff --cc |diff --combined |diff -|Index: |Only in )/;
const INDEX = /^index [0-9a-f]/;
const EXTENDED =
  /^(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|Binary files |={60}|mode )/;
const LOOKED_AT = 2_000;
const MOST_TEXT_LINES = 20;
const LONG_HUNK_LINES = 20;
const PIECE_LINES = 6;

export class DiffLines {
  role: DiffRole = 'text';
  /** Null until known. */
  path: string | null = null;
  change: '+' | '-' | ' ' = ' ';
  hunks = 0;
  /** Files announced by a line before `---`. */
  announced = 0;
  #announced = false;
  #old = 0;
  #new = 0;
  /** Parents of a combined hunk, one column each; 0 outside. */
  #parents = 0;
  #binary = false;
  #isLong = false;

  /** `textLines`: lines of the text so far. */
  begins(line: Line, textLines: number): boolean {
    this.change = ' ';
    if (this.#inHunk(line)) {
      const isMore = this.#isLong && textLines >= PIECE_LINES;
      if (isMore) this.role = 'more';
      return isMore;
    }
    const first = line.bytes[line.from] ?? 0;
    // Most lines outside of hunks are plain text: only these letters begin a diff line.
    const text = isInformative(first) ? textOf(line) : '';
    if (FILE.test(text)) return this.#head(text);
    if (HUNK.test(text) || COMBINED.test(text)) return this.#hunk(text);
    if (this.role === 'head' || this.role === 'index') return this.#header(text);
    if (text.startsWith('--- ')) return this.#head(text);
    const isInside = this.role === 'hunk' || this.role === 'more';
    if (isInside && (first === 92 || this.#binary)) return false;
    const begins = this.role !== 'text' || textLines >= MOST_TEXT_LINES;
    this.role = 'text';
    if (begins) this.path = null;
    return begins;
  }

  #inHunk({ bytes, from, to }: Line): boolean {
    const first = from < to ? bytes[from] : 32;
    if (this.#parents > 0) {
      const isLine = first === 32 || first === 43 || first === 45 || first === 92;
      if (!isLine) this.#parents = 0;
      for (let at = from; isLine && at < Math.min(to, from + this.#parents); at++)
        if (bytes[at] === 43 || bytes[at] === 45) this.change = bytes[at] === 43 ? '+' : '-';
      return isLine;
    }
    if (this.#old <= 0 && this.#new <= 0) return false;
    if (first === 43) {
      this.change = '+';
      this.#new--;
    } else if (first === 45) {
      this.change = '-';
      this.#old--;
    } else if (first === 32) {
      this.#old--;
      this.#new--;
    } else if (first !== 92) {
      this.#old = 0;
      this.#new = 0;
      return false;
    }
    return true;
  }

  #head(text: string): boolean {
    this.role = 'head';
    this.#announced = !text.startsWith('--- ');
    if (this.#announced) this.announced++;
    this.#binary = false;
    this.path = pathOf(text);
    return true;
  }

  #header(text: string): boolean {
    const isOld = text.startsWith('--- ');
    // Unannounced: each `---` may be the head of a file.
    if (isOld && this.role === 'head' && !this.#announced) return this.#head(text);
    if (isOld || text.startsWith('+++ ')) {
      const path = pathOf(text);
      if (path !== null && path !== '/dev/null') this.path = path;
      return isOld && this.role === 'head' ? this.#rest() : false;
    }
    if (INDEX.test(text)) return this.role === 'head' ? this.#rest() : false;
    if (text.startsWith('GIT binary patch')) return this.#patch();
    if (EXTENDED.test(text)) return false;
    this.role = 'text';
    this.path = null;
    return true;
  }

  #rest(): boolean {
    this.role = 'index';
    return true;
  }

  #hunk(text: string): boolean {
    const found = HUNK.exec(text);
    this.#old = found === null ? 0 : Number(found[2] ?? 1);
    this.#new = found === null ? 0 : Number(found[4] ?? 1);
    this.#parents = found === null ? (/^@+/.exec(text)?.[0].length ?? 3) - 1 : 0;
    this.#isLong = Math.max(this.#old, this.#new) > LONG_HUNK_LINES;
    this.role = 'hunk';
    this.#binary = false;
    this.hunks++;
    return true;
  }

  #patch(): boolean {
    this.role = 'hunk';
    this.#binary = true;
    this.hunks++;
    return true;
  }
}

function isInformative(byte: number): boolean {
  // @ + - and the letters that header lines begin with, '=' included.
  return byte === 64 || byte === 43 || byte === 45 || byte === 61 || (byte >= 65 && byte <= 122);
}

function textOf({ bytes, from, to }: Line): string {
  return decode(bytes.subarray(from, Math.min(to, from + LOOKED_AT)));
}

/** The new path of a rename. */
function pathOf(text: string): string | null {
  const git = /^diff --git "?a\//.test(text) ? / "?b\/([\s\S]*)/.exec(text)?.[1] : undefined;
  if (git !== undefined) return half(text) ?? git.replace(/"$/, '');
  const marked =
    /^(?:\+\+\+|---) "?(?:[abciow]\/)?([^\t"]+)/.exec(text) ??
    /^(?:Index: |diff --cc |diff --combined )(.+)$/.exec(text);
  if (marked !== null) return marked[1] ?? null;
  return /^diff -.* (\S+)$/.exec(text)?.[1] ?? null;
}

/** The halves of `a/x b/x` are equal unless renamed, also with blanks. */
function half(text: string): string | null {
  const names = text.slice('diff --git '.length);
  const middle = (names.length - 1) / 2;
  const one = names.slice(2, middle);
  return names[middle] === ' ' && one === names.slice(middle + 3) ? one : null;
}
