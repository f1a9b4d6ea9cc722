/**
 * Handles as people type them: whole, by a beginning that only one handle has, or `last`. The
 * beginning may be that of the handle (`art_17947186`) or of its random part (`m9dg`). Text that
 * cannot be the beginning of a handle is never looked up.
 */
import { type ArtifactId, isArtifactId, type OutputRecord, SpillwayError, type Store } from '@spillway/core';
import { nearest } from '@spillway/core/plugin';
import type { Opened } from '../../open.ts';
import { foundRecord, recordsOf } from './reading.ts';

/** The newest output, as an operand. */
const LAST = 'last';
/** Characters behind `art_`, or of the random part, that must be given. */
const FEWEST_CHARS = 4;
/** Handles that an error lists. */
const MOST_LISTED = 8;

const BEGINNING = /^(?:art_\d{1,15}(?:_[0-9A-Za-z]{0,64})?|[0-9A-Za-z]{4,64})$/;

/**
 * Runs `work` with the handle that was meant. If there is no such handle, the error that `work`
 * throws tells the nearest one.
 */
export async function withHandle<T>(
  typed: string,
  opened: Opened,
  store: Store,
  work: (id: string) => Promise<T>,
): Promise<T> {
  const id = await meantBy(typed, opened.workspace.scope, store);
  try {
    return await work(id);
  } catch (error) {
    throw await withNearestId(error, typed, opened, store);
  }
}

/** The record of the handle that was meant. */
export function namedRecord(typed: string, opened: Opened, store: Store): Promise<OutputRecord> {
  return withHandle(typed, opened, store, (id) => foundRecord(store, opened.workspace.scope, id));
}

/** The handle that was meant; what was typed if there is none such. */
async function meantBy(typed: string, scope: string, store: Store): Promise<string> {
  if (typed === LAST) return newest(scope, store);
  if (isArtifactId(typed) && (await store.find({ scope, id: typed })) !== undefined) return typed;
  if (typed.startsWith('art_') && typed.length < 'art_'.length + FEWEST_CHARS)
    throw new SpillwayError(
      'invalid_id',
      `That is not an artifact id; the beginning of one needs at least ${FEWEST_CHARS} characters after art_.`,
    );
  if (!BEGINNING.test(typed)) return typed;
  const found: ArtifactId[] = [];
  for await (const { id } of recordsOf(store, { scope, show: 'all' }))
    if (id.startsWith(typed) || id.slice(id.lastIndexOf('_') + 1).startsWith(typed)) found.push(id);
  if (found.length > 1) throw ambiguous(typed, found);
  return found[0] ?? typed;
}

/** The first of `artifacts list`; if nothing was cut so far, the newest output of all. */
async function newest(scope: string, store: Store): Promise<string> {
  for (const show of ['disclosed', 'all'] as const) {
    let last: OutputRecord | undefined;
    // A store lists what came into it last first: after a copy that is not what was made last.
    for await (const record of recordsOf(store, { scope, show }))
      if (last === undefined || record.startedAt > last.startedAt) last = record;
    if (last !== undefined) return last.id;
  }
  throw new SpillwayError('not_found', 'There is no artifact here: nothing has been stored yet.');
}

function ambiguous(typed: string, found: readonly ArtifactId[]): SpillwayError {
  const more = found.length > MOST_LISTED ? ` and ${found.length - MOST_LISTED} more` : '';
  return new SpillwayError(
    'invalid_argument',
    `${typed} is the beginning of ${found.length} handles: ${found.slice(0, MOST_LISTED).join(', ')}${more}. Give more of it.`,
  );
}

/** An error about an id that is not there, with the one that was probably meant. */
async function withNearestId(
  error: unknown,
  typed: string,
  { workspace }: Opened,
  store: Store,
): Promise<unknown> {
  if (!(error instanceof SpillwayError) || (error.code !== 'not_found' && error.code !== 'invalid_id'))
    return error;
  const { items } = await store.list({ scope: workspace.scope, show: 'all', limit: 500 });
  const near = nearest(
    typed,
    items.map(({ id }) => id),
  );
  return near === undefined || near === typed
    ? error
    : new SpillwayError(error.code, `${error.message} Did you mean ${near}?`);
}
