// A history to try things on: in memory, or in a file that can be opened again. Times and ids count
// up.

import { History, type HistoryOptions, type Session } from '../../src/history/index.ts';
import { memoryStore, Spillway, type SpillwayOptions, type Store } from '../../src/index.ts';
import { watchRequests } from './taken.ts';

export const NAME = { scope: 'workspace', session: 'run-1' };

export interface Opened {
  readonly store: Store;
  readonly spillway: Spillway;
  readonly history: History;
  readonly session: Session;
}

export function openHistory(
  options: {
    readonly store?: Store;
    readonly history?: Partial<HistoryOptions>;
    readonly spillway?: Partial<SpillwayOptions>;
  } = {},
): Opened {
  const store = options.store ?? memoryStore();
  const spillway = new Spillway({ store, ...options.spillway });
  const history = new History({ spillway, store, ...options.history });
  const session = history.session(NAME);
  watchRequests(session);
  return { store, spillway, history, session };
}

/** A user message, a call, and its result. */
export async function turn(
  session: Session,
  number: number,
  text: string,
  tool = 'read_file',
): Promise<Awaited<ReturnType<Session['result']>>> {
  await session.say({ role: 'user', parts: [{ type: 'text', text: `please do step ${number}` }] });
  const call = { type: 'call', callId: `call-${number}`, tool, input: `{"step":${number}}` } as const;
  await session.say({ role: 'assistant', parts: [{ type: 'text', text: `step ${number}:` }, call] });
  return session.result({ callId: `call-${number}`, tool, input: { step: number } }, { kind: 'text', text });
}

/** Lines that are all different. */
export function linesOf(chars: number, tag = 'line'): string {
  let text = '';
  for (let i = 1; text.length < chars; i++)
    text += `${tag} ${i} of a text that says something about ${i * 7}\n`;
  return text.slice(0, chars);
}
