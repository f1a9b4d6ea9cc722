/**
 * An element in a list somewhere in a JSON file with comments: put in, found and taken out. All
 * other bytes stay as they are. What is put in is laid out as the file is.
 */
import { SpillwayError } from '@spillway/core';
import { withoutComments } from '../../gateway/json-comments.ts';
import {
  type ByteRange,
  type Edit,
  edited,
  elementsOf,
  type Member,
  membersOf,
  valueIn,
} from '../../gateway/json-edit.ts';

type Path = readonly string[];

/** An element of a list, and what it says. */
export interface ListElement {
  readonly at: ByteRange;
  readonly value: unknown;
}

export class JsonFile {
  readonly #bytes: Buffer;
  readonly #plain: Buffer;

  /** Throws if the text is no object. */
  constructor(text: string) {
    this.#bytes = Buffer.from(text);
    this.#plain = withoutComments(this.#bytes);
    if (text.startsWith('\uFEFF')) this.#plain.fill(' ', 0, 3);
    if (membersOf(this.#plain) === null) throw new SpillwayError('invalid_argument', 'it is not valid JSON');
  }

  /** How many of the keys lead somewhere. */
  depth(path: Path): number {
    return this.#members(path, this.#whole()).length;
  }

  /** The elements of the list at a path below a value; none if there is no such list. */
  elements(path: Path, below: ByteRange = this.#whole()): ListElement[] {
    const found = this.#members(path, below);
    const list = found.length === path.length ? found.at(-1)?.value : undefined;
    if (list === undefined) return [];
    return (elementsOf(this.#plain, list) ?? []).map((at) => ({ at, value: valueIn(this.#plain, at) }));
  }

  /** The value at a path; undefined if there is none. */
  value(path: Path): unknown {
    const found = this.#members(path, this.#whole());
    const last = found.at(-1);
    return last === undefined || found.length < path.length ? undefined : valueIn(this.#plain, last.value);
  }

  /** The file with an element at the end of the list; the list and what it lies in are made. */
  added(path: Path, value: unknown): string {
    const found = this.#members(path, this.#whole());
    if (found.length < path.length) return this.withMember(path, [value]);
    const container = found.at(-1)?.value ?? this.#whole();
    return this.#with(this.#insertion(container, this.#list(container), null, value));
  }

  /** The file with one more member; what it lies in is made. */
  withMember(path: Path, value: unknown): string {
    const found = this.#members(path, this.#whole());
    const container = found.at(-1)?.value ?? this.#whole();
    const [key = '', ...below] = path.slice(found.length);
    const members = membersOf(this.#plain, container);
    if (members === null) throw unusable(path.slice(0, found.length));
    const nested = below.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    const children = [...members.values()].map(({ whole }) => whole);
    return this.#with(this.#insertion(container, children, key, nested));
  }

  /** The file without a member; what it lies in goes too, down to the first `kept` keys. */
  withoutMember(path: Path, kept: number): string {
    const member = this.#members(path, this.#whole())[path.length - 1];
    return member === undefined ? this.#with([]) : this.without(path.slice(0, -1), member.whole, kept);
  }

  /** The file with another text in a member of an object. */
  changed(object: ByteRange, key: string, text: string): string {
    const member = membersOf(this.#plain, object)?.get(key);
    return this.#with(member === undefined ? [] : [{ ...member.value, by: JSON.stringify(text) }]);
  }

  /**
   * The file without an element. What it lies in goes too where that is left empty, down to the
   * first `kept` keys of the path.
   */
  without(path: Path, element: ByteRange, kept: number, below: ByteRange = this.#whole()): string {
    const found = this.#members(path, below);
    let target: ByteRange = element;
    let level = found.length;
    const container = () => found[level - 1]?.value ?? below;
    while (level > kept && this.#childrenOf(container()).length === 1) {
      target = (found[level - 1] as Member).whole;
      level--;
    }
    return this.#with(this.#removal(container(), this.#childrenOf(container()), target));
  }

  #childrenOf(container: ByteRange): readonly ByteRange[] {
    const members = membersOf(this.#plain, container);
    return members === null ? this.#list(container) : [...members.values()].map(({ whole }) => whole);
  }

  #list(container: ByteRange): readonly ByteRange[] {
    const elements = elementsOf(this.#plain, container);
    if (elements === null) throw unusable([]);
    return elements;
  }

  #members(path: Path, below: ByteRange): Member[] {
    const found: Member[] = [];
    for (const key of path) {
      const member = membersOf(this.#plain, found.at(-1)?.value ?? below)?.get(key);
      if (member === undefined) break;
      found.push(member);
    }
    return found;
  }

  #whole(): ByteRange {
    const start = this.#plain.indexOf('{');
    return { start, end: this.#plain.lastIndexOf('}') + 1 };
  }

  #insertion(
    container: ByteRange,
    children: readonly ByteRange[],
    key: string | null,
    value: unknown,
  ): Edit[] {
    const close = this.#plain.lastIndexOf(key === null ? ']' : '}', container.end - 1);
    const last = children.at(-1);
    const inLines = this.#bytes.includes('\n') || (last === undefined && this.#bytes.length < 4);
    const own = lineIndent(this.#bytes, container.start);
    const unit = unitOf(this.#bytes);
    const name = key === null ? '' : `${JSON.stringify(key)}: `;
    const body = inLines
      ? `\n${own}${unit}${name}${JSON.stringify(value, null, unit).replaceAll('\n', `\n${own}${unit}`)}`
      : `${last === undefined ? '' : ' '}${name}${JSON.stringify(value)}`;
    const at = spaceBefore(this.#bytes, close);
    const isAlone = inLines && !this.#bytes.subarray(at, close).includes('\n');
    const comma = last !== undefined && commaAfter(this.#bytes, last.end) === -1;
    const by = isAlone ? `${body}\n${own}` : body;
    return [
      ...(comma ? [{ start: last.end, end: last.end, by: ',' }] : []),
      {
        start: at,
        end: isAlone ? close : at,
        by: this.#bytes.includes('\r\n') ? by.replaceAll('\n', '\r\n') : by,
      },
    ];
  }

  #removal(container: ByteRange, children: readonly ByteRange[], target: ByteRange): Edit[] {
    const index = children.findIndex(({ start }) => start === target.start);
    const start = spaceBefore(this.#bytes, target.start);
    const after = commaAfter(this.#bytes, target.end);
    const before = children[index - 1];
    const isLast = index === children.length - 1;
    if (!isLast) return [{ start, end: after + 1, by: '' }];
    const end = after === -1 ? target.end : after + 1;
    if (before !== undefined) {
      const comma = commaAfter(this.#bytes, before.end);
      // Where the last element has a comma behind it, the next one to be the last keeps its own.
      return after === -1
        ? [
            { start: comma, end: comma + 1, by: '' },
            { start: Math.max(start, comma + 1), end: target.end, by: '' },
          ]
        : [{ start, end, by: '' }];
    }
    const close = spaceBefore(this.#bytes, container.end - 1);
    const isEmpty = start <= container.start + 1 && close <= end;
    return [{ start, end: isEmpty ? container.end - 1 : end, by: '' }];
  }

  #with(edits: readonly Edit[]): string {
    return edited(this.#bytes, edits).toString('utf8');
  }
}

function unusable(path: Path): SpillwayError {
  const where = path.length === 0 ? 'what should be a list' : JSON.stringify(path.join('.'));
  return new SpillwayError('invalid_argument', `${where} is something else there`);
}

// How a JSON file with comments is laid out; positions are bytes.

const [TAB, LF, CR, SPACE, COMMA, SLASH, STAR] = [0x09, 0x0a, 0x0d, 0x20, 0x2c, 0x2f, 0x2a];

/** What its first indented line is indented by. */
function unitOf(bytes: Buffer): string {
  return /\n([ \t]+)\S/.exec(bytes.toString('latin1'))?.[1] ?? '  ';
}

/** What the line of a position is indented by. */
function lineIndent(bytes: Buffer, at: number): string {
  const start = bytes.lastIndexOf(LF, at - 1) + 1;
  let end = start;
  while (bytes[end] === SPACE || bytes[end] === TAB) end++;
  return bytes.toString('latin1', start, at < start ? start : Math.min(end, at));
}

/** Where the space before a position begins. */
function spaceBefore(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && isSpace(bytes[start - 1])) start--;
  return start;
}

/** The comma that follows, over space and comments; -1 if something else does. */
function commaAfter(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; ) {
    if (isSpace(bytes[at])) at++;
    else if (bytes[at] === SLASH && (bytes[at + 1] === SLASH || bytes[at + 1] === STAR))
      at = commentEnd(bytes, at);
    else return bytes[at] === COMMA ? at : -1;
  }
  return -1;
}

function commentEnd(bytes: Buffer, at: number): number {
  const isLine = bytes[at + 1] === SLASH;
  const end = bytes.indexOf(isLine ? '\n' : '*/', at + 2);
  return end === -1 ? bytes.length : end + (isLine ? 1 : 2);
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}
