/**
 * `spillway sessions import`: imports a session that was exported, or the messages of a framework.
 * Twice is the same as once. A file that was cut is an error, whatever could be imported of it.
 */

import { SpillwayError } from '@spillway/core';
import {
  History,
  type Imported,
  type LineCounts,
  type Session,
  type ShapeName,
} from '@spillway/core/history';
import { formatBytes, formatCount, pluralize } from '@spillway/core/plugin';
import { fileSource, linesOf, standardInput } from '../byte-source.ts';
import { fieldsIn, isFields, jsonIn } from '../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../flags.ts';
import { keepMemorySmall } from '../memory.ts';
import { mustBeReadable } from '../named-file.ts';
import { open } from '../open.ts';
import { print, tell } from '../output.ts';
import { withProgress } from '../progress.ts';
import { shapeNamed } from './sessions.ts';

export const details: CommandDetails = {
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
};

export async function run(given: Given): Promise<void> {
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
      if (missing > 0) tell(`Missing results: ${formatCount(missing)}; the model is told so in their place.`);
    }
    for (const { message, what } of taken.losses) tell(`Not carried over from message ${message}: ${what}.`);
  } finally {
    await spillway.close();
  }
}

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
