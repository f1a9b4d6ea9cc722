/**
 * `spillway config explain`: the settings of one tool, each with its value, its level and its
 * source.
 */

import { autoRules, matchesGlob, nearest, USUAL_TOOLS } from '@spillway/core/plugin';
import { callLayers, PROFILE_FLAG, SET_FLAG } from '../../config/call-flags.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { open } from '../../open.ts';
import { print, tell } from '../../output.ts';
import { facts, printJson, rows, table } from './showing.ts';

export const details: CommandDetails = {
  operands: { usage: 'TOOL', min: 1, max: 1 },
  flags: [PROFILE_FLAG, SET_FLAG, JSON_FLAG],
  examples: [
    'spillway config explain execute_command',
    'spillway config explain read_file --set head_ratio=0.5',
  ],
};

export async function run(given: Given): Promise<number> {
  const [tool = ''] = given.operands;
  const layers = callLayers(given, 'config explain');
  const { spillway } = await open({ store: null });
  const effective = spillway.settings.effective(tool, layers);
  const auto = effective.policy.strategy === 'auto' ? { auto: autoRules(tool) } : {};
  if (given.has('json'))
    await printJson({ tool, policy_hash: effective.hash, settings: facts(effective), ...auto });
  else await print(table(`Settings of ${tool}`, ['Setting', 'Value', 'Level', 'Source'], rows(effective)));
  if (!given.has('json') && auto.auto !== undefined)
    await print(
      table(
        'What auto does',
        ['With', 'Strategy'],
        auto.auto.map(({ when, strategy }) => [when, strategy]),
      ),
    );
  tellNearestTool(tool, [...USUAL_TOOLS, ...spillway.settings.toolNames()]);
  return 0;
}

/** Any name is a tool's; one that no setting is for, but nearly, was perhaps typed wrong. */
function tellNearestTool(tool: string, names: readonly string[]): void {
  if (names.some((name) => matchesGlob(name, tool))) return;
  const near = nearest(tool, names);
  if (near !== undefined)
    tell(`No settings are for ${JSON.stringify(tool.slice(0, 60))}. Did you mean ${near}?`);
}
