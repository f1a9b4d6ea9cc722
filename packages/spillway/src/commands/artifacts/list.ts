/** `spillway artifacts list`: what the workspace stored, newest first. */

import type { OutputRecord } from '@spillway/core';
import { formatBytes } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG, SESSION_FLAG } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { ageOf } from '../durations.ts';
import { foundSession } from '../sessions/reading.ts';
import { artifactFacts } from './facts.ts';
import { recordsOf, withStore } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [
    { name: 'all', doc: 'Also those that were shown whole, and retired ones.' },
    SESSION_FLAG,
    { name: 'tool', value: 'NAME', doc: 'Only outputs of this tool.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway artifacts list',
    'spillway artifacts list --session run-42',
    'spillway artifacts list --all --json',
  ],
};

export async function run(given: Given): Promise<number> {
  const [session, tool] = [given.value('session'), given.value('tool')];
  return withStore(async ({ workspace: { scope } }, store) => {
    if (session !== undefined) await foundSession(store, scope, session);
    const all = given.has('all');
    const records: OutputRecord[] = [];
    for await (const record of recordsOf(store, {
      scope,
      show: all ? 'all' : 'disclosed',
      ...(session === undefined ? {} : { session }),
      ...(tool === undefined ? {} : { tool }),
    }))
      records.push(record);
    if (given.has('json')) await print(`${JSON.stringify({ artifacts: records.map(artifactFacts) })}\n`);
    else if (records.length === 0) tell('No artifacts here.');
    else {
      const now = Date.now();
      const header = all ? ['ID', 'Age', 'Size', 'State', 'Source'] : ['ID', 'Age', 'Size', 'Source'];
      const rows = records.map((record) => row(record, now, all ? [stateOf(record)] : []));
      await print(boxTable('Artifacts', header, rows, columnsOf(1)));
    }
    return 0;
  });
}

function row(record: OutputRecord, now: number, state: readonly string[]): string[] {
  const size = formatBytes(artifactFacts(record).size);
  return [record.id, ageOf(record.startedAt, now), size, ...state, record.summary];
}

function stateOf(record: OutputRecord): string {
  const standing = record.retiredAt !== undefined ? 'retired' : record.disclosed ? 'told' : 'shown whole';
  return record.complete ? standing : `${standing}, incomplete`;
}
