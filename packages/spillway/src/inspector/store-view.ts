/** The routes of the store: how much it holds, what can go, and whether it is whole. */

import { type ArtifactId, SpillwayError } from '@spillway/core';
import { everyItem, type SessionRecord } from '@spillway/core/store';
import { recordsOf } from '../commands/artifacts/reading.ts';
import { examine } from '../doctor/examine.ts';
import { readBack } from '../doctor/read-back.ts';
import { sum } from '../fields.ts';
import { shownStore, storeFile } from '../find-workspace.ts';
import { copyLimits } from '../open.ts';
import { copyUsage } from '../plain-copies.ts';
import { freeIn, storeSize } from '../store-size.ts';
import { type ApiRequest, count, flag, oneOf, orNull, Problem, text } from './answer.ts';
import type { Inspected } from './inspected.ts';
import { type OutputRow, outputRow } from './rows.ts';

const MOST_SESSIONS = 500;
const MOST_ITEMS = 500;

export async function showStore(inspected: Inspected) {
  const { workspace, opened, hasStore } = inspected;
  const { storage } = opened.config;
  const { database, largeParts } = storeSize(storeFile(workspace));
  const { outputs, bytes, sessions, events } = await inspected.store.usage();
  const copies = copyUsage(workspace.artifacts);
  return {
    has_store: hasStore,
    file: shownStore(workspace),
    bytes,
    file_bytes: workspace.shared === null ? database + largeParts : bytes,
    free_bytes: freeIn(workspace.root),
    max_bytes: storage.maxBytes ?? null,
    outputs,
    sessions,
    events,
    retention: storage.retention ?? 'durable',
    max_age_days: storage.maxAgeDays ?? null,
    durability: storage.durability ?? 'power',
    copies: { files: copies.copies, bytes: copies.bytes, max_bytes: copyLimits(storage).maxCopiesBytes },
  };
}

export async function listStoreSessions(inspected: Inspected) {
  const { store, scopes } = inspected;
  const sums = new Map<string, { outputs: number; bytes: number }>();
  for (const scope of scopes) {
    for await (const { session, parts } of recordsOf(store, { scope, show: 'all' })) {
      const key = JSON.stringify([scope, session]);
      const { outputs, bytes } = sums.get(key) ?? { outputs: 0, bytes: 0 };
      sums.set(key, { outputs: outputs + 1, bytes: bytes + sum(parts, (part) => part.bytes) });
    }
  }
  const sessions = [];
  for await (const one of everyItem((page) => store.sessions({ show: 'all', ...page }))) {
    const own = sums.get(JSON.stringify([one.scope, one.id]));
    if (own === undefined || !inspected.owns(one.scope)) continue;
    const { id, seenAt, endedAt } = one;
    const state = endedAt !== undefined ? 'ended' : seenAt < idleSince() ? 'idle' : 'in use';
    sessions.push({ id, ...own, seen_at: seenAt, state });
  }
  return { sessions: sessions.sort((a, b) => b.bytes - a.bytes).slice(0, MOST_SESSIONS) };
}

/** A session that was not used for a day is idle: hosts seldom say that one has ended. */
const IDLE_MS = 24 * 60 * 60 * 1_000;

function idleSince(): number {
  return Date.now() - IDLE_MS;
}

/**
 * Ends handles (`retire`) or removes outputs (`purge`): of the session that is named, else of all
 * that have ended or are idle. Those that are idle end with it. With `confirm: null` it only tells
 * what would go; to carry it out, `confirm` is the number of outputs of that preview.
 */
const CLEAN = {
  how: oneOf('retire', 'purge'),
  session: orNull(text),
  before_at: orNull(count),
  confirm: orNull(count),
};

export async function cleanStore(inspected: Inspected, request: ApiRequest<typeof CLEAN>) {
  const { how, session, before_at: before, confirm } = await request.body(CLEAN);
  const { spillway, store, scopes } = inspected;
  const order = { how, ...(before === null ? {} : { before }) };
  const idle: SessionRecord[] = [];
  if (session === null)
    for await (const one of everyItem((page) => store.sessions({ idleSince: idleSince(), ...page })))
      if (inspected.owns(one.scope)) idle.push(one);
  const named = scopes.map((scope) =>
    session === null ? { ...order, scope, ended: true as const } : { ...order, scope, session },
  );
  const meant = [...named, ...idle.map(({ scope, id }) => ({ ...order, scope, session: id }))];
  const previews = [];
  for (const one of meant) previews.push(await spillway.retire({ ...one, preview: true }));
  const outputs = sum(previews, (one) => one.outputs);
  const items = await rowsOf(inspected, previews.flatMap(({ ids = [] }) => ids).slice(0, MOST_ITEMS));
  if (confirm === null)
    return { outputs, bytes_freed: sum(previews, (one) => one.bytesFreed), done: false, items };
  if (confirm !== outputs)
    throw new Problem('changed', `There are ${outputs} outputs by now. Look at the list again.`);
  for (const { scope, id } of idle) await spillway.endSession(scope, id);
  const done = [];
  for (const one of named) done.push(await spillway.retire(one));
  return { outputs, bytes_freed: sum(done, (one) => one.bytesFreed), done: true, items };
}

/** The outputs under these handles that are still kept. */
export async function rowsOf({ index, store, scopes }: Inspected, ids: readonly ArtifactId[]) {
  const rows: OutputRow[] = [];
  for (const id of ids) {
    const scope = index.trail(id)?.scope ?? scopes[0] ?? '';
    const found = await store.find({ scope, id });
    if (found !== undefined && !('purgedAt' in found)) rows.push(outputRow(found, index.trail(id)));
  }
  return rows;
}

const ARCHIVE = { before_at: count, session: orNull(text), preview: flag };

export async function archiveStore(inspected: Inspected, request: ApiRequest<typeof ARCHIVE>) {
  const { before_at: before, session, preview } = await request.body(ARCHIVE);
  const { store, scopes } = inspected;
  const narrowed = session === null ? {} : { session };
  if (preview) return archivePreview(inspected, before, narrowed);
  const done = [];
  for (const scope of scopes) done.push(await store.archive({ scope, before, ...narrowed }));
  return {
    outputs: sum(done, (one) => one.outputs),
    bytes_before: sum(done, (one) => one.bytesBefore),
    bytes_after: sum(done, (one) => one.bytesAfter),
    items: [] as OutputRow[],
  };
}

/** The outputs that an archive would go through. How small they become is known once they are. */
async function archivePreview(
  { store, scopes, index }: Inspected,
  before: number,
  narrowed: { readonly session?: string },
) {
  const items: OutputRow[] = [];
  let [outputs, bytes] = [0, 0];
  for (const scope of scopes) {
    for await (const record of recordsOf(store, { scope, show: 'all', ...narrowed })) {
      if (record.endedAt >= before) continue;
      outputs++;
      bytes += sum(record.parts, (part) => part.bytes);
      if (items.length < MOST_ITEMS) items.push(outputRow(record, index.trail(record.id)));
    }
  }
  return { outputs, bytes_before: bytes, bytes_after: null, items };
}

export async function showDoctor(inspected: Inspected, request: ApiRequest) {
  const reach = request.oneOf('reach', ['newest', 'everything']) ?? 'newest';
  const { options, store, scopes, hasStore } = inspected;
  const { version, cwd } = options;
  const findings = await examine({ version, cwd, env: { ...options.env }, reach });
  const damaged: string[] = [];
  for (const scope of hasStore ? scopes : []) {
    try {
      damaged.push(...(await readBack(store, scope, reach)).damaged);
    } catch (error) {
      // Told by the findings.
      if (!(error instanceof SpillwayError)) throw error;
    }
  }
  return { findings, damaged };
}
