/**
 * Tells of each line of a listing in which folder it is and at which level of the tree it stands.
 * Forms: one path a line (`find`, `git ls-files`, `git ls-tree -r`, `du`), names below a line with
 * their folder (`ls -R`, `ls -laR`), and `tree`. In lists of paths a folder has no line of its own;
 * the first path below it stands for it.
 */
import type { Line, TextStart } from '../../model/line-grammar.ts';
import { decode } from '../../text/utf8.ts';
import { linesOfStart } from '../by-line/start.ts';

export type ListingForm = 'paths' | 'folders' | 'tree';
/** `folder`: a line that opens a folder; `frame`: a root, a summary; `blank`: no entry at all. */
export type ListingRole = 'entry' | 'folder' | 'frame' | 'blank';

const TREE = /(?:├|└|\||`|\+|\\)(?:──|--|-{3}) /;
const LONG = /^[-dlbcpsD?][-rwxsStTl]{9}[.+@]?\s/;
const OPENS = /^[^:\t]{1,400}:$/;
const SUMMARY = /^(?:\d+ director(?:y|ies)\b.*|total \d.*)$/;
const SLASH = 47;
const TAB = 9;
const LONGEST_PATH = 1_024;

/** Which form the first lines have; null if this is no listing. */
export function listingForm(start: TextStart): ListingForm | null {
  if (start.bytes.includes(0)) return null;
  const lines = linesOfStart(start, 200);
  const filled = lines.filter((line) => line !== '');
  const share = (test: (line: string) => boolean) => filled.filter(test).length / Math.max(1, filled.length);
  if (filled.length === 0) return null;
  if (share((line) => TREE.test(line)) >= 0.4) return 'tree';
  const opened = lines.filter((line, i) => OPENS.test(line) && (i === 0 || lines[i - 1] === '')).length;
  if (share((line) => LONG.test(line)) >= 0.4 || (opened > 0 && OPENS.test(lines[0] ?? ''))) return 'folders';
  return share(isPathLike) >= 0.6 ? 'paths' : null;
}

function isPathLike(line: string): boolean {
  if (line.length > 1_000) return false;
  const path = line.slice(line.lastIndexOf('\t') + 1);
  const blanks = path.split(/\s/).length - 1;
  return blanks === 0 || (blanks <= 4 && /[/\\]|\.\w{1,8}$/.test(path));
}

export class ListingLines {
  readonly #form: ListingForm;
  role: ListingRole = 'entry';
  folder = '';
  /** From 1 at the top. */
  level = 1;
  /** Whether the line is the first one in a folder that had no line so far. */
  opens = false;
  #folderBytes: Uint8Array = new Uint8Array(0);
  #depth = 0;
  /** The path before. */
  readonly #previous = new Uint8Array(LONGEST_PATH);
  #previousLength = 0;
  /** Names of the folders that enclose the line of a tree. */
  readonly #stack: string[] = [];
  #afterBlank = true;
  #base = -1;

  constructor(form: ListingForm) {
    this.#form = form;
  }

  read(line: Line): void {
    this.opens = false;
    if (line.from === line.to) {
      this.role = 'blank';
      this.#afterBlank = true;
      return;
    }
    if (this.#form === 'paths') this.#readPath(line);
    else if (this.#form === 'folders') this.#readName(line);
    else this.#readBranch(line);
    this.#afterBlank = false;
  }

  #readPath({ bytes, from, to }: Line): void {
    this.role = 'entry';
    const end = Math.min(to, from + LONGEST_PATH);
    let start = from;
    for (let at = from; at < end; at++) if (bytes[at] === TAB) start = at + 1;
    if (bytes[start] === 46 && bytes[start + 1] === SLASH) start += 2;
    let slash = bytes[end - 1] === SLASH ? end - 2 : end - 1;
    while (slash > start && bytes[slash] !== SLASH) slash--;
    const length = Math.max(0, slash - start);
    if (sameBytes(this.#folderBytes, bytes, start, length)) this.level = this.#depth + 1;
    else this.#enter(bytes, start, length);
    this.#previous.set(bytes.subarray(start, end));
    this.#previousLength = end - start;
  }

  /** A path in another folder than the one before. */
  #enter(bytes: Uint8Array, start: number, length: number): void {
    const before = decode(this.#previous.subarray(0, this.#previousLength));
    this.#folderBytes = bytes.slice(start, start + length);
    this.folder = decode(this.#folderBytes);
    this.#depth = depthOf(this.folder);
    const shared = sharedDepth(this.folder, before);
    this.opens = this.#depth > shared;
    this.level = this.opens ? shared + 1 : this.#depth + 1;
  }

  #readName({ bytes, from, to }: Line): void {
    const text = decode(bytes.subarray(from, Math.min(to, from + LONGEST_PATH)));
    if (this.#afterBlank && OPENS.test(text)) {
      this.role = 'folder';
      this.folder = text.slice(0, -1).replace(/^\.\//, '').replace(/^\.$/, '');
      const depth = depthOf(this.folder);
      if (this.#base < 0) this.#base = depth;
      this.level = Math.max(0, depth - this.#base);
      this.opens = true;
      return;
    }
    this.role = SUMMARY.test(text) ? 'blank' : 'entry';
    this.level = Math.max(1, depthOf(this.folder) - Math.max(0, this.#base) + 1);
  }

  #readBranch({ bytes, from, to }: Line): void {
    const text = decode(bytes.subarray(from, Math.min(to, from + LONGEST_PATH)));
    const found = TREE.exec(text);
    if (found === null) {
      this.role = 'frame';
      this.level = 0;
      return;
    }
    this.role = 'entry';
    this.level = Math.floor(found.index / 4) + 1;
    this.#stack.length = Math.min(this.#stack.length, this.level - 1);
    this.folder = this.#stack.join('/');
    this.#stack[this.level - 1] = text
      .slice(found.index + found[0].length)
      .replace(/ -> [\s\S]*|\/$/, '')
      .slice(0, 200);
  }
}

function sameBytes(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let i = length - 1; i >= 0; i--) if (bytes[start + i] !== known[i]) return false;
  return true;
}

/** `` is 0 deep, `src/a` is 2. */
export function depthOf(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

/** How many names from the top two paths have in common. */
export function sharedDepth(one: string, other: string): number {
  const names = one.split('/');
  const others = other.split('/');
  let depth = 0;
  while (depth < names.length && names[depth] === others[depth] && depth < others.length) depth++;
  return depth;
}
