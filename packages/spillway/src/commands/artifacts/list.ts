/** `spillway artifacts list`: what the workspace stored, newest first. */

import type { OutputRecord } from '@spillway/core';
import { formatBytes } from '@spillway/core/plugin';
import { defined } from '../../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG, SESSION_FLAG, usageError } from '../../flags.ts';
import { answer, tell } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { ageOf } from '../durations.ts';
import { foundSession } from '../sessions.ts';
import { artifactFacts, recordsOf, withStore } from './reading.ts';

export const details: CommandDetails = {
  summary: 'List stored outputs whose handle was told to a model.',
  flags: [
    { name: 'all', doc: 'Also those that were shown whole, and retired ones.' },
    SESSION_FLAG,
    { name: 'tool', value: 'NAME', doc: 'Only outputs of this tool.' },
    { name: 'limit', value: 'N', doc: 'Only the N newest.' },
    { name: 'server', value: 'NAME', doc: 'Only outputs that came through the gateway of this server.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway artifacts list',
    'spillway artifacts list --limit 10',
    'spillway artifacts list --session run-42',
    'spillway artifacts list --all --json',
  ],
};

export async function run(given: Given): Promise<void> {
  const [session, tool, server] = [given.value('session'), given.value('tool'), given.value('server')];
  const limit = limitOf(given.value('limit'));
  return withStore(async ({ workspace: { scope } }, store) => {
    if (session !== undefined) await foundSession(store, scope, session);
    const all = given.has('all');
    const records: OutputRecord[] = [];
    const query = { scope, show: all ? 'all' : 'disclosed', ...defined({ session, tool }) } as const;
    for await (const record of recordsOf(store, query))
      if (server === undefined || record.server === server) records.push(record);
    records.sort((a, b) => b.startedAt - a.startedAt);
    records.splice(limit);
    if (records.length === 0 && !given.has('json')) tell('No artifacts here.');
    else
      await answer(given, { artifacts: records.map(artifactFacts) }, tableOf(records, all ? ['State'] : []));
  });
}

/** `state`: the column that tells what became of an output, where it is shown. */
function tableOf(records: readonly OutputRecord[], state: readonly string[]): string {
  const now = Date.now();
  const served = records.some((record) => record.server !== undefined);
  const rows = records.map((record) => [
    record.id,
    ageOf(record.startedAt, now),
    formatBytes(artifactFacts(record).size),
    ...state.map(() => stateOf(record)),
    ...(served ? [record.server ?? ''] : []),
    record.summary,
  ]);
  const header = ['ID', 'Age', 'Size', ...state, ...(served ? ['Server'] : []), 'Source'];
  return boxTable('Artifacts', header, rows, columnsOf(1));
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError('--limit takes a number of artifacts, at least 1.', 'artifacts list');
}

function stateOf(record: OutputRecord): string {
  const standing = record.retiredAt !== undefined ? 'retired' : record.disclosed ? 'told' : 'shown whole';
  return record.complete ? standing : `${standing}, incomplete`;
}
