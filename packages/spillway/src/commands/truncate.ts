/** `spillway truncate`: a file or standard input goes in whole, its projection comes out. */

import { statSync } from 'node:fs';
import { type About, type Outcome, SpillwayError } from '@spillway/core';
import { fileSource, standardInput } from '../byte-source.ts';
import { CAPTURE_FLAGS, callPolicy } from '../config/call-flags.ts';
import { OutputSize } from '../exec/live-output.ts';
import { defined, type Fields, isFields, jsonIn } from '../fields.ts';
import { type CommandDetails, type Given, usageError } from '../flags.ts';
import { type ByteSource, exitCodeOf, pourUntilInterrupted } from '../interruption.ts';
import { cannotRead, explained, readNamedFile } from '../named-file.ts';
import { open } from '../open.ts';
import { tell } from '../output.ts';
import { withProgress } from '../progress.ts';
import { callingAgent } from '../terminal.ts';
import { answerCapture } from './answering.ts';
import { commandHint } from './command-hint.ts';

/**
 * A file that tells what a host knows of a call:
 * `{ "tool", "call_id", "input", "exit_code", "is_error",
 * "about": { "task", "user_message", "last_message" } }`, every field optional. Its text is never
 * quoted in an error.
 */
const FIELDS: Readonly<Record<string, readonly [is: (value: unknown) => boolean, must: string]>> = {
  tool: [(value) => typeof value === 'string' && value !== '', 'must be the name of a tool'],
  call_id: [(value) => typeof value === 'string', 'must be a text'],
  input: [() => true, ''],
  exit_code: [Number.isSafeInteger, 'must be a whole number'],
  is_error: [(value) => typeof value === 'boolean', 'must be true or false'],
  about: [() => true, ''],
};
const ABOUT_FIELDS = { task: 'task', user_message: 'userMessage', last_message: 'lastMessage' };

function readCallFile(path: string) {
  const read = jsonIn(readNamedFile(path));
  if (read === undefined) throw refusal(path, 'it is not JSON');
  const fields = objectIn(path, read, 'it', Object.keys(FIELDS));
  for (const [name, [is, must]] of Object.entries(FIELDS))
    if ((fields[name] ?? null) !== null && !is(fields[name])) throw refusal(path, `"${name}" ${must}`);
  const { tool, call_id: callId, input, exit_code: exitCode, is_error: isError } = fields;
  const code = exitCode ?? undefined;
  const failed = isError === true || (code ?? 0) !== 0;
  const status = failed ? ('error' as const) : ('ok' as const);
  const outcome: Outcome = { status, ...(code === undefined ? {} : { exitCode: Number(code) }) };
  const about = aboutIn(path, fields.about);
  return defined({
    tool: (tool ?? undefined) as string | undefined,
    callId: (callId ?? undefined) as string | undefined,
    input: input ?? null,
    outcome: failed || code !== undefined ? outcome : undefined,
    about,
  });
}

function aboutIn(path: string, value: unknown): About | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = objectIn(path, value, '"about"', Object.keys(ABOUT_FIELDS));
  const given = Object.entries(ABOUT_FIELDS).flatMap(([name, field]) => {
    const text = fields[name] ?? undefined;
    if (text !== undefined && typeof text !== 'string') throw refusal(path, `"about.${name}" must be a text`);
    return text === undefined ? [] : [[field, text]];
  });
  return Object.fromEntries(given);
}

function objectIn(path: string, value: unknown, what: string, known: readonly string[]): Fields {
  if (!isFields(value)) throw refusal(path, `${what} must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw refusal(
      path,
      `${JSON.stringify(unknown.slice(0, 40))} is not a field of ${what}; fields: ${known.join(', ')}`,
    );
  return value;
}

function refusal(path: string, why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `The call in ${JSON.stringify(path.slice(0, 300))} cannot be used: ${why}.`,
  );
}

export const details: CommandDetails = {
  summary: 'Store a text and print what a model should read of it.',
  whenRefused: 'Nothing was read or stored.',
  operands: { usage: '[FILE|-]', min: 0, max: 1 },
  flags: [
    { name: 'tool', value: 'NAME', doc: 'The tool that said it; settings may depend on it.' },
    {
      name: 'call',
      value: 'FILE',
      doc: 'Facts of the call, as JSON: tool, call_id, input, exit_code, is_error, about. --tool wins.',
    },
    ...CAPTURE_FLAGS,
    { name: 'explain', doc: 'Tell on standard error why each block was kept.' },
  ],
  examples: [
    'npm test 2>&1 | spillway truncate',
    'spillway truncate build.log --limit 4000',
    'spillway truncate build.log --strategy smart_summary --explain',
    'spillway truncate api.json --set head_ratio=0.5 --json',
  ],
};

export async function run(given: Given): Promise<number> {
  const policy = callPolicy(given, 'truncate');
  const file = given.value('call');
  const known: ReturnType<typeof readCallFile> = file === undefined ? {} : readCallFile(file);
  const { source, input } = sourceOf(given);
  const opened = await open({
    hint: commandHint(),
    ...(given.has('no-store') ? { store: null } : {}),
  });
  const { spillway, workspace } = opened;
  try {
    const call = {
      tool: given.value('tool') ?? known.tool ?? 'truncate',
      session: given.value('session') ?? 'cli',
      scope: workspace.scope,
      ...defined({ callId: known.callId }),
      ...inputOf(known.input ?? input),
    };
    const explain = given.has('explain');
    const options = { policy, explain, ...defined({ about: known.about }), ...callingAgent() };
    const capture = await spillway.open(call, options);
    const part = capture.part({ name: 'text' });
    const size = new OutputSize();
    const { processed, record, signal, failure } = await withProgress(
      { line: () => `Reading: ${size}`, quiet: given.has('json') },
      async (progress) => {
        const { end, ...poured } = await pourUntilInterrupted(source, {
          write(chunk) {
            size.push(chunk);
            progress.step();
            return part.write(chunk);
          },
        });
        const { outcome = end.outcome } = end.complete ? known : {};
        const processed = await capture.finish({ ...end, outcome });
        return { ...poured, processed, record: await spillway.sealed(processed) };
      },
    );
    if (failure !== undefined) throw failure;
    await answerCapture(given, opened, processed, record);
    if (signal === null) return 0;
    tell(
      `spillway: ended by ${signal}; what had arrived is ${record === null ? 'shown' : 'kept, marked incomplete'}.`,
    );
    return exitCodeOf(signal);
  } finally {
    await spillway.close();
  }
}

/** What came from a pipe is titled as such: its first line may say anything. */
function inputOf(input: unknown): { input: unknown } | { title: string } {
  return input === null ? { title: 'standard input' } : { input };
}

function sourceOf(given: Given): { source: ByteSource; input: { path: string } | null } {
  const [file = '-'] = given.operands;
  if (file === '-') {
    if (process.stdin.isTTY)
      throw usageError('truncate reads a FILE or standard input; neither was given.', 'truncate');
    return { source: standardInput(), input: null };
  }
  return explained(file, cannotRead, () => {
    if (statSync(file).isDirectory()) throw cannotRead(file, 'it is a folder');
    return { source: fileSource(file), input: { path: file } };
  });
}
