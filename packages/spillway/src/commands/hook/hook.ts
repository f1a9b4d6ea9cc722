/**
 * `spillway hook AGENT`: an agent runs it after each tool call, with what the tool returned on
 * standard input. It stores all of that and answers what the model should read instead. Whatever
 * goes wrong, it answers nothing and ends with 0, so that the original result passes.
 */

import { fileSource } from '../../byte-source.ts';
import { isFields, jsonIn } from '../../fields.ts';
import { type CommandDetails, type Given, oneOf, usageError } from '../../flags.ts';
import { HOOK_AGENTS } from '../../hook/agents.ts';
import type { BoundingOptions } from '../../hook/bound-call.ts';
import type { HookAgent } from '../../hook/hook-agent.ts';
import { print, tell } from '../../output.ts';
import { sentenceFor } from '../../sentences.ts';

const NAMES = Object.keys(HOOK_AGENTS);

export const details: CommandDetails = {
  summary:
    'Answer the hook of an agent: store what a tool returned, and say what the model should read of it.',
  codeWhenRefused: 1,
  operands: { usage: 'AGENT', min: 1, max: 1, choices: NAMES },
  flags: [
    {
      name: 'tool-name',
      value: 'NAME',
      doc: 'The tool with which the model fetches more, where it has one (default: a command of this program).',
    },
    {
      name: 'timeout',
      value: 'SECONDS',
      doc: 'Let the result pass after so long (default: 45).',
    },
    {
      name: 'by-path',
      doc: 'Name this program by its path in notices, for shells that do not find it by its name.',
    },
    { name: 'allow-unbounded', doc: 'Allow strategy none.' },
  ],
  examples: ['cat call.json | spillway hook claude-code', 'spillway hook install --agent claude-code'],
};

/** Larger results pass as they are. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Agents wait for a minute, as `hook install` writes it. */
const TIMEOUT_SECONDS = 45;

export async function run(given: Given): Promise<void> {
  const [name = ''] = given.operands;
  const load = HOOK_AGENTS[oneOf(NAMES, name, 'The agent is one of', 'hook')] as () => Promise<HookAgent>;
  const seconds = Number(given.value('timeout') ?? TIMEOUT_SECONDS);
  if (!(seconds > 0 && seconds <= 3_600)) throw usageError('--timeout takes seconds, up to 3600.', 'hook');
  let isReading = true;
  const timer = setTimeout(() => giveUp(seconds, isReading), seconds * 1_000);
  const [agent, json] = await Promise.all([load(), standardInputWhole(MOST_BYTES)]);
  isReading = false;
  if (json === null) tell('spillway: The result is too large for a hook. It passed as it was.');
  else {
    const toolName = given.value('tool-name');
    const allowUnbounded = given.has('allow-unbounded');
    const byPath = given.has('by-path');
    const { text, problem } = await runHook(json, { agent, toolName, byPath, allowUnbounded });
    if (problem !== null) tell(`spillway: ${problem}`);
    if (text !== '') await print(`${text}\n`);
  }
  clearTimeout(timer);
}

/** A thread that waits for the agent's input would keep the program from ending by itself. */
function giveUp(seconds: number, isReading: boolean): void {
  tell(`spillway: Nothing was ready after ${seconds} s. The result passed as it was.`);
  if (isReading) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
}

// One call: the JSON of the agent comes in, its answer goes out. An empty answer lets the original
// result pass. That is also the answer to any failure: an agent is never blocked, and nothing is
// cut that is not stored. The reason is told in a sentence that quotes no content.

export interface HookAnswer {
  /** What the agent is sent; empty where the result passes. */
  readonly text: string;
  readonly problem: string | null;
}

export async function runHook(json: Buffer, options: BoundingOptions): Promise<HookAnswer> {
  try {
    const given = jsonIn(json.toString('utf8'));
    if (given === undefined) return passing('What came in is not valid JSON.');
    if (!isFields(given)) return passing('What came in is not a JSON object.');
    options.agent.note?.(given);
    const call = options.agent.read(given);
    if (call === null) return { text: '', problem: null };
    // Most of the program, which a call that passes does not need.
    const { boundCall } = await import('../../hook/bound-call.ts');
    const shown = await boundCall(call, options);
    if (shown === null) return { text: '', problem: null };
    if ('notStored' in shown) return passing(shown.notStored);
    return { text: JSON.stringify(options.agent.answer(shown.result, given)), problem: null };
  } catch (error) {
    return passing(sentenceFor(error));
  }
}

function passing(problem: string): HookAnswer {
  return { text: '', problem: `${problem} The result passed as it was.` };
}

/** All of standard input; null if it has more than `most` bytes, which are read all the same. */
export async function standardInputWhole(most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of fileSource(0)) {
    total += chunk.length;
    // Whoever writes must be able to come to an end.
    if (total <= most) chunks.push(Uint8Array.from(chunk));
    else chunks.length = 0;
  }
  return total > most ? null : Buffer.concat(chunks);
}
