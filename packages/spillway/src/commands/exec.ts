/**
 * `spillway exec`: runs a command, stores everything it says, and prints its projection. Exit code: that of the command, 128 + n for a signal, 124 when its time
 * was up, 126 or 127 when it could not be run.
 */
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { bytesForPeople, type CaptureEnd, type Outcome } from '@spillway/core';
import { CAPTURE_FLAGS, callPolicy } from '../config/call-flags.ts';
import { CannotRun, mustBeRunnable, type RunningCommand, startCommand } from '../exec/command.ts';
import { Progress } from '../exec/progress.ts';
import { startOnTerminal } from '../exec/pty.ts';
import { ScreenDetector } from '../exec/screen.ts';
import { type Watched, watchCommand } from '../exec/watch.ts';
import { type CommandDetails, type Given, usageError } from '../flags.ts';
import { type Opened, open } from '../open.ts';
import { tell } from '../output.ts';
import { isTerminal } from '../terminal.ts';
import { printProjection, tellCut, tellFacts, tellNotStored } from './answering.ts';

const TIMED_OUT = 124;
/** Parts by file descriptor from 1 on. */
const STREAMS = ['stdout', 'stderr'];
const REPL_STREAMS = ['printed', 'error', 'value'];

export const details: CommandDetails = {
  operands: { usage: '-- COMMAND [ARGUMENT …]', min: 1, max: Number.POSITIVE_INFINITY },
  flags: [
    { name: 'timeout', value: 'SECONDS', doc: 'End the command after so long; what it said is kept.' },
    { name: 'cwd', value: 'FOLDER', doc: 'Run it there.' },
    { name: 'env', value: 'NAME=VALUE', many: true, doc: 'Set a variable for it.' },
    { name: 'pty', doc: 'Run it on a terminal of its own (needs @lydell/node-pty).' },
    {
      name: 'repl',
      doc: 'It is an interpreter: shows what it printed, its value (file descriptor 3), its error.',
    },
    { name: 'max-capture', value: 'BYTES', doc: 'End it when it has said so much (default: 2 GiB).' },
    { name: 'tool', value: 'NAME', doc: 'The tool it stands for (default: execute_command).' },
    ...CAPTURE_FLAGS,
  ],
  examples: [
    'spillway exec -- npm test',
    'spillway exec --timeout 60 --cwd packages/core -- make check',
    'spillway exec --profile exec --json -- cargo build',
    'spillway exec --repl -- python3 -c \'import os; print(1); os.write(3, b"42")\'',
  ],
};

export async function run(given: Given): Promise<number> {
  const order = orderOf(given);
  const opened = await open({
    hint: { kind: 'command', program: 'spillway' },
    ...(order.maxCapture === null ? {} : { maxCapture: order.maxCapture }),
    ...(given.has('no-store') ? { store: null } : {}),
  });
  try {
    mustBeRunnable(order);
    return await capture(opened, order, given);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    tell(`spillway: ${error.message}`);
    return error.exitCode;
  } finally {
    await opened.spillway.close();
  }
}

type Order = ReturnType<typeof orderOf>;

/** All that the command line says, checked before anything is started. */
function orderOf(given: Given) {
  const repl = given.has('repl');
  if (repl && given.has('pty')) throw usageError('--repl and --pty do not go together.', 'exec');
  const env = given.values('env').map(variable);
  return {
    argv: given.operands,
    cwd: folder(given.value('cwd')),
    env: { ...process.env, ...Object.fromEntries(env) },
    timeoutMs: seconds(given.value('timeout')),
    maxCapture: byteCount(given.value('max-capture')),
    policy: callPolicy(given, 'exec', repl ? 'repl' : undefined),
    call: {
      tool: given.value('tool') ?? 'execute_command',
      session: given.value('session') ?? 'cli',
      input: {
        command: given.operands.map(quoted).join(' '),
        ...(given.value('cwd') === undefined ? {} : { cwd: given.value('cwd') }),
        ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }),
      },
    },
  };
}

async function start(order: Order, given: Given): Promise<RunningCommand> {
  if (given.has('pty')) return startOnTerminal(order, 'terminal');
  return startCommand(order, given.has('repl') ? REPL_STREAMS : STREAMS);
}

async function capture({ spillway, store, workspace }: Opened, order: Order, given: Given): Promise<number> {
  const { call, policy, timeoutMs, maxCapture } = order;
  // Before the command begins to speak: what waits in two pipes has lost its order.
  const capturing = await spillway.open({ ...call, scope: workspace.scope }, { policy });
  const command = await start(order, given).catch(async (error) => {
    await (await capturing.finish({ outcome: { status: 'crashed' }, complete: false })).sealed;
    throw error;
  });
  const labelled = given.has('pty') ? {} : { labelled: true as const };
  const sinks = command.streams.map((stream) => ({
    stream,
    part: capturing.part({ name: stream.name, ...labelled }),
  }));
  const progress = new Progress();
  const screen = new ScreenDetector();
  progress.start();
  const watched = await watchCommand(command, sinks, {
    timeoutMs,
    seen(chunk) {
      progress.seen(chunk);
      screen.push(chunk);
    },
  }).finally(() => progress.stop());
  const processed = await capturing.finish(endOf(watched));
  const record = await processed.sealed;
  const exitCode = exitCodeOf(watched);
  await printProjection(processed, record, given.has('json') ? 'json' : 'text', {
    exit_code: exitCode,
    recording: screen.isScreen,
  });
  tellCut(processed.projection, record);
  tellEnd(watched, record !== null, maxCapture);
  if (screen.isScreen && isTerminal(2))
    tellFacts(['It draws a screen: what is stored is the recording of it, not a text.']);
  if (record === null && !given.has('no-store')) await tellNotStored(store);
  return exitCode;
}

function endOf({ cause, code, signal }: Watched): CaptureEnd {
  const facts = { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) };
  const status: Outcome['status'] =
    cause === 'timeout'
      ? 'timeout'
      : cause === 'full' || (cause === 'signal' && code !== 0)
        ? 'cancelled'
        : code === 0
          ? 'ok'
          : 'error';
  return { outcome: { status, ...facts }, complete: status === 'ok' || status === 'error' };
}

function exitCodeOf({ cause, code, signal }: Watched): number {
  if (cause === 'timeout') return TIMED_OUT;
  return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
}

/** What happened beside the output; the projection itself says how the command ended. */
function tellEnd({ cause, leftBehind, signal }: Watched, stored: boolean, maxCapture: number | null): void {
  const kept = stored ? 'kept' : 'shown';
  if (cause === 'timeout') tell(`spillway: its time was up; what had arrived is ${kept}, marked incomplete.`);
  if (cause === 'full')
    tell(
      `spillway: it was ended at max_capture (${bytesForPeople(maxCapture ?? 2 * 1024 ** 3)}); what had arrived is ${kept}, marked incomplete.`,
    );
  if (cause === 'signal' && signal !== null)
    tell(`spillway: ended by ${signal}; what had arrived is ${kept}, marked incomplete.`);
  if (leftBehind)
    tell('spillway: it left a process behind that still holds its output; what that says is not recorded.');
}

function variable(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw usageError('--env takes NAME=VALUE.', 'exec');
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function folder(path: string | undefined): string {
  const found = resolve(path ?? '.');
  if (path !== undefined && !statSync(found, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`--cwd: there is no folder ${JSON.stringify(path.slice(0, 200))}.`, 'exec');
  return found;
}

function seconds(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  // The longest timer there is: 24 days.
  if (value > 0 && value * 1_000 < 2 ** 31) return value * 1_000;
  throw usageError('--timeout takes seconds, above 0 and below 2,147,483.', 'exec');
}

function byteCount(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : 0;
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw usageError('--max-capture takes a number of bytes, at least 1.', 'exec');
}

/** As it would be typed. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
