/**
 * `spillway exec`: runs a command, stores everything it says, and prints its projection. Exit code:
 * that of the command, 128 + n for a signal, 124 when its time was up, 126 or 127 when it could not
 * be run.
 */

import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { CaptureEnd, Outcome } from '@spillway/core';
import { formatBytes, formatDuration } from '@spillway/core/plugin';
import { CAPTURE_FLAGS, callPolicy } from '../config/call-flags.ts';
import { CannotRun, mustBeRunnable, type RunningCommand, startCommand } from '../exec/command.ts';
import { OutputSize, ScreenDetector, Tee } from '../exec/live-output.ts';
import { startOnTerminal, terminalLibrary } from '../exec/pty.ts';
import { CommandSignals, type Watched, watchCommand } from '../exec/watch.ts';
import { type CommandDetails, type Given, usageError } from '../flags.ts';
import { keepMemorySmallFrom } from '../memory.ts';
import { type Opened, open } from '../open.ts';
import { tell } from '../output.ts';
import { Progress } from '../progress.ts';
import { sentenceFor } from '../sentences.ts';
import { callingAgent, isTerminal } from '../terminal.ts';
import { answerCapture, tellFacts } from './answering.ts';
import { commandHint, shellWord } from './command-hint.ts';

const TIMED_OUT = 124;
/** A command that is silent is watched: its live line comes sooner than that of other work. */
const FIRST_MS = 400;
/** Without a live line, a person or agent is told when so much has come, or so long has passed. */
const NOTED_BYTES = 100_000_000;
const NOTED_MS = 5 * 60_000;
/** Parts by file descriptor from 1 on. */
const STREAMS = ['stdout', 'stderr'];
const REPL_STREAMS = ['printed', 'error', 'value'];

export const details: CommandDetails = {
  summary: 'Run a command, store all it says and print what a model should read of it.',
  whenRefused: 'Nothing was run or stored.',
  operands: { usage: '-- COMMAND [ARGUMENT …]', min: 1, max: Number.POSITIVE_INFINITY },
  flags: [
    { name: 'timeout', value: 'SECONDS', doc: 'End the command after so long; what it said is kept.' },
    { name: 'cwd', value: 'FOLDER', doc: 'Run it there.' },
    {
      name: 'env',
      value: 'NAME=VALUE',
      many: true,
      doc: 'Set a variable for it. Its name is stored with the output, its value is not.',
    },
    { name: 'pty', doc: 'Run it on a terminal of its own (needs @lydell/node-pty).' },
    {
      name: 'repl',
      doc: 'It is an interpreter: shows what it printed, its value (file descriptor 3), its error.',
    },
    { name: 'tee', doc: 'Also show on standard error what it says, while it says it.' },
    { name: 'max-capture', value: 'BYTES', doc: 'End it when it has said so much (default: 2 GiB).' },
    { name: 'tool', value: 'NAME', doc: 'The tool it stands for (default: execute_command).' },
    ...CAPTURE_FLAGS,
    { name: 'explain', doc: 'Tell on standard error why each block was kept.' },
  ],
  examples: [
    'spillway exec -- npm test',
    'spillway exec --timeout 60 --cwd packages/core -- make check',
    'spillway exec --tee -- npm test',
    'spillway exec --profile exec --json -- cargo build',
    'spillway exec --repl -- python3 -c \'import os; print(1); os.write(3, b"42")\'',
  ],
};

export async function run(given: Given): Promise<number> {
  const order = orderOf(given);
  if (given.has('pty')) await terminalLibrary();
  const opened = await open({
    hint: commandHint(),
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

async function start(order: Order, given: Given): Promise<RunningCommand> {
  if (given.has('pty')) return startOnTerminal(order, 'terminal');
  return startCommand(order, given.has('repl') ? REPL_STREAMS : STREAMS);
}
async function capture(opened: Opened, order: Order, given: Given): Promise<number> {
  const { spillway, workspace } = opened;
  const { call, policy, timeoutMs } = order;
  // Before the command begins to speak: what waits in two pipes has lost its order.
  const capturing = await spillway.open(
    { ...call, scope: workspace.scope },
    { policy, explain: given.has('explain'), ...callingAgent() },
  );
  const signals = new CommandSignals();
  const command = await start(order, given).catch(async (error) => {
    signals.stopListening();
    await spillway.sealed(await capturing.finish({ outcome: { status: 'crashed' }, complete: false }));
    throw error;
  });
  const labelled = given.has('pty') ? {} : { labelled: true as const };
  const sinks = command.streams.map((stream) => ({
    stream,
    part: capturing.part({ name: stream.name, ...labelled }),
  }));
  const tee = given.has('tee') && mayTee(spillway, order) ? new Tee() : null;
  const size = new OutputSize();
  const screen = new ScreenDetector();
  const quiet = tee !== null || given.has('json');
  const progress = new Progress({ line: () => `${size}`, firstMs: FIRST_MS, quiet });
  let noted = NOTED_BYTES;
  const note = () => {
    if (!isTerminal(2) || quiet)
      tell(`spillway: it still runs; ${size} captured. --timeout or --max-capture ends it.`);
  };
  const timer = setInterval(note, NOTED_MS).unref();
  const watched = await watchCommand(command, sinks, {
    timeoutMs,
    signals,
    seen(chunk, stream) {
      keepMemorySmallFrom(size.bytes, size.bytes + chunk.length);
      size.push(chunk);
      screen.push(chunk);
      if (size.bytes >= noted) {
        noted *= 10;
        note();
      }
      return tee?.write(stream, chunk);
    },
  }).finally(() => {
    progress.stop();
    clearInterval(timer);
  });
  await tee?.end();
  if (tee !== null && isTerminal(1) && isTerminal(2)) tell('What a model reads of it:', 'dim');
  const exitCode = exitCodeOf(watched);
  try {
    const processed = await capturing.finish(endOf(watched, timeoutMs));
    const record = await spillway.sealed(processed);
    await answerCapture(given, opened, processed, record, {
      exit_code: exitCode,
      duration_ms: watched.durationMs,
      recording: screen.isScreen,
    });
    tellEnd(watched, record !== null, order);
    if (screen.isScreen && isTerminal(2))
      tellFacts(['It draws a screen: what is stored is the recording of it, not a text.']);
  } catch (error) {
    // The command has run: its exit code is told whatever becomes of its output.
    tell(`spillway: ${sentenceFor(error)}`);
  }
  return exitCode;
}

/** What is not redacted yet is for people. */
function mayTee(spillway: Opened['spillway'], { call, policy }: Order): boolean {
  const { redact } = spillway.explain(call.tool, { session: call.session, policy }).policy;
  const may = redact === 'off' || callingAgent().agent === undefined;
  if (!may) tell('spillway: --tee shows exact bytes, and with the setting redact these are not for agents.');
  return may;
}

function endOf({ cause, code, signal, durationMs }: Watched, timeoutMs: number | null): CaptureEnd {
  const facts = {
    ...(code === null ? {} : { exitCode: code }),
    ...(signal === null ? {} : { signal }),
    durationMs,
    ...(cause === 'timeout' && timeoutMs !== null ? { timeoutMs } : {}),
  };
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
function tellEnd(
  { cause, leftBehind, signal }: Watched,
  stored: boolean,
  { timeoutMs, maxCapture }: Pick<Order, 'timeoutMs' | 'maxCapture'>,
): void {
  const kept = stored ? 'kept' : 'shown';
  if (cause === 'timeout')
    tell(
      `spillway: its time (${formatDuration(timeoutMs ?? 0)}) was up; what had arrived is ${kept}, marked incomplete.`,
    );
  if (cause === 'full')
    tell(
      `spillway: it was ended at max_capture (${formatBytes(maxCapture ?? 2 * 1024 ** 3)}); what had arrived is ${kept}, marked incomplete.`,
    );
  if (cause === 'signal' && signal !== null)
    tell(`spillway: ended by ${signal}; what had arrived is ${kept}, marked incomplete.`);
  if (leftBehind)
    tell('spillway: it left a process behind that still holds its output; what that says is not recorded.');
}

// What is to be run and how, as the command line says it: checked before anything is started.

export type Order = ReturnType<typeof orderOf>;

export function orderOf(given: Given) {
  const repl = given.has('repl');
  if (repl && given.has('pty')) throw usageError('--repl and --pty do not go together.', 'exec');
  const env = given.values('env').map(variable);
  return {
    argv: given.operands,
    cwd: folder(given.value('cwd')),
    env: { ...process.env, ...(given.has('pty') ? NO_PAGER : {}), ...Object.fromEntries(env) },
    timeoutMs: seconds(given.value('timeout')),
    maxCapture: byteCount(given.value('max-capture')),
    policy: callPolicy(given, 'exec', repl ? 'repl' : undefined),
    call: {
      tool: given.value('tool') ?? 'execute_command',
      session: given.value('session') ?? 'cli',
      input: {
        command: given.operands.map(shellWord).join(' '),
        ...(given.value('cwd') === undefined ? {} : { cwd: given.value('cwd') }),
        // Values are often secrets, and what is stored is shown, searched and exported.
        ...(env.length === 0 ? {} : { env: env.map(([name]) => name) }),
      },
    },
  };
}

/**
 * On a terminal programs start a pager, which waits for keys that nobody presses. With these what
 * it would page is written as it is; `--env` names another.
 */
const NO_PAGER = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  AWS_PAGER: '',
  BAT_PAGER: '',
};

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
