/**
 * What Spillway would have done for the histories that agents keep on this machine: the facts of
 * `spillway discover`, when a person asks for them. It reads, stores nothing, and ends with the page.
 * Captured lines come redacted, and with their control characters made visible.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sentenceOf, totalLines, unreadLines } from '../commands/discover.ts';
import { type Discovery, discover } from '../discover/discover.ts';
import { folderName, historyBytes, SOURCES } from '../discover/histories.ts';
import { visibleLine } from '../visible.ts';
import { sinceAsked } from './analytics-view.ts';
import { type Lines, type Progress, withProgress } from './answer.ts';
import { type ApiRequest, orNull, text } from './api-request.ts';
import type { Inspected } from './inspected.ts';

/** Missed errors that are listed, the newest first. */
const MOST_MISSED = 200;

const DISCOVER = { since: orNull(text) };

export type DiscoverLine = Progress | ({ readonly type: 'found' } & ReturnType<typeof shown>);

export async function discoverHistories(
  { options }: Inspected,
  request: ApiRequest<typeof DISCOVER>,
): Promise<Lines<DiscoverLine>> {
  const { since } = await request.body(DISCOVER);
  return { jsonLines: lines(options.env, sinceAsked(since ?? undefined, Date.now()) ?? 0, request.signal) };
}

type Env = Inspected['options']['env'];

async function* lines(env: Env, since: number, signal: AbortSignal): AsyncGenerator<DiscoverLine> {
  let read = 0;
  const work = discover({
    env,
    since,
    async onProgress(bytes) {
      read = bytes;
      // Other requests have their turn, and whoever goes away ends the work.
      await nextTurn();
      signal.throwIfAborted();
    },
  });
  const found = yield* withProgress(work, historyBytes(env, since), () => read);
  yield { type: 'found', ...shown(found, env) };
}

function shown(found: Discovery, env: Env) {
  const { total, agents, missed, habits } = found;
  return {
    folders: SOURCES.map((source) => folderName(source, env)),
    total,
    agents: Object.entries(agents).map(([agent, totals]) => ({ agent, ...totals })),
    words: [...totalLines(total), ...unreadLines(found)],
    missed: missed
      .slice(-MOST_MISSED)
      .reverse()
      .map(({ session, command, line, ...one }) => ({
        ...one,
        session: visibleLine(session),
        command: visibleLine(command),
        line: visibleLine(line),
      })),
    habits: habits.map(({ tool, command, ...one }) => ({
      ...one,
      name: visibleLine(`${tool} ${command}`.trim()),
    })),
    sentence: sentenceOf(found),
  };
}
