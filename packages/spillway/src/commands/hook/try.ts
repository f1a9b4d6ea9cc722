/**
 * `spillway hook try`: feeds documented JSON through the hook that an agent's settings name, and
 * says what would happen. Exit code 1 if something would not work.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCount } from '@spillway/core/plugin';
import { isFields } from '../../fields.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { installedCommands } from '../../hook/install/change.ts';
import { HOOK_SAMPLES, type HookSample } from '../../hook/samples.ts';
import { print } from '../../output.ts';
import { shellWord } from '../command-hint.ts';
import { AGENT_FLAG, agentIn, filesHere } from './install.ts';

export const details: CommandDetails = {
  summary: "Feed documented JSON through the hook that is in an agent's settings, and say what would happen.",
  flags: [AGENT_FLAG, JSON_FLAG],
  examples: ['spillway hook try --agent claude-code', 'spillway hook try --agent gemini --json'],
};

export async function run(given: Given): Promise<number> {
  const target = agentIn(given, 'hook try');
  const { agent } = target.format;
  const files = [...new Set(Object.values(filesHere(target)))].filter((file) => existsSync(file));
  const sample = HOOK_SAMPLES[agent];
  const tried: { file: string; command: string; findings: readonly TryFinding[] }[] = [];
  for (const file of files)
    for (const installed of installedCommands(file, target)) {
      const { command, matcher, missing } = installed;
      if (!given.has('json')) await print(`${file}\n  ${command}\n`);
      const findings: TryFinding[] = [];
      const say = async (finding: TryFinding) => {
        findings.push(finding);
        if (!given.has('json')) await print(`  ${finding.ok ? '✓' : '✗'} ${finding.detail}\n`);
      };
      if (sample === undefined) continue;
      if (!matches(matcher, sample.tool))
        await say({ ok: false, detail: `Its matcher leaves out the tool ${sample.tool}: ${matcher}` });
      if (missing !== undefined) await say({ ok: false, detail: `What it loads is gone: ${missing}` });
      for await (const finding of tryHook(installed, sample, target.loginShell)) await say(finding);
      tried.push({ file, command, findings });
    }
  const ok = tried.length > 0 && tried.every(({ findings }) => findings.every((finding) => finding.ok));
  if (given.has('json')) await print(`${JSON.stringify({ agent, ok, hooks: tried })}\n`);
  else if (tried.length === 0)
    await print(
      `${target.title} has no hook of ours. To put it in: spillway hook install --agent ${agent}\n`,
    );
  return ok ? 0 : 1;
}

/** Agents take an expression, or a star for all. */
function matches(matcher: string | null, tool: string): boolean {
  if (matcher === null || matcher === '' || matcher === '*') return true;
  try {
    return new RegExp(matcher).test(tool);
  } catch {
    return matcher === tool;
  }
}

export interface TryFinding {
  readonly ok: boolean;
  readonly detail: string;
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

const LINES = Array.from({ length: 4_000 }, (_, i) => `line ${i + 1} of a long result`);
const LONG = `${LINES.join('\n')}\n`;
const SHORT = 'a short result\n';
const TIMEOUT_MS = 60_000;

/**
 * `loginShell`: the command that the model is told is run in one, as the agent runs it. `script`: what
 * the agent runs its commands through.
 */
export async function* tryHook(
  { command, script }: { readonly command: string; readonly script?: string },
  sample: HookSample,
  loginShell?: true,
): AsyncGenerator<TryFinding> {
  const cwd = mkdtempSync(join(tmpdir(), 'spillway-try-'));
  try {
    mkdirSync(join(cwd, '.git'));
    const run = (line: string, input: string) => runAs(line, input, cwd);
    const long = await run(command, JSON.stringify(sample.call(LONG, cwd)));
    const shown = shownIn(long, sample);
    yield longFinding(long, shown);
    const inShell = loginShell
      ? (line: string) => `"\${SHELL:-sh}" -lc ${shellWord(line)}`
      : (line: string) => line;
    if (shown !== null) yield await wayBack(shown, (line, input) => run(inShell(line), input));
    yield passes(await run(command, JSON.stringify(sample.call(SHORT, cwd))), 'A short result');
    yield passes(await run(command, '{"tool_response": '), 'A result whose JSON is broken');
    if (script !== undefined) yield await failedCommand(script, cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function runAs(line: string, input: string, cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    const started = performance.now();
    // Which stores there are is kept in the user's folders: this one is gone in a moment.
    const env = { ...process.env, XDG_DATA_HOME: cwd, XDG_STATE_HOME: cwd };
    const child = spawn(line, { shell: true, cwd, env, timeout: TIMEOUT_MS });
    const [out, err]: [Uint8Array[], Uint8Array[]] = [[], []];
    child.stdout.on('data', (chunk: Uint8Array) => out.push(chunk));
    child.stderr.on('data', (chunk: Uint8Array) => err.push(chunk));
    // A command that is not there does not read.
    child.stdin.on('error', () => undefined);
    child.on('error', () => undefined);
    child.on('close', (code) =>
      resolve({
        code,
        out: Buffer.concat(out).toString('utf8'),
        err: Buffer.concat(err).toString('utf8'),
        ms: performance.now() - started,
      }),
    );
    child.stdin.end(input);
  });
}

function shownIn({ code, out }: Ran, sample: HookSample): string | null {
  if (code !== 0) return null;
  try {
    const answer: unknown = JSON.parse(out);
    const shown = isFields(answer) ? sample.shown(answer) : undefined;
    return typeof shown === 'string' ? shown : null;
  } catch {
    return null;
  }
}

function longFinding({ code, err, ms }: Ran, shown: string | null): TryFinding {
  if (shown === null) return { ok: false, detail: `A long result would pass as it is${reason(code, err)}` };
  return {
    ok: shown.length < LONG.length,
    detail: `A result of ${formatCount(LONG.length)} chars would be shown in ${formatCount(shown.length)} (${Math.round(ms)} ms).`,
  };
}

function reason(code: number | null, err: string): string {
  const [first = ''] = err.trim().split('\n');
  const ended = code === 0 ? '' : `, as the hook ended with ${code ?? 'a signal'}`;
  return first === '' ? `${ended}.` : `${ended}: ${first.slice(0, 300)}`;
}

/** The call that the notice names: a command is run, a tool is only named. */
async function wayBack(
  shown: string,
  run: (line: string, input: string) => Promise<Ran>,
): Promise<TryFinding> {
  const [, call = ''] = /More: (.{0,2000})\]/.exec(shown) ?? [];
  const tool = /^([\w-]+)\(/.exec(call)?.[1];
  if (tool !== undefined)
    return {
      ok: true,
      detail: `The model is told to fetch the rest with the tool ${tool}: see that the agent has it.`,
    };
  const { code, out, err } = await run(call, '');
  const [first = ''] = out.split('\n');
  const found = code === 0 && LINES.includes(first);
  return found
    ? { ok: true, detail: `The rest can be fetched with the command that the model is told: ${call}` }
    : {
        ok: false,
        detail: `The command that the model is told does not fetch the rest (${call})${reason(code, err)}`,
      };
}

/** A command that fails, as Claude Code writes it down and hands it to the script. */
async function failedCommand(script: string, cwd: string): Promise<TryFinding> {
  const output = join(cwd, 'output');
  writeFileSync(join(cwd, 'long'), LONG);
  const line = `true && eval 'cat long; exit 3' < /dev/null && pwd -P >| ${shellWord(join(cwd, 'cwd'))}`;
  const ran = await runAs(`${shellWord(script)} ${shellWord(line)} >> output 2>&1`, '', cwd);
  const shown = existsSync(output) ? readFileSync(output, 'utf8') : '';
  if (ran.code !== 3 || shown.length >= LONG.length || !shown.includes('artifacts show art_'))
    return {
      ok: false,
      detail: `A command that fails is not shown in part: ${script} ended with ${ran.code}.`,
    };
  return {
    ok: true,
    detail: `A command that fails keeps its exit code; ${formatCount(LONG.length)} chars of it would be shown in ${formatCount(shown.length)} (${Math.round(ran.ms)} ms).`,
  };
}

function passes({ code, out, err }: Ran, what: string): TryFinding {
  const ok = code === 0 && out.trim() === '';
  return { ok, detail: ok ? `${what} passes as it is.` : `${what} does not pass${reason(code, err)}` };
}
