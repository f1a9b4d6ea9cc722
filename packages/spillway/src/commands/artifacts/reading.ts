/**
 * Opens the workspace for commands that look at what is stored. Looking never makes a store where
 * there is none.
 */

import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type OutputRecord, parseArtifactId, SpillwayError, type Store } from '@spillway/core';
import { pluralize, redactedIn } from '@spillway/core/plugin';
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

/** The records of a query, page by page. */
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
