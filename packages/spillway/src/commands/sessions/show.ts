/** `spillway sessions show`: one session and what it stored. */
import type { OutputRecord, Store } from '@spillway/core';
import { History } from '@spillway/core/history';
import { formatBytes, formatCount, pluralize } from '@spillway/core/plugin';
import { everyItem, type SessionRecord } from '@spillway/core/store';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { print } from '../../output.ts';
import { boxTable } from '../../table.ts';
import { columnsOf } from '../../terminal.ts';
import { artifactFacts } from '../artifacts/facts.ts';
import { recordsOf, withStore } from '../artifacts/reading.ts';
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

// What the last request of a session took of the context window, as it was noted. Units: tokens.

export interface SessionContextUse {
  readonly at: string;
  /** Null where the host told no window. */
  readonly window: number | null;
  readonly tokens: number;
  readonly system: number;
  readonly messages: number;
  readonly summary: number;
  readonly results: number;
  readonly reserved: number;
  readonly verdict: string;
}

/** Null where no request was made through this history. */
export async function contextOf(
  store: Store,
  { scope, id }: Pick<SessionRecord, 'scope' | 'id'>,
): Promise<SessionContextUse | null> {
  let last: SessionContextUse | null = null;
  for await (const { session, at, data = {} } of everyItem((page) =>
    store.events({ scope, type: 'prepared', ...page }),
  )) {
    if (session !== id) continue;
    const number = (name: string) => (typeof data[name] === 'number' ? data[name] : 0);
    last = {
      at: new Date(at).toISOString(),
      window: number('window') === 0 ? null : number('window'),
      tokens: number('tokens'),
      system: number('system'),
      messages: number('messages'),
      summary: number('summary'),
      results: number('results'),
      reserved: number('reserved'),
      verdict: String(data.verdict ?? 'fits'),
    };
  }
  return last;
}

export function contextLine(context: SessionContextUse): string {
  const { window, tokens, system, messages, summary, results, reserved } = context;
  const full =
    window === null
      ? `${formatCount(tokens)} tokens`
      : `${Math.round((tokens / window) * 100)} % full, ${formatCount(tokens)} of ${formatCount(window)} tokens`;
  const parts = [
    ['tool results', results],
    ['messages', messages + summary],
    ['system', system],
    ['reserved', reserved],
  ] as const;
  const named = parts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${formatCount(count)}`);
  return `Context window: ${full} (${named.join(', ')}).`;
}
