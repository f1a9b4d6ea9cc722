/** `spillway artifacts list`: what the workspace stored, newest first. */
import { bytesForPeople, type OutputRecord } from '@spillway/core';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { artifactFacts } from './facts.ts';
import { recordsOf, withStore } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [{ name: 'all', doc: 'Also those that were shown whole, and revoked ones.' }, JSON_FLAG],
  examples: ['spillway artifacts list', 'spillway artifacts list --all --json'],
};

export async function run(given: Given): Promise<number> {
  return withStore(async ({ workspace }, store) => {
    const all = given.has('all');
    const records: OutputRecord[] = [];
    for await (const record of recordsOf(store, { scope: workspace.scope, show: all ? 'all' : 'disclosed' }))
      records.push(record);
    if (given.has('json')) await print(`${JSON.stringify({ artifacts: records.map(artifactFacts) })}\n`);
    else if (records.length === 0) tell('No artifacts here.');
    else {
      const header = all ? ['ID', 'Size', 'State', 'Source'] : ['ID', 'Size', 'Source'];
      await print(
        boxTable(
          'Artifacts',
          header,
          records.map((record) => row(record, all)),
          columnsOf(1),
        ),
      );
    }
    return 0;
  });
}

function row(record: OutputRecord, withState: boolean): string[] {
  const size = bytesForPeople(artifactFacts(record).size);
  return withState ? [record.id, size, stateOf(record), record.summary] : [record.id, size, record.summary];
}

function stateOf(record: OutputRecord): string {
  const told = record.revokedAt !== undefined ? 'revoked' : record.disclosed ? 'told' : 'shown whole';
  return record.complete ? told : `${told}, incomplete`;
}
