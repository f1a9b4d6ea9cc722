/**
 * `spillway sessions`: lists, shows, exports, ends and deletes the sessions of a workspace. The store
 * remembers that a deleted session existed; here it is gone.
 */

import { type OutputRecord, SpillwayError, type Store } from '@spillway/core';
import {
  History,
  type Imported,
  type LineCounts,
  type Session,
  SHAPES,
  type ShapeName,
} from '@spillway/core/history';
import { didYouMean, formatBytes, formatCount, nearest, pluralize } from '@spillway/core/plugin';
import { everyItem, type SessionQuery, type SessionRecord } from '@spillway/core/store';
import { fileSource, linesOf, standardInput } from '../byte-source.ts';
import { fieldsIn, isFields, jsonIn } from '../fields.ts';
import { type Command, JSON_FLAG } from '../flags.ts';
import { keepMemorySmall } from '../memory.ts';
import { mustBeReadable } from '../named-file.ts';
import { open } from '../open.ts';
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

export { exported as export, imported as import, remove as delete };

// `spillway sessions import`: imports a session that was exported, or the messages of a framework.
// Twice is the same as once. A file that was cut is an error, whatever could be imported of it.

const imported: Command = {
  details: {
    summary: 'Take in a session that was exported, or the messages of a framework.',
    operands: { usage: '[FILE]', min: 0, max: 1 },
    flags: [
      {
        name: 'session',
        value: 'ID',
        doc: 'The session to take it into (default: the one it was exported from).',
      },
      {
        name: 'as',
        value: 'SHAPE',
        doc: 'The file is a JSON list of messages of this framework, not an export.',
      },
      JSON_FLAG,
    ],
    examples: [
      'spillway sessions import run-42.jsonl',
      'spillway sessions import chat.json --as openai_chat --session run-42',
    ],
  },
  async run(given) {
    keepMemorySmall();
    const [file] = given.operands;
    const shape = shapeNamed(given.value('as'));
    if (file !== undefined) mustBeReadable(file);
    const lines = linesIn(file === undefined ? standardInput() : fileSource(file));
    const first = await lines.next();
    const text = first.done === true ? '' : first.value;
    const name = given.value('session') ?? (shape === null ? sessionNamedIn(text) : undefined);
    if (name === undefined) throw unnamed(shape, text);
    const { spillway, store, workspace } = await open({ plainCopies: false });
    if (store === null) throw new SpillwayError('store_unavailable', 'Storing is turned off here.');
    try {
      const session = new History({ spillway, store }).session({ scope: workspace.scope, session: name });
      let read = 0;
      const taken = await withProgress(
        { line: () => `Importing: ${pluralize(read, 'line')}`, quiet: given.has('json') },
        (progress) => {
          const seen = (line: string) => {
            read += 1;
            progress.step();
            return line;
          };
          return takenInto(session, shape, allLines(text, lines, seen));
        },
      );
      const { legacy, missing } = await session.report();
      if (given.has('json')) await print(`${JSON.stringify({ session: name, ...taken, legacy, missing })}\n`);
      else {
        const what = `${pluralize(taken.messages, 'message')} and ${pluralize(taken.outputs, 'output')}`;
        await print(`Imported ${what} into session ${name}.\n`);
        if (legacy > 0)
          tell(`Legacy results: ${formatCount(legacy)}, cut before they came here; kept as given.`);
        if (missing > 0)
          tell(`Missing results: ${formatCount(missing)}; the model is told so in their place.`);
      }
      for (const { message, what } of taken.losses)
        tell(`Not carried over from message ${message}: ${what}.`);
    } finally {
      await spillway.close();
    }
  },
};

/** More in one line cannot become a string in every Node, and no export has as much. */
const MOST_LINE_BYTES = 256_000_000;

/** The lines of a file; an error for one that is too long. */
async function* linesIn(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  let line = 1;
  for await (const text of linesOf(input, MOST_LINE_BYTES)) {
    if (text === null)
      throw new SpillwayError(
        'invalid_argument',
        `Line ${formatCount(line)} has more than ${formatBytes(MOST_LINE_BYTES)}: it is no line of an export. A list of messages that is larger has to be imported in parts.`,
      );
    yield text;
    line += 1;
  }
  return undefined;
}

/** What was imported; `losses` are of messages of a framework only. */
interface Taken extends LineCounts {
  readonly losses: Imported['losses'];
}

async function takenInto(
  session: Session,
  shape: ShapeName | null,
  lines: AsyncIterable<string>,
): Promise<Taken> {
  if (shape === null) return { ...(await session.importLines(lines)), losses: [] };
  const { messages, results, losses } = await session.import(shape, await parsedFrom(lines));
  return { outputs: results, messages, summaries: 0, losses };
}

async function* allLines(
  first: string,
  rest: AsyncIterable<string>,
  seen: (line: string) => string,
): AsyncGenerator<string> {
  yield seen(first);
  for await (const line of rest) yield seen(line);
}

function unnamed(shape: ShapeName | null, first: string): SpillwayError {
  const why =
    shape !== null
      ? 'Into which session? Name it with --session.'
      : first === ''
        ? 'There is nothing to import: the file is empty.'
        : 'The first line does not name a session: its beginning is missing, or it is no export. Messages of a framework need --as SHAPE and --session ID.';
  return new SpillwayError('invalid_argument', why);
}

function sessionNamedIn(line: string): string | undefined {
  const { type, session } = fieldsIn(line);
  return type === 'session' && typeof session === 'string' ? session : undefined;
}

async function parsedFrom(lines: AsyncIterable<string>): Promise<unknown> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  const value = jsonIn(all.join('\n'));
  if (value === undefined)
    throw new SpillwayError(
      'invalid_argument',
      'This is not JSON, or only the start of it: give a list of messages, or an object that holds one as `messages`.',
    );
  return isFields(value) ? value.messages : value;
}
