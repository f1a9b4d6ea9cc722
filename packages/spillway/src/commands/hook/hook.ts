/**
 * `spillway hook AGENT`: an agent runs it after each tool call, with what the tool returned on
 * standard input. It stores all of that and answers what the model should read instead. Whatever
 * goes wrong, it answers nothing and ends with 0, so that the original result passes.
 */
import { didYouMean } from '@spillway/core/plugin';
import { type CommandDetails, type Given, usageError } from '../../flags.ts';
import { HOOK_AGENTS } from '../../hook/agents.ts';
import { runHook } from '../../hook/run-hook.ts';
import { standardInputWhole } from '../../hook/standard-input.ts';
import { print, tell } from '../../output.ts';

const NAMES = Object.keys(HOOK_AGENTS);

export const details: CommandDetails = {
  operands: { usage: 'AGENT', min: 1, max: 1, choices: NAMES },
  flags: [
    {
      name: 'tool-name',
      value: 'NAME',
      doc: 'The tool with which the model fetches more, where it has one (default: a command of this program).',
    },
    { name: 'allow-unbounded', doc: 'Allow strategy none.' },
  ],
  examples: ['spillway hook claude-code < posttooluse.json', 'spillway hook install --agent claude-code'],
};

/** Larger results pass as they are. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Agents wait for at least a minute. */
const TIMEOUT_MS = 45_000;

export async function run(given: Given): Promise<number> {
  const [name = ''] = given.operands;
  const load = Object.hasOwn(HOOK_AGENTS, name) ? HOOK_AGENTS[name] : undefined;
  if (load === undefined)
    throw usageError(`The agent is one of ${NAMES.join(', ')}.${didYouMean(name, NAMES)}`, 'hook');
  const timer = setTimeout(giveUp, TIMEOUT_MS);
  const [agent, json] = await Promise.all([load(), standardInputWhole(MOST_BYTES)]);
  if (json === null) tell('spillway: The result is too large for a hook. It passed as it was.');
  else {
    const toolName = given.value('tool-name');
    const allowUnbounded = given.has('allow-unbounded');
    const { text, problem } = await runHook(json, { agent, toolName, allowUnbounded });
    if (problem !== null) tell(`spillway: ${problem}`);
    if (text !== '') await print(`${text}\n`);
  }
  clearTimeout(timer);
  return 0;
}

function giveUp(): never {
  tell(`spillway: Nothing was ready after ${TIMEOUT_MS / 1_000} s. The result passed as it was.`);
  process.exit(0);
}
