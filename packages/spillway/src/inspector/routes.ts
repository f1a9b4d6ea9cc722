/** The routes of the API as data: method, path, and what answers. `:id` stands for one segment. */

import { basename } from 'node:path';
import type { OutputRecord } from '@spillway/core';
import { isCompactionOutput, readerOf } from '@spillway/core/plugin';
import { recordsOf } from '../commands/artifacts/reading.ts';
import { defined, type Fields, fieldsIn, sum } from '../fields.ts';
import type { Access } from './access.ts';
import { discoverHistories, showAnalytics } from './analytics-view.ts';
import { type ApiRequest, type Bytes, Problem } from './answer.ts';
import {
  bytesOf,
  makeRawLink,
  placing,
  searchOutput,
  showFindings,
  showLines,
  showTree,
} from './content-view.ts';
import type { Inspected } from './inspected.ts';
import { judgeLoss, showOrigins, showOutput } from './output-view.ts';
import { preview, takeText } from './preview-view.ts';
import { isShownText, type OutputRow, outputRow, rowUnit } from './rows.ts';
import {
  endSession,
  listSessions,
  showMessage,
  showSession,
  showThread,
  showWindow,
  windowOf,
} from './sessions-view.ts';
import {
  changeSetting,
  listChanges,
  listSettings,
  showEffect,
  showToolSettings,
  undoChange,
} from './settings-view.ts';
import { archiveStore, cleanStore, listStoreSessions, showDoctor, showStore } from './store-view.ts';
import { showTimeline } from './timeline.ts';

/** The routes of outputs: the list, and the search through all of them. */
const PAGE = 50;
/** How long one request of a search looks. */
const LOOK_MS = 500;
const MOST_COUNTED = 1_000;
const FIRST_LINES = 3;
const EXCERPT_CHARS = 300;

async function listOutputs(inspected: Inspected, request: ApiRequest) {
  const limit = request.number('limit', 1, 500) ?? PAGE;
  const isWanted = filterOf(request);
  const items: OutputRow[] = [];
  let next: string | null = null;
  for await (const { record, cursor } of records(inspected, request)) {
    const row = outputRow(record, inspected.index.trail(record.id));
    if (!isWanted(row)) continue;
    items.push(row);
    if (items.length < limit) continue;
    next = cursor;
    break;
  }
  const tools = new Set(inspected.index.ledger.trails.map(({ tool }) => tool));
  /** `tools`: all tools that have outputs, for the filter. */
  return { items, next, tools: [...tools].sort() };
}

function filterOf(request: ApiRequest): (row: OutputRow) => boolean {
  const only = request.oneOf('only', ['cut', 'failed', 'fetched']);
  return (row) =>
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

/**
 * The outputs of all scopes as one list. What a compaction keeps, of which the ledger has nothing,
 * comes only if `spillway_*` asks for it.
 */
async function* allRecords({ store, scopes }: Inspected, request: ApiRequest): AsyncGenerator<OutputRecord> {
  const tool = request.text('tool');
  const isOwn = tool === 'spillway_*';
  const narrowed = defined({ tool: isOwn ? undefined : tool, session: request.text('session') });
  const lists = scopes.map((scope) => recordsOf(store, { scope, show: 'all', ...narrowed }));
  const heads = await Promise.all(lists.map(async (list) => ({ list, next: await list.next() })));
  for (;;) {
    const open = heads.filter(({ next }) => next.done !== true);
    const newest = open.sort((a, b) => endOf(b.next) - endOf(a.next))[0];
    if (newest === undefined || newest.next.done === true) return;
    if (isCompactionOutput(newest.next.value.tool) === isOwn) yield newest.next.value;
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

async function searchAll(inspected: Inspected, request: ApiRequest) {
  const text = request.sought();
  const until = performance.now() + LOOK_MS;
  const items = [];
  let [looked, bytes] = [0, 0];
  for await (const { record, cursor } of records(inspected, request)) {
    const found = await searchOne(inspected, record, text, request);
    if (found !== null) items.push(found);
    looked++;
    bytes += sum(record.parts, (part) => part.bytes);
    if (performance.now() > until || items.length >= PAGE) return { items, next: cursor, looked, bytes };
  }
  return { items, next: null, looked, bytes };
}

async function searchOne(inspected: Inspected, record: OutputRecord, text: string, request: ApiRequest) {
  const { spillway, store, index } = inspected;
  const first = [];
  let matches = 0;
  for (const part of record.parts.filter(isShownText)) {
    const by = rowUnit(part);
    const { place, charOf } = await placing({ record, spillway, store, isPreview: false }, part, by);
    const sought = { part: part.index, text, signal: request.signal };
    for await (const some of readerOf(spillway).search(record, sought)) {
      for (const match of some.slice(0, FIRST_LINES - first.length)) {
        const at = await charOf(match);
        const before = Math.min(80, (by === 'lines' ? match.column : at) - 1);
        const range = { part: part.index, from: at - before, chars: EXCERPT_CHARS };
        const around = await readerOf(spillway).chars(record, range);
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

/**
 * Parts that are no text: images, audio, anything else. They are kept as they came, so the bytes of
 * an image may lie in base64, or in a content block of MCP, which is JSON around that.
 */
const MOST_BYTES = 32 * 1024 * 1024;

async function showMedia(inspected: Inspected, request: ApiRequest): Promise<Bytes> {
  const { record, spillway } = await inspected.find(request.id);
  const part = request.part();
  const known = (await readerOf(spillway).parts(record, 1_000)).find(({ index }) => index === part);
  if (known === undefined || known.kind !== 'binary')
    throw new Problem('not_found', 'There is no such image.');
  if (known.bytes > MOST_BYTES) throw new Problem('too_large', 'It is too large to show here. Download it.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(spillway, record, part)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { type, body } = known.notes.includes('base64')
    ? { type: known.mediaType, body: Buffer.from(bytes.toString('latin1'), 'base64') }
    : (contentBlock(known.mediaType, bytes) ?? { type: known.mediaType, body: bytes });
  return {
    rawBytes: only(body),
    headers: {
      'content-type': 'application/octet-stream',
      'x-media-type': (type ?? '').replace(/[^\w/+.-]/g, '').slice(0, 100),
    },
  };
}

interface Media {
  readonly type: string;
  readonly body: Buffer;
}

/** `{ type: 'image', data, mimeType }`, or a resource with a blob; null for any other part. */
function contentBlock(mediaType: string | undefined, bytes: Buffer): Media | null {
  if (mediaType !== 'application/json') return null;
  const block = fieldsIn(bytes.toString('utf8'));
  const { data, blob, mimeType } = { ...block, ...(block.resource as Fields | undefined) };
  const held = data ?? blob;
  if (typeof held !== 'string' || typeof mimeType !== 'string') return null;
  return { type: mimeType, body: Buffer.from(held, 'base64') };
}

async function* only(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

type Handler = (inspected: Inspected, request: ApiRequest<never>, access: Access) => Promise<unknown>;

export const ROUTES = {
  'GET /api/workspace': showWorkspace,
  // Answered by the server itself, which holds the streams.
  'GET /api/live': async () => null,
  'GET /api/sessions': listSessions,
  'GET /api/sessions/:id': showSession,
  'GET /api/sessions/:id/thread': showThread,
  'GET /api/sessions/:id/message': showMessage,
  'GET /api/sessions/:id/window': showWindow,
  'GET /api/sessions/:id/timeline': showTimeline,
  'POST /api/sessions/:id/end': endSession,
  'GET /api/outputs': listOutputs,
  'GET /api/search': searchAll,
  'GET /api/outputs/:id': showOutput,
  'GET /api/outputs/:id/lines': showLines,
  'GET /api/outputs/:id/tree': showTree,
  'GET /api/outputs/:id/search': searchOutput,
  'GET /api/outputs/:id/findings': showFindings,
  'GET /api/outputs/:id/origins': showOrigins,
  'GET /api/outputs/:id/media': showMedia,
  'POST /api/outputs/:id/loss': judgeLoss,
  'POST /api/outputs/:id/raw': makeRawLink,
  'POST /api/preview/texts': takeText,
  'POST /api/preview': preview,
  'GET /api/settings': listSettings,
  'GET /api/settings/of': showToolSettings,
  'GET /api/settings/changes': listChanges,
  'POST /api/settings/change': changeSetting,
  'POST /api/settings/undo': undoChange,
  'POST /api/settings/effect': showEffect,
  'GET /api/analytics': showAnalytics,
  'POST /api/discover': discoverHistories,
  'GET /api/store': showStore,
  'GET /api/store/sessions': listStoreSessions,
  'POST /api/store/clean': cleanStore,
  'POST /api/store/archive': archiveStore,
  'GET /api/store/doctor': showDoctor,
} satisfies Record<`${'GET' | 'POST'} /api/${string}`, Handler>;

interface Matched {
  readonly handle: Handler;
  readonly id: string;
}

/** The route that answers; throws a `Problem` if none does. */
export function matchRoute(method: string, pathname: string): Matched {
  const found = Object.entries<Handler>(ROUTES).flatMap(([route, handle]) => {
    const [takes = '', path = ''] = route.split(' ');
    const [, id] = new RegExp(`^${path.replace(':id', '([^/]+)')}()$`).exec(pathname) ?? [];
    return id === undefined ? [] : [{ takes, handle, id: decoded(id) }];
  });
  if (found.length === 0) throw new Problem('not_found', 'There is no such address.');
  const meant = found.find(({ takes }) => takes === method);
  if (meant === undefined) throw new Problem('wrong_method', `Use ${found[0]?.takes}.`);
  return meant;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A segment that cannot be decoded names nothing.
    throw new Problem('not_found', 'There is no such address.');
  }
}

async function showWorkspace(inspected: Inspected) {
  const { index, spillway, workspace } = inspected;
  const last = index.lastPrepared;
  return {
    name: basename(workspace.root),
    has_store: inspected.hasStore,
    store_problem: inspected.storeProblem,
    untrusted_store: workspace.foreign,
    notices: workspace.notices,
    window: last === undefined ? null : { ...windowOf(spillway, last), session: last.session ?? '' },
    cursor: index.cursor,
  };
}
