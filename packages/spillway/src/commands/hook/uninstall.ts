/** `spillway hook uninstall`: takes the hook out of an agent's settings. */
import type { CommandDetails, Given } from '../../flags.ts';
import { removal } from '../../hook/install/change.ts';
import { print } from '../../output.ts';
import { AGENT_FILE_FLAGS, agentFileOf } from './agent-file.ts';
import { carriedOut, tellChange } from './install.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: AGENT_FILE_FLAGS,
  examples: [
    'spillway hook uninstall --agent claude-code --dry-run',
    'spillway hook uninstall --agent claude-code --scope project',
  ],
};

export async function run(given: Given): Promise<number> {
  const { target, file } = agentFileOf(given, 'hook uninstall');
  const change = removal(file, target);
  const done = carriedOut(given, file, change);
  if (given.has('json')) await print(`${JSON.stringify({ agent: target.format.agent, ...done })}\n`);
  else await tellChange(done, 'There is no hook of ours.');
  return 0;
}
