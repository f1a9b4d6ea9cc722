/**
 * Everything of one store into another, whatever they are made of: outputs with their projections,
 * messages, summaries, sessions and the ledger. Bytes are compared with their hash as they are
 * read, and again as the copy gives them back. A copy that was interrupted goes on when it is begun
 * again: what is there is compared, not written. What was purged is not there to be copied.
 */
import type { ArtifactId } from '../model/artifact.ts';
import { SpillwayError } from '../model/errors.ts';
import type { LedgerEvent } from '../model/events.ts';
import { allItems, everyItem, everyPage } from '../model/every-item.ts';
import type { OutputRecord } from '../model/output.ts';
import type { SessionName, SessionRecord } from '../model/session.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import { copyOutput } from '../stores/copying.ts';
import { Sha256 } from '../text/digest.ts';
import { isWhole } from './content.ts';
import { AUDIENCES } from './lines.ts';

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
  /** Messages of all sessions. */
  readonly messages: number;
  /** Events of the ledger. */
  readonly events: number;
  /** Outputs whose bytes are damaged in the first store: they are not copied. */
  readonly damaged: readonly ArtifactId[];
}

const MESSAGES = 100;

/** Copies a store, and compares every byte. */
export async function copyStore(from: Store, to: Store, options: CopyStoreOptions = {}): Promise<StoreCopy> {
  const { scope: renamed = (scope: string) => scope, signal, onOutput } = options;
  const total = { outputs: 0, known: 0, bytes: 0, messages: 0, events: 0, damaged: [] as ArtifactId[] };
  const sessions = await allItems((page) => from.sessions({ show: 'all', ...page }));
  // The longest silent first: so the newest is the newest in the copy as well.
  for (const session of sessions.reverse()) {
    const scope = renamed(session.scope);
    if (scope === null) continue;
    const name = { scope, session: session.id };
    const own = { scope: session.scope, session: session.id, show: 'all' } as const;
    const records = await allItems((page) => from.list({ ...own, ...page }));
    // Oldest first, so that versions of a call follow each other.
    for (const record of records.reverse()) {
      signal?.throwIfAborted();
      const ended = await copied(from, to, record, name, { signal });
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

async function copied(
  from: Store,
  to: Store,
  record: OutputRecord,
  name: SessionName,
  wait: WaitOptions,
): Promise<'new' | 'known' | 'damaged'> {
  let isNew: boolean;
  try {
    const projections = await Promise.all(AUDIENCES.map((audience) => from.frozen(record.id, audience)));
    const made = projections.filter((one) => one !== undefined);
    isNew = await copyOutput(from, to, record, name, made);
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'corrupt') return 'damaged';
    throw error;
  }
  await mustBeWhole(to, record, wait);
  if (isNew && record.retiredAt !== undefined)
    await to.retire({ how: 'retire', scope: name.scope, ids: [record.id], at: record.retiredAt });
  return isNew ? 'new' : 'known';
}

/** What the copy gives back must be what was given to it. */
async function mustBeWhole(store: Store, record: OutputRecord, wait: WaitOptions): Promise<void> {
  if (await isWhole(store, record, wait)) return;
  throw new SpillwayError(
    'corrupt',
    `The copy of ${record.id} is not what was written: look after the disk of the new store, and begin again.`,
  );
}

async function copyMessages(
  from: Store,
  to: Store,
  { scope, id }: SessionRecord,
  name: SessionName,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  const given = { scope, session: id };
  for await (const items of everyPage((page) => from.messages({ ...given, ...page }), MESSAGES)) {
    signal?.throwIfAborted();
    const messages = items.map(({ scope: _scope, session: _session, ordinal: _, ...draft }) => draft);
    if (messages.length > 0) await to.addMessages({ ...name, messages });
    count += messages.length;
  }
  const known = (await to.summaries({ ...name, limit: 1 })).items[0]?.version ?? 0;
  const summaries = await allItems((page) => from.summaries({ ...given, ...page }));
  for (const { version, ...draft } of summaries.reverse())
    if (version > known) await to.addSummary({ ...draft, ...name });
  return count;
}

/** In their order. Those that an earlier try has copied are not copied again. */
async function copyEvents(
  from: Store,
  to: Store,
  renamed: (scope: string) => string | null,
  signal: AbortSignal | undefined,
): Promise<number> {
  const scopes = new Map<string, Map<string, number>>();
  let copied = 0;
  for await (const items of everyPage((page) => from.events(page))) {
    signal?.throwIfAborted();
    const fresh: LedgerEvent[] = [];
    for (const event of items) {
      const scope = renamed(event.scope);
      if (scope === null) continue;
      copied++;
      const known = scopes.get(scope) ?? (await countEvents(to, scope));
      scopes.set(scope, known);
      const key = keyOf({ ...event, scope });
      const left = known.get(key) ?? 0;
      if (left > 0) known.set(key, left - 1);
      else fresh.push({ ...event, scope });
    }
    if (fresh.length > 0) await to.note(fresh);
  }
  return copied;
}

/** How often the copy's ledger holds each event of a scope already: events have no id. */
async function countEvents(store: Store, scope: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const event of everyItem((page) => store.events({ scope, ...page })))
    counts.set(keyOf(event), (counts.get(keyOf(event)) ?? 0) + 1);
  return counts;
}

function keyOf(event: LedgerEvent): string {
  return new Sha256().update(JSON.stringify(event)).digest().slice(0, 24);
}
