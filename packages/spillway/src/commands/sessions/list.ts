/** `spillway sessions list`: the sessions of the workspace, the one seen last first. */
import type { SessionRecord } from '@spillway/core/store';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print, tell } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { withStore } from '../artifacts/reading.ts';
import { sessionFacts, sessionsOf } from './reading.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [{ name: 'all', doc: 'Also those that have ended. Deleted ones are gone.' }, JSON_FLAG],
  examples: ['spillway sessions list', 'spillway sessions list --all --json'],
};

export async function run(given: Given): Promise<number> {
  return withStore(async ({ workspace }, store) => {
    const sessions: SessionRecord[] = [];
    const show = given.has('all') ? 'all' : 'open';
    for await (const session of sessionsOf(store, { scope: workspace.scope, show })) sessions.push(session);
    if (given.has('json')) await print(`${JSON.stringify({ sessions: sessions.map(sessionFacts) })}\n`);
    else if (sessions.length === 0) tell('No sessions here.');
    else
      await print(
        boxTable('Sessions', ['Opened', 'Last seen', 'State', 'ID'], sessions.map(row), columnsOf(1)),
      );
    return 0;
  });
}

function row({ id, openedAt, seenAt, endedAt }: SessionRecord): string[] {
  return [minute(openedAt), minute(seenAt), endedAt === undefined ? 'open' : 'ended', id];
}

/** In UTC, as in `--json`. */
function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
