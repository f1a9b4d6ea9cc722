/** The content of one output: lines, searches, findings. */

import type { OutputRecord, Spillway } from '@spillway/core';
import {
  type FoundLine,
  JsonScan,
  type LineRange,
  type PartFindings,
  type PartRecord,
  readerOf,
  TreeKind,
  type TreeSink,
  type TreeToken,
  XmlScan,
} from '@spillway/core/plugin';
import { sum } from '../fields.ts';
import { keyOf } from '../gateway/json-edit.ts';
import type { Access, RawTarget } from './access.ts';
import { type ApiRequest, type Bytes, count, orNull, Problem } from './answer.ts';
import type { FoundOutput, Inspected } from './inspected.ts';
import { isShownText, keepLast, partView, shownIn, shownWhole } from './rows.ts';

/** Parts with very long lines are read in rows of so many chars. The page has the same number. */
const ROW_CHARS = 200;
const MOST_RANGES = 500;
const MOST_LINES = 5_000;
const MOST_TEXT_CHARS = 8_000_000;
const USUAL_CLIP = 2_000;
const MOST_CLIP = 100_000;
const MOST_MATCHES = 1_000_000;
const USUAL_MATCHES = 1_000;
/** Findings that are kept: reading a large part again takes seconds. */
const MOST_FINDINGS = 32;

export async function showLines(inspected: Inspected, request: ApiRequest) {
  const { record, spillway } = await inspected.find(request.id);
  const [part, { signal }] = [request.part(), request];
  const ranges = rangesIn(request.text('ranges') ?? '1-200');
  if (request.oneOf('by', ['lines', 'chars']) === 'chars')
    return charRows(spillway, record, part, ranges, signal);
  const clip = request.number('clip', 1, MOST_CLIP) ?? USUAL_CLIP;
  const starts = ranges.map(({ first }) => first);
  const styles = await readerOf(spillway).stylesAt(record, part, starts, { signal });
  const blocks = ranges.map(({ first }, i) => emptyBlock(first, styles[i]));
  let [lines, chars, complete] = [0, 0, true];
  for await (const line of readerOf(spillway).lines(record, { part, ranges, clip, signal })) {
    const block = blocks[line.range];
    lines++;
    chars += line.text.length;
    if (lines > MOST_LINES || chars > MOST_TEXT_CHARS || block === undefined) {
      complete = false;
      break;
    }
    block.texts.push(line.text);
    block.starts.push(line.start);
    if (line.chars > line.text.length) block.clipped.push([line.number, line.chars]);
  }
  return { part, ranges: blocks, complete };
}

function emptyBlock(first: number, style = '') {
  return {
    first_line: first,
    style,
    texts: [] as string[],
    starts: [] as number[],
    clipped: [] as [number, number][],
  };
}

/** Rows of a fixed number of chars, whatever lines they are of. None ends inside a character. */
async function charRows(
  spillway: Spillway,
  record: OutputRecord,
  part: number,
  ranges: readonly LineRange[],
  signal: AbortSignal,
) {
  const blocks = [];
  let left = MOST_LINES;
  for (const { first, last } of ranges) {
    const rows = Math.min(left, last - first + 1);
    left -= rows;
    const start = (first - 1) * ROW_CHARS;
    const text = await readerOf(spillway).chars(record, {
      part,
      from: start + 1,
      chars: rows * ROW_CHARS + 1,
      signal,
    });
    const block = emptyBlock(first);
    for (let at = 0; at < Math.min(text.length, rows * ROW_CHARS); at += ROW_CHARS) {
      // The second of two chars goes with the first.
      const [from = 0, to] = [at, at + ROW_CHARS].map(
        (end) => end + Number(/[\udc00-\udfff]/.test(text.charAt(end))),
      );
      block.texts.push(text.slice(from, to));
      block.starts.push(start + from);
    }
    blocks.push(block);
  }
  return { part, ranges: blocks, complete: left > 0 };
}

function rangesIn(text: string): LineRange[] {
  const ranges = text.split(',').map((range) => {
    const [, first, last = first] = /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(range) ?? [];
    if (first === undefined || Number(first) < 1 || Number(last) < Number(first))
      throw new Problem('invalid_argument', 'ranges takes lines such as 1-200,900-950.');
    return { first: Number(first), last: Number(last) };
  });
  if (ranges.length > MOST_RANGES)
    throw new Problem('invalid_argument', `At most ${MOST_RANGES} ranges can be asked for.`);
  return ranges;
}

export async function searchOutput(inspected: Inspected, request: ApiRequest) {
  const found = await inspected.find(request.id);
  const { record, spillway } = found;
  const limit = request.number('limit', 1, MOST_MATCHES) ?? USUAL_MATCHES;
  const pattern = request.text('pattern');
  const sought = pattern === undefined ? { text: request.sought() } : { pattern: `(?i)${pattern}` };
  const only = request.number('part', 0, 1e9);
  const parts = (await readerOf(spillway).parts(record)).filter(
    ({ kind, role, index }) =>
      kind !== 'binary' && (only === undefined ? role === 'content' : index === only),
  );
  const matches = [];
  let [total, leftOut, isKnown] = [0, 0, true];
  const by = request.oneOf('by', ['lines', 'chars']) ?? 'lines';
  for (const part of parts) {
    const { index } = part;
    const { place } = await placing(found, part, by);
    const order = { part: index, ...sought, signal: request.signal };
    for await (const some of readerOf(spillway).search(record, order))
      for (const match of some) {
        const placed = await place(match);
        total++;
        if (placed.shown === false) leftOut++;
        isKnown &&= placed.shown !== null;
        if (matches.length < limit) matches.push({ part: index, ...placed });
      }
  }
  /** All are counted, however many are given. */
  return { matches, total, left_out: isKnown ? leftOut : null };
}

/**
 * Tells of a match whether the model was shown it (null: nobody knows), and where it is in rows of
 * chars if asked to.
 */
export async function placing(found: FoundOutput, { index: part, lines }: PartRecord, by: 'lines' | 'chars') {
  const { record, spillway, store } = found;
  const frozen = await store.frozen(record.id, 'model');
  const view = frozen === undefined ? null : await partView(spillway, record, part, frozen);
  const isShownLine = shownIn(view);
  const known = { line: 1, start: 0 };
  const startOf = async (line: number): Promise<number> => {
    if (lines <= 1 || line === known.line) return known.start;
    const ranges = [{ first: line, last: line }];
    for await (const { start } of readerOf(spillway).lines(record, { part, ranges, clip: 1 }))
      Object.assign(known, { line, start });
    return known.start;
  };
  const charOf = async ({ line, column }: FoundLine) => (await startOf(line)) + column;
  const place = async (match: FoundLine) => {
    const { line, length } = match;
    const gaps = (view?.gaps ?? []).filter((gap) => gap.first_line <= line && line <= gap.last_line);
    const isShown = isShownLine(line);
    if (by === 'lines' && (!isShown || gaps.length === 0))
      return { ...match, shown: view === null ? null : isShown };
    const at = await charOf(match);
    const isOut = gaps.some(({ first_char, last_char }) => first_char < at + length && at <= last_char);
    const shown = view === null ? null : isShown && !isOut;
    if (by === 'lines') return { ...match, shown };
    const row = Math.ceil(at / ROW_CHARS);
    return { line: row, column: at - (row - 1) * ROW_CHARS, length, shown };
  };
  return { place, charOf };
}

export async function showFindings(inspected: Inspected, request: ApiRequest) {
  return partFindings(await inspected.find(request.id), request.part(), request.signal);
}

export type Findings = PartFindings & { readonly part: number };

const findings = new Map<string, Findings>();

/** Findings of a part, read once. */
export async function partFindings(
  { record, spillway, store }: FoundOutput,
  part: number,
  signal: AbortSignal,
): Promise<Findings> {
  const frozen = await store.frozen(record.id, 'model');
  const key = `${record.id} ${part} ${frozen?.at ?? ''}`;
  const known = findings.get(key);
  if (known !== undefined) return known;
  const view = frozen === undefined ? null : await partView(spillway, record, part, frozen);
  const found = await readerOf(spillway).findings(record, part, shownWhole(view), { signal });
  return keepLast(findings, key, { part, ...found }, MOST_FINDINGS);
}

/** The exact bytes of a content part. */
export async function* bytesOf(
  spillway: FoundOutput['spillway'],
  record: FoundOutput['record'],
  part: number,
): AsyncGenerator<Uint8Array> {
  const asCame = record.parts.some(
    ({ index, role, of }) => (index === part && role === 'input') || of === part,
  );
  if (asCame) yield* (await spillway.store.read(record.id, part, { bytes: 0 })).pieces;
  else for await (const content of spillway.contents(record, part)) yield* content.bytes;
}

/** The index of a part; null for all text parts. */
const ORDER = { part: orNull(count) };

export async function makeRawLink(inspected: Inspected, request: ApiRequest<typeof ORDER>, access: Access) {
  const { part } = await request.body(ORDER);
  const found = await inspected.find(request.id);
  const parts = await partsOf(found, part);
  if (parts.length === 0) throw new Problem('not_found', 'There is no such part.');
  const { id } = found.record;
  const [only] = parts;
  const word = part === null ? 'all' : (only?.name ?? '').replace(/[^\w-]/g, '').slice(0, 40);
  const name = `${id}-${word}${only?.kind === 'binary' ? '.bin' : '.txt'}`;
  return { url: `/raw/${access.link({ id, part, name })}/${name}`, name, bytes: sizeOf(parts) };
}

/** Never shown by a browser: it can only be saved. */
export async function rawDownload(inspected: Inspected, { id, part, name }: RawTarget): Promise<Bytes> {
  const found = await inspected.find(id);
  const parts = await partsOf(found, part);
  return {
    rawBytes: (async function* () {
      for (const { index } of parts) yield* bytesOf(found.spillway, found.record, index);
    })(),
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(sizeOf(parts)),
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}

async function partsOf({ record, spillway }: FoundOutput, part: number | null) {
  const all = await readerOf(spillway).parts(record, 10_000);
  return all.filter((one) => (part === null ? isShownText(one) : one.index === part));
}

function sizeOf(parts: readonly { readonly bytes: number }[]): number {
  return sum(parts, ({ bytes }) => bytes);
}

// JSON or XML as a tree, a level at a time: the children of one node, each with its place in the
// part. The page tells from the places which of them the model was shown.

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
