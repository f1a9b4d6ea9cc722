/** `spillway sessions show`: one session and what it stored. */
import { bytesForPeople, counted, type OutputRecord } from '@spillway/core';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { artifactFacts } from '../artifacts/facts.ts';
import { recordsOf, withStore } from '../artifacts/reading.ts';
import { foundSession, messageCount, sessionFacts } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: 'ID', min: 1, max: 1, completes: 'sessions' },
  flags: [JSON_FLAG],
  examples: ['spillway sessions show cli'],
};

export async function run(given: Given): Promise<number> {
  const [id = ''] = given.operands;
  return withStore(async ({ workspace: { scope } }, store) => {
    const facts = sessionFacts(await foundSession(store, scope, id));
    const outputs: OutputRecord[] = [];
    for await (const record of recordsOf(store, { scope, session: id, show: 'all' })) outputs.push(record);
    const bytes = outputs.reduce((sum, record) => sum + artifactFacts(record).size, 0);
    const messages = await messageCount(store, scope, id);
    if (given.has('json')) {
      await print(`${JSON.stringify({ ...facts, messages, bytes, outputs: outputs.map(artifactFacts) })}\n`);
      return 0;
    }
    const ended = facts.ended === null ? '' : `, ended ${facts.ended}`;
    await print(`Session ${id}: opened ${facts.opened}, last seen ${facts.seen}${ended}.\n`);
    const said = messages === 0 ? '' : `${counted(messages, 'message')}, `;
    await print(`${said}${counted(outputs.length, 'output')}, ${bytesForPeople(bytes)}.\n`);
    if (outputs.length > 0)
      await print(boxTable('Outputs', ['ID', 'Size', 'Ended', 'Source'], outputs.map(row), columnsOf(1)));
    return 0;
  });
}

function row(record: OutputRecord): string[] {
  const { status, exitCode, signal } = record.outcome;
  const how = exitCode !== undefined && exitCode !== 0 ? `${status} ${exitCode}` : (signal ?? status);
  return [record.id, bytesForPeople(artifactFacts(record).size), how, record.summary];
}
