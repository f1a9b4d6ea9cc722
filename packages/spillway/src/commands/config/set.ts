/** `spillway config set`: changes one setting in a file; comments and order stay. */
import { setSetting } from '../../config/set.ts';
import { type CommandDetails, type Flag, type Given, JSON_FLAG } from '../../flags.ts';
import { knownNames } from '../../open.ts';
import { print, tell } from '../../output.ts';
import { here, printJson } from './showing.ts';

/** Which file and which tool are meant. */
export const TARGET_FLAGS: readonly Flag[] = [
  { name: 'tool', value: 'NAME', doc: 'Only for this tool, or for those that fit a pattern.' },
  { name: 'user', doc: 'In your own file, for all workspaces.' },
  JSON_FLAG,
];

export const details: CommandDetails = {
  operands: { usage: 'FIELD VALUE', min: 2, max: 2 },
  flags: TARGET_FLAGS,
  examples: [
    'spillway config set inline_limit 12000',
    "spillway config set strategy tail --tool 'mcp__github__*'",
    'spillway config set spillway.durability process --user',
  ],
};

export async function run(given: Given): Promise<number> {
  return change(given, given.operands[1] ?? '');
}

/** Null takes the setting out of the file. */
export async function change(given: Given, value: string | null): Promise<number> {
  const [field = ''] = given.operands;
  const tool = given.value('tool');
  const order = { field, value, user: given.has('user'), ...(tool === undefined ? {} : { tool }) };
  const done = await setSetting(here(), order, knownNames());
  if (given.has('json')) await printJson(done);
  else
    await print(
      value === null
        ? `Took ${done.setting} out of ${done.file}.\n`
        : `Set ${done.setting} to ${done.value} in ${done.file}.\n`,
    );
  if (done.hidden_by !== null)
    tell(`It has no effect here: ${done.hidden_by} also sets it, and is stronger.`);
  return 0;
}
