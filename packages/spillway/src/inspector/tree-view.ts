/**
 * JSON or XML as a tree, a level at a time: the children of one node, each with its place in the
 * part. The page tells from the places which of them the model was shown.
 */
import type { OutputRecord, Spillway } from '@spillway/core';
import {
  JsonScan,
  type PartRecord,
  readerOf,
  TreeKind,
  type TreeSink,
  type TreeToken,
  XmlScan,
} from '@spillway/core/plugin';
import { keyOf } from '../gateway/json-edit.ts';
import { Problem } from './answer.ts';
import type { ApiRequest } from './api-request.ts';
import type { Inspected } from './inspected.ts';

const MOST_CHARS = 8 * 1024 * 1024;
const PAGE = 200;
const CLIP = 160;

interface Child {
  readonly key: string | number;
  readonly has_children: boolean;
  readonly text: string;
  readonly first_char: number;
  readonly last_char: number;
}

/** The text that was read last, if it has a tree: a person opens one level after the other. */
let last: { readonly key: string; readonly text: string | null } = { key: '', text: null };

/** The text of a part that is one value of JSON or one document of XML, and small enough for a tree. */
export async function treeText(
  spillway: Spillway,
  record: OutputRecord,
  { index: part, kind, chars }: Pick<PartRecord, 'index' | 'kind' | 'chars'>,
): Promise<string | null> {
  if (kind === 'binary' || chars < 2 || chars > MOST_CHARS) return null;
  const key = `${record.id} ${part}`;
  if (last.key === key) return last.text;
  const read = (from: number, most: number) => readerOf(spillway).chars(record, { part, from, chars: most });
  const isLike =
    /^\s*(?:[[{]|<(?:\?xml|!--|[a-z]))/i.test(await read(1, 64)) &&
    /[\]}>]\s*$/.test(await read(Math.max(1, chars - 63), 64));
  const text = isLike ? await read(1, MOST_CHARS) : '';
  const [top] = text.trimStart();
  const scan = scanOf(top === '<', { open() {}, close() {}, leaf() {} });
  scan.push(Buffer.from(text));
  scan.finish();
  last = { key, text: isLike && scan.failure === null ? text : null };
  return last.text;
}

function scanOf(isXml: boolean, sink: TreeSink): XmlScan | JsonScan {
  return isXml ? new XmlScan(sink, 'xml') : new JsonScan(sink, 'one', Number.POSITIVE_INFINITY);
}

export async function showTree(inspected: Inspected, request: ApiRequest) {
  const { record, spillway } = await inspected.find(request.id);
  const index = request.part();
  const part = (await readerOf(spillway).parts(record)).find((one) => one.index === index);
  const text = part === undefined ? null : await treeText(spillway, record, part);
  if (text === null) throw new Problem('invalid_argument', 'This part has no tree.');
  const at = request.number('at', 1, text.length);
  const after = request.number('after', 0, 1e9) ?? 0;
  const children = childrenOf(text, at === undefined ? null : at - 1);
  return { children: children.slice(after, after + PAGE), more: children.length > after + PAGE };
}

/** The children of the node at an offset, or of the whole text. */
function childrenOf(text: string, at: number | null) {
  const from = at ?? Math.max(0, text.search(/\S/));
  const isXml = text[from] === '<';
  // The top of an XML document is a list of its own: declarations, comments, the root.
  const level = isXml && at === null ? 0 : 1;
  const bytes = Buffer.from(text.slice(from));
  const children: Child[] = [];
  const passed = { bytes: 0, chars: from };
  const charAt = (place: number) => {
    passed.chars += bytes.toString('utf8', passed.bytes, place).length;
    passed.bytes = place;
    return passed.chars;
  };
  let open = { key: '' as string | number, start: 0 };
  const begin = (token: TreeToken) => {
    const key = isXml ? labelOf(token) : token.keyBytes > 0 ? keyOf(token) : children.length;
    open = { key, start: token.start };
  };
  const end = (token: TreeToken, isContainer: boolean) => {
    const [first, last] = [charAt(open.start), charAt(token.end)];
    const shown = text.slice(first, Math.min(last, first + CLIP)).toWellFormed();
    const has_children = isContainer && last - first > 2;
    children.push({ key: open.key, has_children, text: shown, first_char: first + 1, last_char: last });
  };
  const sink: TreeSink = {
    open: (token) => scan.depth === level && begin(token),
    close: (token) => scan.depth === level && end(token, true),
    leaf(token) {
      if (scan.depth !== level) return;
      begin(token);
      end(token, false);
    },
  };
  const scan = scanOf(isXml, sink);
  scan.push(bytes);
  scan.finish();
  return children;
}

const LABELS: Readonly<Record<number, string>> = {
  [TreeKind.text]: 'text',
  [TreeKind.cdata]: 'CDATA',
  [TreeKind.comment]: 'comment',
};

/** How a node of XML is called: its name, or what it is. */
function labelOf(token: TreeToken): string {
  const name = Buffer.from(token.key()).toString('utf8');
  if (token.kind === TreeKind.element) return name;
  return token.kind === TreeKind.attribute ? `@${name}` : (LABELS[token.kind] ?? 'instruction');
}
