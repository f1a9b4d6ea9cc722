/**
 * Tells what each line of a diff is. The counts in `@@ -1,7 +1,9 @@` say how far a hunk goes, so a
 * deleted line that reads `-- x` is never taken for a header. Outside of hunks only lines that a
 * diff writes are its own; everything else is text.
 */

/** `head`: first line of a file; `header`: the rest; `hunk`: its first line; `text`: between files. */
export type DiffRole = 'head' | 'header' | 'hunk' | 'line' | 'text';

const HUNK = /^@@ -\d{1,10}(?:,(\d{1,10}))? \+\d{1,10}(?:,(\d{1,10}))? @@/;
const COMBINED = /^(@@@+) .*@@@/;
const FILE = /^(?:diff --git |diff --cc |diff --combined |diff -|Index: |Only in )/;
const HEADER =
  /^(?:--- |\+\+\+ |index [0-9a-f]|old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|Binary files |={60}|mode )/;
const BINARY = 'GIT binary patch';

export class DiffLines {
  /** What a line of a hunk did. */
  sign: '+' | '-' | ' ' = ' ';
  #role: DiffRole = 'text';
  #isAnnounced = false;
  /** Lines of the hunk that are still to come. */
  #old = 0;
  #new = 0;
  /** Parents of a combined hunk, one column each; 0 outside. */
  #parents = 0;
  #isBinary = false;

  next(text: string): DiffRole {
    this.sign = ' ';
    this.#role = this.#isInHunk(text) ? 'line' : this.#outside(text);
    return this.#role;
  }

  /** Lines are missing: a hunk is over. */
  skip(): void {
    this.#old = 0;
    this.#new = 0;
    this.#parents = 0;
  }

  #isInHunk(text: string): boolean {
    const isCombined = this.#parents > 0;
    if (!isCombined && this.#old <= 0 && this.#new <= 0) return false;
    const first = text[0] ?? ' ';
    if (!'+- \\\t'.includes(first)) {
      this.skip();
      return false;
    }
    const signs = text.slice(0, Math.max(1, this.#parents));
    this.sign = signs.includes('+') ? '+' : signs.includes('-') ? '-' : ' ';
    if (isCombined || first === '\\') return true;
    if (this.sign !== '+') this.#old--;
    if (this.sign !== '-') this.#new--;
    return true;
  }

  #outside(text: string): DiffRole {
    if (FILE.test(text)) return this.#head(true);
    const combined = COMBINED.exec(text);
    const hunk = HUNK.exec(text);
    if (hunk !== null || combined !== null) {
      this.#old = hunk === null ? 0 : Number(hunk[1] ?? 1);
      this.#new = hunk === null ? 0 : Number(hunk[2] ?? 1);
      this.#parents = combined === null ? 0 : (combined[1] as string).length - 1;
      this.#isBinary = false;
      return 'hunk';
    }
    const isInHead = this.#role === 'head' || this.#role === 'header';
    // Unannounced: each `---` may be the head of a file.
    if (text.startsWith('--- ') && !(isInHead && this.#isAnnounced)) return this.#head(false);
    if (isInHead && text.startsWith(BINARY)) {
      this.#isBinary = true;
      return 'hunk';
    }
    if (isInHead) return HEADER.test(text) ? 'header' : 'text';
    const isBehindHunk = this.#role === 'hunk' || this.#role === 'line';
    return isBehindHunk && (text.startsWith('\\') || this.#isBinary) ? 'line' : 'text';
  }

  #head(isAnnounced: boolean): DiffRole {
    this.#isAnnounced = isAnnounced;
    this.#isBinary = false;
    return 'head';
  }
}
