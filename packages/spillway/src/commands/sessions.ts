/**
 * `spillway sessions`: lists, shows, exports, ends and deletes the sessions of a workspace. The store
 * remembers that a deleted session existed; here it is gone.
 */
import { type OutputRecord, SpillwayError, type Store } from '@spillway/core';
import { History, SHAPES, type ShapeName } from '@spillway/core/history';
import { didYouMean, formatBytes, formatCount, nearest, pluralize } from '@spillway/core/plugin';
import { everyItem, type SessionQuery, type SessionRecord } from '@spillway/core/store';
import { type Command, JSON_FLAG } from '../flags.ts';
import { answer, print, tell } from '../output.ts';
import { withProgress } from '../progress.ts';
import { boxTable } from '../table.ts';
import { columnsOf } from '../terminal.ts';
import { artifactFacts, recordsOf, withStore } from './artifacts/reading.ts';

const ONE_SESSION = { usage: 'ID', min: 1, max: 1, completes: 'sessions' } as const;

export const list: Command = {
  details: {
    summary: 'List the sessions of this workspace, the one seen last first.',
    flags: [{ name: 'all', doc: 'Also those that have ended. Deleted ones are gone.' }, JSON_FLAG],
    examples: ['spillway sessions list', 'spillway sessions list --all --json'],
  },
  run: (given) =>
    withStore(async ({ workspace }, store) => {
      const sessions: SessionRecord[] = [];
      const query = { scope: workspace.scope, show: given.has('all') ? 'all' : 'open' } as const;
      for await (const session of sessionsOf(store, query)) sessions.push(session);
      const rows = sessions.map(({ id, openedAt, seenAt, endedAt }) => [
        minute(openedAt),
        minute(seenAt),
        endedAt === undefined ? 'open' : 'ended',
        id,
      ]);
      const header = ['Opened', 'Last seen', 'State', 'ID'];
      const words = rows.length === 0 ? '' : boxTable('Sessions', header, rows, columnsOf(1));
      await answer(given, { sessions: sessions.map(sessionFacts) }, words);
      if (rows.length === 0 && !given.has('json')) tell('No sessions here.');
    }),
};

/** In UTC, as in `--json`. */
function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

export const show: Command = {
  details: {
    summary: 'Show one session and what it stored.',
    operands: { ...ONE_SESSION, usage: '[ID]', min: 0 },
    flags: [JSON_FLAG],
    examples: ['spillway sessions show', 'spillway sessions show cli'],
  },
  run(given) {
    return withStore(async ({ spillway, workspace }, store) => {
      const found = await foundSession(store, workspace.scope, given.operands[0]);
      const { scope, id } = found;
      const facts = sessionFacts(found);
      const outputs: OutputRecord[] = [];
      for await (const record of recordsOf(store, { scope, session: id, show: 'all' })) outputs.push(record);
      const bytes = outputs.reduce((sum, record) => sum + artifactFacts(record).size, 0);
      const history = new History({ spillway, store }).session({ scope, session: id });
      const { messages, legacy, missing } = await history.report();
      const context = await contextOf(store, found);
      const ended = facts.ended === null ? '' : `, ended ${facts.ended}`;
      const counted = messages === 0 ? '' : `${pluralize(messages, 'message')}, `;
      const lines = [
        `Session ${id}: opened ${facts.opened}, last seen ${facts.seen}${ended}.`,
        `${counted}${pluralize(outputs.length, 'output')}, ${formatBytes(bytes)}.`,
        ...(context === null ? [] : [contextLine(context)]),
        ...(legacy === 0 ? [] : [`Legacy results, cut before they came here: ${formatCount(legacy)}.`]),
        ...(missing === 0 ? [] : [`Missing results: ${formatCount(missing)}.`]),
      ];
      const header = ['ID', 'Size', 'Ended', 'Source'];
      const rows = outputs.map(outputRow);
      const table = rows.length === 0 ? '' : boxTable('Outputs', header, rows, columnsOf(1));
      const numbers = { messages, bytes, legacy, missing, context };
      await answer(
        given,
        { ...facts, ...numbers, outputs: outputs.map(artifactFacts) },
        `${lines.join('\n')}\n${table}`,
      );
    });
  },
};

function outputRow(record: OutputRecord): string[] {
  const { status, exitCode, signal } = record.outcome;
  const how = exitCode !== undefined && exitCode !== 0 ? `${status} ${exitCode}` : (signal ?? status);
  return [record.id, formatBytes(artifactFacts(record).size), how, record.summary];
}

/** What the last request of a session took of the context window, in tokens. */
interface SessionContextUse extends Readonly<Record<(typeof CONTEXT_PARTS)[number], number>> {
  readonly at: string;
  /** Null where the host told no window. */
  readonly window: number | null;
  readonly verdict: string;
}

const CONTEXT_PARTS = ['tokens', 'system', 'messages', 'summary', 'results', 'reserved'] as const;

/** Null where no request was made through this history. */
async function contextOf(
  store: Store,
  { scope, id }: Pick<SessionRecord, 'scope' | 'id'>,
): Promise<SessionContextUse | null> {
  let last: SessionContextUse | null = null;
  for await (const { session, at, data = {} } of everyItem((page) =>
    store.events({ scope, type: 'prepared', ...page }),
  )) {
    if (session !== id) continue;
    const number = (name: string) => (typeof data[name] === 'number' ? data[name] : 0);
    const parts = Object.fromEntries(CONTEXT_PARTS.map((name) => [name, number(name)]));
    last = {
      at: new Date(at).toISOString(),
      window: number('window') || null,
      ...(parts as Record<(typeof CONTEXT_PARTS)[number], number>),
      verdict: String(data.verdict ?? 'fits'),
    };
  }
  return last;
}

function contextLine(context: SessionContextUse): string {
  const { window, tokens, system, messages, summary, results, reserved } = context;
  const full =
    window === null
      ? `${formatCount(tokens)} tokens`
      : `${Math.round((tokens / window) * 100)} % full, ${formatCount(tokens)} of ${formatCount(window)} tokens`;
  const parts = { 'tool results': results, messages: messages + summary, system, reserved };
  const named = Object.entries(parts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${formatCount(count)}`);
  return `Context window: ${full} (${named.join(', ')}).`;
}

const exported: Command = {
  details: {
    summary:
      'Write a session with everything in it as JSON Lines, or its messages in the shape of a framework.',
    operands: ONE_SESSION,
    flags: [
      {
        name: 'as',
        value: 'SHAPE',
        doc: `Only the messages, results whole, as JSON of a framework: ${Object.keys(SHAPES).join(', ')}.`,
      },
    ],
    examples: [
      'spillway sessions export run-42 > run-42.jsonl',
      'spillway sessions export run-42 --as anthropic',
    ],
  },
  async run(given) {
    const [id = ''] = given.operands;
    const shape = shapeNamed(given.value('as'));
    return withStore(async ({ spillway, workspace }, store) => {
      const { scope } = await foundSession(store, workspace.scope, id);
      const session = new History({ spillway, store }).session({ scope, session: id });
      if (shape === null) {
        for await (const line of session.exportLines()) await print(`${line}\n`);
        return;
      }
      const { messages, losses } = await session.export(shape);
      await print(`${JSON.stringify(messages, null, 2)}\n`);
      for (const { message, what } of losses) tell(`Not carried over from message ${message}: ${what}.`);
    });
  },
};

export function shapeNamed(name: string | undefined): ShapeName | null {
  if (name === undefined) return null;
  if (Object.hasOwn(SHAPES, name)) return name as ShapeName;
  throw new SpillwayError(
    'invalid_argument',
    `--as takes one of ${Object.keys(SHAPES).join(', ')}.${didYouMean(name, Object.keys(SHAPES))}`,
  );
}

/** What was stored stays, unless `retention` says otherwise. */
export const end: Command = {
  details: {
    summary: 'End a session: its handles no longer resolve, its plain copies go, the record stays.',
    operands: ONE_SESSION,
    flags: [JSON_FLAG],
    examples: ['spillway sessions end run-42'],
  },
  run(given) {
    const [id = ''] = given.operands;
    return withStore(async ({ spillway, workspace }, store) => {
      const { scope } = await foundSession(store, workspace.scope, id);
      const { outputs, bytesFreed } = await spillway.endSession(scope, id);
      const resolve = outputs === 1 ? 'resolves' : 'resolve';
      const words = `Ended session ${id}: ${pluralize(outputs, 'handle')} no longer ${resolve}.\n`;
      await answer(given, { id, outputs, bytes_freed: bytesFreed }, words);
    });
  },
};

const remove: Command = {
  details: {
    summary: 'Remove a session with all it stored; it cannot be brought back.',
    operands: ONE_SESSION,
    flags: [{ name: 'dry-run', doc: 'Only say what would go.' }, JSON_FLAG],
    examples: ['spillway sessions delete run-42 --dry-run', 'spillway sessions delete run-42'],
  },
  run(given) {
    const [id = ''] = given.operands;
    const dryRun = given.has('dry-run');
    return withStore(async ({ spillway, workspace }, store) => {
      const { scope } = await foundSession(store, workspace.scope, id);
      const goes = await spillway.retire({ how: 'purge', scope, session: id, preview: true });
      tell(
        `${dryRun ? 'Would remove' : 'Removing'} session ${id} with ${pluralize(goes.outputs, 'stored output')} (${formatBytes(goes.bytesFreed)}).`,
      );
      const line = () => `Removing ${pluralize(goes.outputs, 'output')}`;
      const { outputs, bytesFreed } = dryRun
        ? goes
        : await withProgress({ line, quiet: given.has('json') }, (progress) => {
            progress.step();
            return spillway.endSession(scope, id, 'purge');
          });
      await answer(given, { id, outputs, bytes_freed: bytesFreed, dry_run: dryRun }, '');
    });
  },
};

async function* sessionsOf(store: Store, query: SessionQuery): AsyncGenerator<SessionRecord> {
  for await (const session of everyItem((page) => store.sessions({ ...query, ...page })))
    if (!(await isDeleted(store, session))) yield session;
}

async function isDeleted(store: Store, { id, scope, endedAt }: SessionRecord): Promise<boolean> {
  if (endedAt === undefined) return false;
  const outputs = await store.list({ scope, session: id, show: 'all', limit: 1 });
  const messages = await store.messages({ scope, session: id, order: 'newest', limit: 1 });
  return outputs.items.length === 0 && messages.items.length === 0;
}

/** One session by its name, or the last; if there is none, the nearest name is suggested. */
export async function foundSession(store: Store, scope: string, id?: string): Promise<SessionRecord> {
  const names: string[] = [];
  for await (const session of sessionsOf(store, { scope, show: 'all' })) {
    if (id === undefined || session.id === id) return session;
    if (names.length < 500) names.push(session.id);
  }
  if (id === undefined) throw new SpillwayError('not_found', 'No sessions here.');
  const near = nearest(id, names);
  throw new SpillwayError(
    'not_found',
    `There is no session of that name here.${near === undefined ? ' See `spillway sessions list --all`.' : ` Did you mean ${near}?`}`,
  );
}

function sessionFacts({ id, openedAt, seenAt, endedAt }: SessionRecord) {
  return {
    id,
    opened: new Date(openedAt).toISOString(),
    seen: new Date(seenAt).toISOString(),
    ended: endedAt === undefined ? null : new Date(endedAt).toISOString(),
  };
}

export { exported as export, remove as delete };
