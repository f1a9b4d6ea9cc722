/**
 * Everything of one store into another, whatever they are made of: outputs with their projections,
 * messages, summaries, sessions and the ledger. Bytes are compared with their hash as they are
 * read, and again as the copy gives them back. A copy that was interrupted goes on when it is begun
 * again: what is there is compared, not written. What was purged is not there to be copied.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { LedgerEvent } from '../model/events.ts';
import type { OutputRecord } from '../model/output.ts';
import type { SessionRecord } from '../model/session.ts';
import type { Page, Paged, Store, WaitOptions } from '../model/store.ts';
import { Sha256 } from '../text/digest.ts';
import { AUDIENCES } from './lines/export.ts';
import { OutputImport } from './lines/output-import.ts';

/** How a store is copied. */
export interface CopyStoreOptions extends WaitOptions {
  /** The scope in the copy; null leaves a scope out. Default: the same. */
  readonly scope?: (scope: string) => string | null;
  /** Told of every output, with the bytes that were read of it and of its copy. */
  readonly onOutput?: (progress: StoreCopy) => void;
}

/** What was copied. */
export interface StoreCopy {
  /** Outputs that are in both now. */
  readonly outputs: number;
  /** Those of them that were there before. */
  readonly known: number;
  /** Bytes of all their parts. */
  readonly bytes: number;
  readonly messages: number;
  readonly events: number;
  /** Outputs whose bytes are damaged in the first store: they are not copied. */
  readonly damaged: readonly ArtifactId[];
}

const PAGE = 1_000;

/** Copies a store, and compares every byte. */
export async function copyStore(from: Store, to: Store, options: CopyStoreOptions = {}): Promise<StoreCopy> {
  const { scope: renamed = (scope: string) => scope, signal, onOutput } = options;
  const total = { outputs: 0, known: 0, bytes: 0, messages: 0, events: 0, damaged: [] as ArtifactId[] };
  const sessions: SessionRecord[] = [];
  for await (const session of every((page) => from.sessions({ show: 'all', ...page })))
    sessions.push(session);
  // The longest silent first: so the newest is the newest in the copy as well.
  for (const session of sessions.reverse()) {
    const scope = renamed(session.scope);
    if (scope === null) continue;
    const name = { scope, session: session.id };
    for (const record of await recordsOf(from, session)) {
      signal?.throwIfAborted();
      const ended = await copyOutput(from, to, record, name);
      if (ended === 'damaged') total.damaged.push(record.id);
      else {
        total.outputs++;
        if (ended === 'known') total.known++;
        total.bytes += record.parts.reduce((sum, { bytes }) => sum + bytes, 0);
      }
      onOutput?.({ ...total });
    }
    total.messages += await copyMessages(from, to, session, name, signal);
    if (session.endedAt !== undefined)
      await to.retire({ how: 'retire', ...name, endSession: true, at: session.endedAt });
  }
  total.events = await copyEvents(from, to, renamed, signal);
  return total;
}

interface Name {
  readonly scope: string;
  readonly session: string;
}

/** Oldest first, so that versions of a call follow each other. */
async function recordsOf(store: Store, { scope, id }: SessionRecord): Promise<OutputRecord[]> {
  const records: OutputRecord[] = [];
  for await (const record of every((page) => store.list({ scope, session: id, show: 'all', ...page })))
    records.push(record);
  return records.reverse();
}

async function copyOutput(
  from: Store,
  to: Store,
  record: OutputRecord,
  name: Name,
): Promise<'new' | 'known' | 'damaged'> {
  const copy = await OutputImport.begin(to, name, record);
  try {
    if (!copy.isNew) {
      await mustBeWhole(to, record);
      return 'known';
    }
    for (const { index } of record.parts)
      for await (const piece of (await from.read(record.id, index, { bytes: 0 })).pieces)
        await copy.add(index, piece);
    const projections = await Promise.all(AUDIENCES.map((audience) => from.frozen(record.id, audience)));
    await copy.end(projections.filter((one) => one !== undefined));
  } catch (error) {
    await copy.discard();
    if (error instanceof SpillwayError && error.code === 'corrupt') return 'damaged';
    throw error;
  }
  await mustBeWhole(to, record);
  if (record.retiredAt !== undefined)
    await to.retire({ how: 'retire', scope: name.scope, ids: [record.id], at: record.retiredAt });
  return 'new';
}

/** What the copy gives back must be what was given to it. */
async function mustBeWhole(store: Store, { id, parts }: OutputRecord): Promise<void> {
  for (const { index, hash } of parts) {
    const found = new Sha256();
    for await (const piece of (await store.read(id, index, { bytes: 0 })).pieces) found.update(piece);
    if (found.digest() !== hash)
      throw new SpillwayError(
        'corrupt',
        `The copy of ${id} is not what was written: look after the disk of the new store, and begin again.`,
      );
  }
}

async function copyMessages(
  from: Store,
  to: Store,
  { scope, id }: SessionRecord,
  name: Name,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    const page = await from.messages({ scope, session: id, limit: 100, ...pageAfter(after) });
    const messages = page.items.map(({ scope: _scope, session: _session, ordinal: _, ...draft }) => draft);
    if (messages.length > 0) await to.addMessages({ ...name, messages });
    count += messages.length;
    after = page.next;
    if (after === undefined) break;
  }
  const known = (await to.summaries({ ...name, limit: 1 })).items[0]?.version ?? 0;
  const summaries = [];
  for await (const one of every((page) => from.summaries({ scope, session: id, ...page })))
    if (one.version > known) summaries.push(one);
  for (const { version: _, ...draft } of summaries.reverse()) await to.addSummary({ ...draft, ...name });
  return count;
}

/** In their order. Those that an earlier try has copied are not copied again. */
async function copyEvents(
  from: Store,
  to: Store,
  renamed: (scope: string) => string | null,
  signal: AbortSignal | undefined,
): Promise<number> {
  const known = new Map<string, number>();
  for await (const event of every((page) => to.events(page))) count(known, event, 1);
  let copied = 0;
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    const page = await from.events({ limit: PAGE, ...pageAfter(after) });
    const fresh = page.items.flatMap((event) => {
      const scope = renamed(event.scope);
      const copy = scope === null ? null : { ...event, scope };
      return copy === null || count(known, copy, -1) >= 0 ? [] : [copy];
    });
    if (fresh.length > 0) await to.note(fresh);
    copied += page.items.length;
    after = page.next;
    if (after === undefined) return copied;
  }
}

/** How often an event is known from now on; never below -1. */
function count(known: Map<string, number>, event: LedgerEvent, by: 1 | -1): number {
  const key = new Sha256().update(JSON.stringify(event)).digest().slice(0, 24);
  const times = (known.get(key) ?? 0) + by;
  if (times < 0) return -1;
  known.set(key, times);
  return times;
}

async function* every<T>(list: (page: Paged) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const page = await list({ limit: PAGE, ...pageAfter(after) });
    yield* page.items;
    after = page.next;
    if (after === undefined) return;
  }
}

function pageAfter(after: string | undefined): Paged {
  return after === undefined ? {} : { after };
}
