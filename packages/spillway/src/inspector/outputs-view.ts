/** The routes of outputs: the list, and the search through all of them. */
import type { OutputRecord } from '@spillway/core';
import { isShownPart } from '@spillway/core/plugin';
import { recordsOf } from '../commands/artifacts/reading.ts';
import type { OutputRow, OutputsAnswer, SearchAllAnswer, SearchedOutput } from './api.ts';
import type { ApiRequest } from './api-request.ts';
import { placing } from './content-view.ts';
import type { Inspected } from './inspected.ts';
import { Problem } from './problem.ts';
import { isInternal, outputRow, rowUnit } from './rows.ts';

const PAGE = 50;
/** How long one request of a search looks. */
const LOOK_MS = 500;
const MOST_COUNTED = 1_000;
const FIRST_LINES = 3;
const EXCERPT_CHARS = 300;

export async function listOutputs(inspected: Inspected, request: ApiRequest): Promise<OutputsAnswer> {
  const limit = request.number('limit', 1, 500) ?? PAGE;
  const isWanted = filterOf(request);
  const items: OutputRow[] = [];
  let next: string | null = null;
  for await (const { record, cursor } of records(inspected, request)) {
    // Transcripts of compactions are kept as outputs of ours.
    if (isInternal(record.tool)) continue;
    const row = outputRow(record, inspected.index.trail(record.id));
    if (!isWanted(row)) continue;
    items.push(row);
    if (items.length < limit) continue;
    next = cursor;
    break;
  }
  const tools = new Set(
    inspected.index.ledger.trails.map(({ tool }) => tool).filter((tool) => !isInternal(tool)),
  );
  return { items, next, tools: [...tools].sort() };
}

function filterOf(request: ApiRequest): (row: OutputRow) => boolean {
  const wanted = request.text('q')?.toLowerCase() ?? '';
  const only = request.oneOf('only', ['cut', 'failed', 'fetched']);
  return (row) =>
    `${row.summary}\n${row.tool}\n${row.id}`.toLowerCase().includes(wanted) &&
    (only !== 'cut' || row.shown?.cut === true) &&
    (only !== 'failed' || row.failed) &&
    (only !== 'fetched' || row.fetches > 0);
}

interface Placed {
  readonly record: OutputRecord;
  /** Goes on behind it. */
  readonly cursor: string;
}

/** Outputs that a request asks for, newest first, from its cursor on. */
async function* records(inspected: Inspected, request: ApiRequest): AsyncGenerator<Placed> {
  const after = cursorIn(request.text('after'));
  let isBehind = after === null;
  for await (const record of allRecords(inspected, request)) {
    // The one that the cursor names may have been purged since.
    if (isBehind || (after !== null && record.endedAt < after.endedAt)) {
      isBehind = true;
      yield { record, cursor: `${record.endedAt}.${record.id}` };
    } else isBehind = record.id === after?.id;
  }
}

/** The outputs of all scopes as one list. */
async function* allRecords({ store, scopes }: Inspected, request: ApiRequest): AsyncGenerator<OutputRecord> {
  const [tool, session] = [request.text('tool'), request.text('session')];
  const narrowed = { ...(tool === undefined ? {} : { tool }), ...(session === undefined ? {} : { session }) };
  const lists = scopes.map((scope) => recordsOf(store, { scope, show: 'all', ...narrowed }));
  const heads = await Promise.all(lists.map(async (list) => ({ list, next: await list.next() })));
  for (;;) {
    const open = heads.filter(({ next }) => next.done !== true);
    const newest = open.sort((a, b) => endOf(b.next) - endOf(a.next))[0];
    if (newest === undefined || newest.next.done === true) return;
    yield newest.next.value;
    newest.next = await newest.list.next();
  }
}

function endOf(next: IteratorResult<OutputRecord>): number {
  return next.done === true ? 0 : next.value.endedAt;
}

function cursorIn(text: string | undefined): { readonly endedAt: number; readonly id: string } | null {
  if (text === undefined) return null;
  const [, endedAt, id = ''] = /^(\d{1,15})\.(art_\w+)$/.exec(text) ?? [];
  if (endedAt !== undefined) return { endedAt: Number(endedAt), id };
  throw new Problem('invalid_argument', 'after must be the next of the page before.');
}

export async function searchAll(inspected: Inspected, request: ApiRequest): Promise<SearchAllAnswer> {
  const text = request.text('q');
  if (text === undefined || /[\r\n]/.test(text))
    throw new Problem('invalid_argument', 'q takes the text to look for, on one line.');
  const until = performance.now() + LOOK_MS;
  const items: SearchedOutput[] = [];
  let [looked, bytes] = [0, 0];
  for await (const { record, cursor } of records(inspected, request)) {
    const found = await searchOne(inspected, record, text, request);
    if (found !== null) items.push(found);
    looked++;
    bytes += record.parts.reduce((sum, part) => sum + part.bytes, 0);
    if (performance.now() > until || items.length >= PAGE) return { items, next: cursor, looked, bytes };
  }
  return { items, next: null, looked, bytes };
}

async function searchOne(
  inspected: Inspected,
  record: OutputRecord,
  text: string,
  request: ApiRequest,
): Promise<SearchedOutput | null> {
  const { spillway, store, index } = inspected;
  const matchCase = request.text('case') === '1';
  const first: SearchedOutput['first'][number][] = [];
  let matches = 0;
  for (const part of record.parts.filter((one) => isShownPart(one) && one.kind !== 'binary')) {
    const by = rowUnit(part);
    const { place, charOf } = await placing({ record, spillway, store, isPreview: false }, part, by);
    const sought = { part: part.index, text, matchCase, signal: request.signal };
    for await (const some of spillway.reader.search(record, sought)) {
      for (const match of some.slice(0, FIRST_LINES - first.length)) {
        const at = await charOf(match);
        const before = Math.min(80, (by === 'lines' ? match.column : at) - 1);
        const range = { part: part.index, from: at - before, chars: EXCERPT_CHARS };
        const around = await spillway.reader.chars(record, range);
        const cut = before < 80 ? '' : '…';
        const shown = by === 'lines' ? (around.split(/[\r\n]/, 1)[0] ?? '') : around;
        const column = before + 1 + cut.length;
        const label = by === 'lines' ? match.line : at;
        first.push({ part: part.index, ...(await place(match)), column, label, text: cut + shown });
      }
      matches += some.length;
      if (matches >= MOST_COUNTED) break;
    }
  }
  if (matches === 0) return null;
  const output = outputRow(record, index.trail(record.id));
  return { output, matches: Math.min(matches, MOST_COUNTED), first };
}
