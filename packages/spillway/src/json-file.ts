/**
 * A JSON file with comments, as clients and agents keep their settings: read by path, and changed
 * so that all other text stays as it is. What is put in is laid out as the file is. Positions are
 * UTF-16 units.
 */
import { SpillwayError } from '@spillway/core';
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';

export type JsonPath = readonly (string | number)[];

export class JsonFile {
  readonly #text: string;
  readonly #root: Node;

  /** Throws if the text is no object. */
  constructor(text: string) {
    this.#text = text;
    this.#root = rootOf(text);
  }

  /** How many of the keys lead somewhere. */
  depth(path: JsonPath): number {
    const at = path.findIndex((_, index) => this.#node(path.slice(0, index + 1)) === undefined);
    return at === -1 ? path.length : at;
  }

  value(path: JsonPath): unknown {
    const node = this.#node(path);
    return node === undefined ? undefined : getNodeValue(node);
  }

  /** The text of the value at a path as it is written. */
  written(path: JsonPath): string | undefined {
    const node = this.#node(path);
    return node && this.#text.slice(node.offset, endOf(node));
  }

  indentOf(path: JsonPath): string {
    return lineIndent(this.#text, this.#node(path)?.offset ?? 0);
  }

  /** The file with other text, given as JSON, in place of the value at a path. */
  replaced(path: JsonPath, json: string): string {
    const node = this.#node(path);
    return this.#with(node === undefined ? [] : [{ ...rangeOf(node), content: json }]);
  }

  /** The file with one more element at the end of a list, which is made if it is not there. */
  added(path: JsonPath, value: unknown): string {
    const list = this.#node(path);
    if (list === undefined) return this.withMember(path, [value]);
    if (list.type !== 'array') throw unusable('what should be a list');
    return this.#with(this.#insertion(list, '', value));
  }

  /** The file with one more member; what it lies in is made. */
  withMember(path: JsonPath, value: unknown): string {
    const depth = this.depth(path);
    const container = this.#node(path.slice(0, depth));
    if (container?.type !== 'object') throw unusable(JSON.stringify(path.slice(0, depth).join('.')));
    const [key, ...below] = path.slice(depth);
    const nested = below.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return this.#with(this.#insertion(container, `${JSON.stringify(key)}: `, nested));
  }

  /**
   * The file without what stands at a path. What it lies in goes too where that is left empty, but
   * for the first `kept` keys.
   */
  without(path: JsonPath, kept: number): string {
    let target = path;
    while (target.length - 1 > kept && this.#node(target.slice(0, -1))?.children?.length === 1)
      target = target.slice(0, -1);
    const node = this.#node(target);
    if (node === undefined) return this.#text;
    return this.#with(this.#removal(node.parent?.type === 'property' ? node.parent : node));
  }

  #node(path: JsonPath): Node | undefined {
    return findNodeAtLocation(this.#root, [...path]);
  }

  #insertion(container: Node, name: string, value: unknown): Edit[] {
    const text = this.#text;
    const close = endOf(container) - 1;
    const last = container.children?.at(-1);
    const inLines = text.includes('\n') || (last === undefined && text.length < 4);
    const own = lineIndent(text, container.offset);
    const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
    const body = inLines
      ? `\n${own}${unit}${name}${JSON.stringify(value, null, unit).replaceAll('\n', `\n${own}${unit}`)}`
      : `${last === undefined ? '' : ' '}${name}${JSON.stringify(value)}`;
    const at = spaceBefore(text, close);
    const isAlone = inLines && !text.slice(at, close).includes('\n');
    const by = isAlone ? `${body}\n${own}` : body;
    const content = text.includes('\r\n') ? by.replaceAll('\n', '\r\n') : by;
    const needsComma = last !== undefined && this.#commaAfter(last) === -1;
    return [
      ...(needsComma ? [{ offset: endOf(last), length: 0, content: ',' }] : []),
      { offset: at, length: isAlone ? close - at : 0, content },
    ];
  }

  #removal(target: Node): Edit[] {
    const { parent: container } = target;
    const children = container?.children ?? [];
    const before = children[children.indexOf(target) - 1];
    const comma = this.#commaAfter(target);
    const start = spaceBefore(this.#text, target.offset);
    const end = comma === -1 ? endOf(target) : comma + 1;
    if (comma !== -1 && children.length > 1) return [cut(start, end)];
    if (before !== undefined) {
      const former = this.#commaAfter(before);
      return [cut(former, former + 1), cut(Math.max(start, former + 1), end)];
    }
    const open = (container?.offset ?? 0) + 1;
    const close = endOf(container ?? target) - 1;
    const isEmpty = start <= open && spaceBefore(this.#text, close) <= end;
    return [cut(start, isEmpty ? close : end)];
  }

  /** The comma that follows, over space and comments; -1 if something else does. */
  #commaAfter(node: Node): number {
    const scanner = createScanner(this.#text, true);
    scanner.setPosition(endOf(node));
    scanner.scan();
    const at = scanner.getTokenOffset();
    return this.#text[at] === ',' ? at : -1;
  }

  #with(edits: Edit[]): string {
    return applyEdits(this.#text, edits);
  }
}

function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
    if (root?.type === 'object' && errors.length === 0) return root;
  } catch (error) {
    // It is nested too deeply.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new SpillwayError('invalid_argument', 'it is not valid JSON');
}

function unusable(where: string): SpillwayError {
  return new SpillwayError('invalid_argument', `${where} is something else there`);
}

function rangeOf({ offset, length }: Node): { offset: number; length: number } {
  return { offset, length };
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function cut(start: number, end: number): Edit {
  return { offset: start, length: end - start, content: '' };
}

function lineIndent(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Where the space before a position begins. */
function spaceBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && /\s/.test(text[start - 1] ?? '')) start--;
  return start;
}
