/**
 * Tells what each line of search results is: a hit, a line around one, a heading with a path, or
 * something else; and of which file. Forms: `path:12:text`, `path:12:3:text`, `path-11-text` around
 * it, `path:text`, and under a heading or for one file `12:text`.
 */
import type { Line, TextStart } from '../../model/line-grammar.ts';
import { decode } from '../../text/utf8.ts';
import { linesOfStart } from '../by-line/start.ts';

export type HitForm = 'numbered' | 'named' | 'grouped';
export type HitLine = 'hit' | 'around' | 'heading' | 'other';

const COLON = 58;
const DASH = 45;
const LONGEST_PATH = 1_024;
/** `-C 5` prints a hit in every twelfth line. */
const LEAST_HITS = 0.06;
const NUMBERED = /^(?!\d+:)[^\n]{1,400}?:\d{1,8}:/;
const AROUND = /^(?!\d+-)[^\n]{1,400}?-\d{1,8}-/;
const GROUPED = /^\d{1,8}[:-]/;
const NAMED = /^(?=[^\s:]*[./\\])(?:[A-Za-z]:\\)?[^\s:]{1,300}:/;

export function hitForm(start: TextStart): HitForm | null {
  if (start.bytes.includes(0)) return null;
  const lines = linesOfStart(start, 200).filter((line) => line !== '' && line !== '--');
  const share = (pattern: RegExp) =>
    lines.filter((line) => pattern.test(line)).length / Math.max(1, lines.length);
  const numbered = share(NUMBERED);
  if (numbered >= 0.5 || (numbered >= LEAST_HITS && numbered + share(AROUND) >= 0.7)) return 'numbered';
  if (share(GROUPED) >= 0.4) return 'grouped';
  return share(NAMED) >= 0.7 ? 'named' : null;
}

export class HitLines {
  readonly #form: HitForm;
  kind: HitLine = 'other';
  path = '';
  textFrom = 0;
  #pathBytes: Uint8Array = new Uint8Array(0);
  #afterBlank = true;

  constructor(form: HitForm) {
    this.#form = form;
  }

  read(line: Line): void {
    const { bytes, from, to } = line;
    this.textFrom = from;
    if (this.#form === 'grouped') this.#readGrouped(bytes, from, to);
    else if (!this.#samePath(bytes, from, to)) this.#otherPath(bytes, from, to);
  }

  numberOf({ bytes, from, to }: Line): string {
    if (this.#form === 'named') return '';
    const at = this.#form === 'grouped' ? from : from + this.#pathBytes.length + 1;
    return decode(bytes.subarray(at, digitsEnd(bytes, at, to)));
  }

  #readGrouped(bytes: Uint8Array, from: number, to: number): void {
    const end = digitsEnd(bytes, from, to);
    if (end > from && (bytes[end] === COLON || bytes[end] === DASH)) {
      this.kind = bytes[end] === COLON ? 'hit' : 'around';
      this.textFrom = behindColumn(bytes, end + 1, to);
    } else if (from < to && this.#afterBlank) {
      this.kind = 'heading';
      this.path = decode(bytes.subarray(from, Math.min(to, from + LONGEST_PATH)));
    } else this.kind = 'other';
    this.#afterBlank = from === to;
  }

  /** Fast path: most lines are of the same file. */
  #samePath(bytes: Uint8Array, from: number, to: number): boolean {
    const path = this.#pathBytes;
    const at = from + path.length;
    if (path.length === 0 || at >= to || (bytes[at] !== COLON && bytes[at] !== DASH)) return false;
    for (let i = path.length - 1; i >= 0; i--) if (bytes[from + i] !== path[i]) return false;
    return this.#numbered(bytes, at, to);
  }

  #numbered(bytes: Uint8Array, at: number, to: number): boolean {
    if (this.#form === 'named') {
      this.kind = bytes[at] === COLON ? 'hit' : 'around';
      this.textFrom = at + 1;
      return true;
    }
    const end = digitsEnd(bytes, at + 1, to);
    if (end === at + 1 || end - at > 10 || bytes[end] !== bytes[at]) return false;
    this.kind = bytes[at] === COLON ? 'hit' : 'around';
    this.textFrom = behindColumn(bytes, end + 1, to);
    return true;
  }

  #otherPath(bytes: Uint8Array, from: number, to: number): void {
    const end = Math.min(to, from + LONGEST_PATH);
    for (const separator of [COLON, DASH]) {
      for (let at = from + 1; at < end; at++) {
        if (bytes[at] !== separator || (at === from + 1 && isDrive(bytes, from))) continue;
        if (!this.#numbered(bytes, at, to)) continue;
        this.#pathBytes = bytes.slice(from, at);
        this.path = decode(this.#pathBytes);
        return;
      }
    }
    this.kind = 'other';
  }
}

function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++;
  return at;
}

function behindColumn(bytes: Uint8Array, from: number, to: number): number {
  const end = digitsEnd(bytes, from, Math.min(to, from + 6));
  return end > from && bytes[end] === COLON ? end + 1 : from;
}

function isDrive(bytes: Uint8Array, from: number): boolean {
  return bytes[from + 2] === 92 || bytes[from + 2] === 47;
}
