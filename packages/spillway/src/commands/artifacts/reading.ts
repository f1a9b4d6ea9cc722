/**
 * Opens the workspace for commands that look at what is stored. Looking never makes a store where
 * there is none.
 */

import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type ArtifactId,
  isArtifactId,
  type OutputRecord,
  parseArtifactId,
  SpillwayError,
  type Store,
} from '@spillway/core';
import { nearest, pluralize, redactedIn } from '@spillway/core/plugin';
import { everyItem, type OutputQuery } from '@spillway/core/store';
import { inSnakeCase } from '../../fields.ts';
import type { Workspace } from '../../find-workspace.ts';
import { keepMemorySmall } from '../../memory.ts';
import { inWords } from '../../named-file.ts';
import { type Opened, open } from '../../open.ts';
import { callingAgent } from '../../terminal.ts';
import { commandHint } from '../command-hint.ts';

export async function withStore<T>(work: (opened: Opened, store: Store) => Promise<T>): Promise<T> {
  keepMemorySmall();
  const hint = commandHint();
  const opened = await open({ hint, asOwner: true, looking: true });
  refuseNoFolder(opened.workspace);
  try {
    if (opened.store === null) throw new SpillwayError('store_unavailable', 'There is no store here.');
    return await work(opened, opened.store);
  } finally {
    await opened.spillway.close();
  }
}

/** A place that cannot hold a store is told: it may have been named by mistake. */
function refuseNoFolder(workspace: Workspace): void {
  if (workspace.shared !== null) return;
  try {
    const [folder, found] = nearestAbove(workspace.artifacts);
    if (!found.isDirectory()) throw noStoreAt(workspace, `${JSON.stringify(folder)} is not a folder`);
  } catch (error) {
    throw error instanceof SpillwayError ? error : noStoreAt(workspace, inWords(error));
  }
}

/** The path itself, or the nearest above it that is there. */
function nearestAbove(path: string): readonly [string, Stats] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? nearestAbove(dirname(path)) : [path, found];
}

function noStoreAt({ artifacts, inside }: Workspace, why: string): SpillwayError {
  const advice = inside ? '' : ' Check SPILLWAY_STORE and spillway.store in your own file.';
  return new SpillwayError(
    'store_unavailable',
    `There can be no store in ${JSON.stringify(artifacts)}: ${why}.${advice}`,
  );
}

export function recordsOf(store: Store, query: OutputQuery): AsyncGenerator<OutputRecord> {
  return everyItem((page) => store.list({ ...query, ...page }));
}

/** The record under a handle, or an error that says what has become of it. */
export async function foundRecord(store: Store, scope: string, typed: string): Promise<OutputRecord> {
  const id = parseArtifactId(typed);
  const found = await store.find({ scope, id });
  if (found === undefined) throw new SpillwayError('not_found', `There is no artifact ${id} here.`);
  if ('purgedAt' in found) throw new SpillwayError('gone', `Artifact ${id} is no longer kept.`);
  return found;
}

/** Exact bytes hold what an agent was not shown of a redacted output: they are for people. */
export function refuseSecrets({ id, parts }: OutputRecord): void {
  const redacted = redactedIn(parts.filter(({ role }) => role === 'decoded'));
  if (redacted === 0 || callingAgent().agent === undefined) return;
  throw new SpillwayError(
    'invalid_argument',
    `${pluralize(redacted, 'secret')} of ${id} were redacted, and exact bytes are not for agents. Read its pages: spillway artifacts show ${id}`,
  );
}

export function artifactFacts(record: OutputRecord) {
  const content = record.parts.filter((part) => part.role === 'content');
  return {
    id: record.id,
    size: content.reduce((sum, part) => sum + part.bytes, 0),
    lines: content.reduce((sum, part) => sum + part.lines, 0),
    type: content.length === 1 ? (content[0]?.mediaType ?? content[0]?.kind ?? 'text') : 'parts',
    source: { tool: record.tool, server: record.server ?? null, summary: record.summary },
    session: record.session,
    created: new Date(record.startedAt).toISOString(),
    hash: content.length === 1 ? (content[0]?.hash ?? '') : content.map((part) => part.hash),
    complete: record.complete,
    outcome: inSnakeCase(record.outcome),
    disclosed: record.disclosed,
    revoked: record.retiredAt !== undefined,
  };
}

// Handles as people type them: whole, by a beginning that only one handle has, or `last`. The
// beginning may be that of the handle (`art_17947186`) or of its random part (`m9dg`). Text that
// cannot be the beginning of a handle is never looked up.

/** The newest output, as an operand. */
const LAST = 'last';
/** Characters behind `art_`, or of the random part, that must be given. */
const FEWEST_CHARS = 4;
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
