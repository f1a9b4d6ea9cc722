/** `spillway config get`: the value of one setting, for every tool or for one. */
import { fieldOf, settingName } from '@spillway/core/plugin';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { open } from '../../open.ts';
import { print } from '../../output.ts';
import { facts, printJson } from './showing.ts';

export const details: CommandDetails = {
  operands: { usage: 'FIELD', min: 1, max: 1 },
  flags: [{ name: 'tool', value: 'NAME', doc: 'As it is for this tool.' }, JSON_FLAG],
  examples: ['spillway config get inline_limit', 'spillway config get strategy --tool read_file'],
};

export async function run(given: Given): Promise<number> {
  const [name = ''] = given.operands;
  const field = fieldOf(name);
  const { spillway } = await open({ store: null });
  const effective = spillway.settings.effective(given.value('tool') ?? '');
  if (given.has('json'))
    await printJson({ setting: settingName(field), ...facts(effective, [field])[settingName(field)] });
  else await print(`${effective.policy[field] ?? 'off'}\n`);
  return 0;
}
