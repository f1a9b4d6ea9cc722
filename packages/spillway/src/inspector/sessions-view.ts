/** The routes of sessions: the list, one of them, its thread, its window, and its end. */

import type { LedgerEvent, Spillway } from '@spillway/core';
import { History } from '@spillway/core/history';
import { everyItem, type SessionRecord } from '@spillway/core/store';
import { sum } from '../fields.ts';
import { type ApiRequest, flag, Problem } from './answer.ts';
import type { Inspected } from './inspected.ts';
import { entriesOf, indexIn, matchingIn, textOf } from './thread.ts';

const PAGE = 50;
const THREAD_PAGE = 200;
const MOST_ENTRIES = 100_000;

export async function listSessions(inspected: Inspected, request: ApiRequest) {
  const limit = request.number('limit', 1, 500) ?? PAGE;
  const show = request.oneOf('show', ['open', 'all']) ?? 'all';
  const wanted = request.text('q')?.toLowerCase() ?? '';
  const items = [];
  for await (const session of everyItem((page) => inspected.store.sessions({ show, ...page }))) {
    if (!inspected.owns(session.scope) || !session.id.toLowerCase().includes(wanted)) continue;
    const row = await sessionRow(inspected, session);
    if (row !== null) items.push(row);
    if (items.length === limit) break;
  }
  return { items };
}

/** Null for a session that was deleted: the store only remembers that it was there. */
async function sessionRow(inspected: Inspected, session: SessionRecord) {
  const { id, scope, openedAt, seenAt, endedAt } = session;
  const last = await inspected.store.messages({ scope, session: id, order: 'newest', limit: 1 });
  const messages = last.items[0]?.ordinal ?? 0;
  if (endedAt !== undefined && messages === 0 && !(await hasOutputs(inspected, session))) return null;
  const prepared = inspected.index.preparedIn(scope, id);
  return {
    id,
    opened_at: openedAt,
    seen_at: seenAt,
    ended_at: endedAt ?? null,
    totals: { ...totalsOf(inspected, session), messages },
    /** Null for hosts that keep no history here, and while no request was prepared. */
    window: prepared === undefined ? null : windowOf(inspected.spillway, prepared),
  };
}

async function hasOutputs({ store }: Inspected, { scope, id }: SessionRecord): Promise<boolean> {
  return (await store.list({ scope, session: id, show: 'all', limit: 1 })).items.length > 0;
}

function totalsOf({ index }: Inspected, { scope, id }: SessionRecord) {
  const trails = index.trailsOf(scope, id);
  return {
    calls: trails.length,
    cut: sum(trails, ({ cut }) => Number(cut)),
    shown: sum(trails, ({ shown }) => Number(shown !== null)),
    failed: sum(trails, ({ status }) => Number(status !== 'ok')),
    read_later: sum(trails, ({ cut, fetches }) => Number(cut && fetches > 0)),
  };
}

/** The session of a name, or of any, the one seen last where there are several. */
export async function sessionOf(inspected: Inspected, id?: string): Promise<SessionRecord> {
  for await (const session of everyItem((page) => inspected.store.sessions({ show: 'all', ...page })))
    if ((id ?? session.id) === session.id && inspected.owns(session.scope)) return session;
  throw new Problem('not_found', 'There is no session of that name here.');
}

export async function showSession(inspected: Inspected, request: ApiRequest) {
  const session = await sessionOf(inspected, request.id);
  const row = await sessionRow(inspected, session);
  if (row === null) throw new Problem('gone', 'This session was deleted.');
  const thread = await inspected.threads.of(inspected, session);
  return {
    ...row,
    has_messages: thread.messages > 0,
    missing: thread.missing,
    compactions: thread.compactions,
    entries: thread.entries.length,
  };
}

export async function showThread(inspected: Inspected, request: ApiRequest) {
  const session = await sessionOf(inspected, request.id);
  const thread = await inspected.threads.of(inspected, session);
  const limit = request.number('limit', 1, MOST_ENTRIES) ?? THREAD_PAGE;
  const sought = request.text('q');
  if (sought !== undefined) {
    const found = await matchingIn(inspected, session, thread, sought);
    const entries = await entriesOf(inspected, session, thread, found.slice(0, limit));
    return { from: 0, total: found.length, entries, current: -1 };
  }
  const total = thread.entries.length;
  const call = request.text('call');
  const current = call === undefined ? -1 : indexIn(thread, call);
  const around = Math.max(0, current - Math.floor(limit / 2));
  const wanted = request.number('from', -1e9, 1e9) ?? around;
  const from = Math.min(total, Math.max(0, wanted < 0 ? total + wanted : wanted));
  const indexes = Array.from({ length: Math.min(limit, total - from) }, (_, i) => from + i);
  /** `current`: the index of the entry that `call` names; -1 if there is none. */
  return { from, total, current, entries: await entriesOf(inspected, session, thread, indexes) };
}

export async function showMessage(inspected: Inspected, request: ApiRequest) {
  const session = await sessionOf(inspected, request.id);
  const summary = request.number('summary', 1, 1e9);
  const place = request.number('place', 1, 1e9) ?? 1;
  const asked = summary === undefined ? { place, call: request.text('call') } : { summary };
  return { text: await wholeText(inspected, session, asked) };
}

/** All of a message, of a summary, or of what a call was given. */
export async function wholeText(
  { store }: Inspected,
  { scope, id }: SessionRecord,
  { place = 1, call, summary }: { place?: number; call?: string | undefined; summary?: number },
): Promise<string> {
  const query = { scope, session: id };
  if (summary !== undefined) {
    for await (const { text, version } of everyItem((page) => store.summaries({ ...query, ...page })))
      if (version === summary) return text;
    throw new Problem('not_found', 'There is no such summary in this session.');
  }
  const { items } = await store.messages({ ...query, above: place - 1, limit: 1 });
  const [message] = items;
  if (message === undefined || message.ordinal !== place)
    throw new Problem('not_found', 'There is no such message in this session.');
  const named = message.parts?.find((part) => part.type === 'call' && part.callId === call);
  return named?.type === 'call' ? named.input : textOf(message);
}

export async function showWindow(inspected: Inspected, request: ApiRequest) {
  const session = await sessionOf(inspected, request.id);
  const size = request.number('size', 1, 100_000_000);
  return measuredWindow(inspected, session, size, request.signal);
}

/** With `preview` it only counts. */
const END = { preview: flag };

export async function endSession(inspected: Inspected, request: ApiRequest<typeof END>) {
  const { preview } = await request.body(END);
  const { scope, id } = await sessionOf(inspected, request.id);
  const { spillway } = inspected;
  const how = inspected.opened.config.storage.retention === 'session' ? 'purge' : 'retire';
  const order = { how, scope, session: id, endSession: true } as const;
  const { outputs, bytesFreed } = preview
    ? await spillway.retire({ ...order, preview: true })
    : await spillway.endSession(scope, id);
  return { outputs, bytes_freed: bytesFreed, preview };
}

/** What a request takes of the window, in tokens; `size` is null where nobody told it. */
export type WindowUse = ReturnType<typeof windowOf>;

interface SessionName {
  readonly scope: string;
  readonly id: string;
}

export function windowOf(
  spillway: Spillway,
  { at, session, data = {} }: Pick<LedgerEvent, 'at' | 'session' | 'data'>,
) {
  const { policy } = spillway.explain('history', session === undefined ? {} : { session });
  return {
    at,
    ...windowNumbers(data),
    warn_at: policy.warnAt,
    compact_at: policy.compactAt,
    hard_at: policy.hardAt,
    verdict: (data.verdict ?? 'fits') as 'fits' | 'warning' | 'needs_compaction' | 'refused',
  };
}

export function windowNumbers(data: NonNullable<LedgerEvent['data']>) {
  const number = (name: string) => (typeof data[name] === 'number' ? data[name] : 0);
  return {
    /** Null where no host has told the size of its window. */
    size: number('window') || null,
    used: number('tokens'),
    system: number('system'),
    /** Summaries that stand for older messages are part of `messages`. */
    messages: number('messages') + number('summary'),
    results: number('results'),
    reserved: number('reserved'),
  };
}

/** Weighs the next request of a session. Freezes and notes nothing. */
async function measuredWindow(
  { spillway, store }: Inspected,
  { scope, id }: SessionName,
  size: number | undefined,
  signal: AbortSignal,
): Promise<WindowUse> {
  const session = new History({ spillway, store }).session({ scope, session: id });
  const window = size === undefined ? {} : { window: size };
  const { numbers, composition, verdict } = await session.prepare({ ...window, purpose: 'look', signal });
  const data = { ...composition, window: numbers.window ?? 0, tokens: numbers.tokens, verdict };
  return windowOf(spillway, { at: Date.now(), session: id, data });
}
