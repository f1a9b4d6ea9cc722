/** What is to be run and how, as the command line says it: checked before anything is started. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { shellWord } from '../commands/command-hint.ts';
import { callPolicy } from '../config/call-flags.ts';
import { type Given, usageError } from '../flags.ts';

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
