/** `spillway sessions import`: takes in a session that was exported, or the messages of a framework. Twice is the same as once. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { counted, SpillwayError } from '@spillway/core';
import { History } from '@spillway/core/history';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { open } from '../../open.ts';
import { print, tell } from '../../output.ts';
import { shapeNamed } from './export.ts';

export const details: CommandDetails = {
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

export async function run(given: Given): Promise<number> {
  const [file] = given.operands;
  const shape = shapeNamed(given.value('as'));
  const input = file === undefined ? process.stdin : createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const first = await lines.next();
  const text = first.done === true ? '' : first.value;
  const session = given.value('session') ?? (shape === null ? nameIn(text) : undefined);
  if (session === undefined)
    throw new SpillwayError('invalid_argument', 'Into which session? Name it with --session.');
  const { spillway, store, workspace } = await open({ plainCopies: false });
  if (store === null) throw new SpillwayError('store_unavailable', 'Storing is turned off here.');
  try {
    const into = new History({ spillway, store }).session({ scope: workspace.scope, session });
    const rest = { [Symbol.asyncIterator]: () => lines };
    const taken =
      shape === null
        ? await into.importLines(withFirst(text, rest))
        : await into.import(shape, await parsedFrom(withFirst(text, rest)));
    if (given.has('json')) await print(`${JSON.stringify({ session, ...taken })}\n`);
    else await print(`Took ${counted(taken.messages, 'message')} into session ${session}.\n`);
    if ('losses' in taken)
      for (const { message, what } of taken.losses)
        tell(`Not carried over from message ${message}: ${what}.`);
    return 0;
  } finally {
    await spillway.close();
  }
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** The session that the first line of an export names. */
function nameIn(line: string): string | undefined {
  try {
    const { type, session } = JSON.parse(line) as { type?: unknown; session?: unknown };
    return type === 'session' && typeof session === 'string' ? session : undefined;
  } catch {
    // Then it is no export; what it is will be said when it is read.
    return undefined;
  }
}

async function parsedFrom(lines: AsyncIterable<string>): Promise<unknown> {
  let text = '';
  for await (const line of lines) text += `${line}\n`;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : (value as { messages?: unknown } | null)?.messages;
  } catch {
    // The parser's own message would quote the text.
    throw new SpillwayError(
      'invalid_argument',
      'That is no JSON: give a list of messages, or an object that holds one as `messages`.',
    );
  }
}
