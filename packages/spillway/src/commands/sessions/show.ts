/** `spillway sessions show`: one session and what it stored. */

import type { OutputRecord } from '@spillway/core';
import { History } from '@spillway/core/history';
import { formatBytes, formatCount, pluralize } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { artifactFacts } from '../artifacts/facts.ts';
import { recordsOf, withStore } from '../artifacts/reading.ts';
import { contextLine, contextOf } from './context.ts';
import { foundSession, sessionFacts } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: 'ID', min: 1, max: 1, completes: 'sessions' },
  flags: [JSON_FLAG],
  examples: ['spillway sessions show cli'],
};

export async function run(given: Given): Promise<number> {
  const [id = ''] = given.operands;
  return withStore(async ({ spillway, workspace }, store) => {
    const found = await foundSession(store, workspace.scope, id);
    const { scope } = found;
    const facts = sessionFacts(found);
    const outputs: OutputRecord[] = [];
    for await (const record of recordsOf(store, { scope, session: id, show: 'all' })) outputs.push(record);
    const bytes = outputs.reduce((sum, record) => sum + artifactFacts(record).size, 0);
    const history = new History({ spillway, store }).session({ scope, session: id });
    const { messages, legacy, missing } = await history.report();
    if (given.has('json')) {
      const numbers = { messages, bytes, legacy, missing, context: await contextOf(store, found) };
      await print(`${JSON.stringify({ ...facts, ...numbers, outputs: outputs.map(artifactFacts) })}\n`);
      return 0;
    }
    const ended = facts.ended === null ? '' : `, ended ${facts.ended}`;
    await print(`Session ${id}: opened ${facts.opened}, last seen ${facts.seen}${ended}.\n`);
    const counted = messages === 0 ? '' : `${pluralize(messages, 'message')}, `;
    await print(`${counted}${pluralize(outputs.length, 'output')}, ${formatBytes(bytes)}.\n`);
    const context = await contextOf(store, found);
    if (context !== null) await print(`${contextLine(context)}\n`);
    if (legacy > 0) await print(`Legacy results, cut before they came here: ${formatCount(legacy)}.\n`);
    if (missing > 0) await print(`Missing results: ${formatCount(missing)}.\n`);
    if (outputs.length > 0)
      await print(boxTable('Outputs', ['ID', 'Size', 'Ended', 'Source'], outputs.map(row), columnsOf(1)));
    return 0;
  });
}

function row(record: OutputRecord): string[] {
  const { status, exitCode, signal } = record.outcome;
  const how = exitCode !== undefined && exitCode !== 0 ? `${status} ${exitCode}` : (signal ?? status);
  return [record.id, formatBytes(artifactFacts(record).size), how, record.summary];
}
