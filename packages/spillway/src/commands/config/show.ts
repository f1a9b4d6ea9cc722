/**
 * `spillway config show`: the settings in force, where each comes from, and the files they were
 * read from.
 */
import { type Effective, FIELD_NAMES, type FieldName } from '@spillway/core/plugin';
import type { Config } from '../../config/load.ts';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { open } from '../../open.ts';
import { print } from '../../output.ts';
import { inSnakeCase } from '../../snake-case.ts';
import { facts, printJson, rows, table } from './showing.ts';

export const details: CommandDetails = {
  operands: { usage: '', min: 0, max: 0 },
  flags: [JSON_FLAG],
  examples: ['spillway config show', 'spillway config show --json'],
};

export async function run(given: Given): Promise<number> {
  const { spillway, config, workspace } = await open({ store: null });
  const general = spillway.settings.effective('');
  const tools = toolNames(config).map((tool) => [tool, spillway.settings.effective(tool)] as const);
  if (given.has('json')) {
    const own = tools.map(([tool, effective]) => [tool, facts(effective, ofToolLevel(effective))] as const);
    await printJson({
      workspace: workspace.root,
      settings: facts(general),
      tools: Object.fromEntries(own),
      storage: storageFacts(config),
      files: config.files.map(({ path, found }) => ({ path, read: found })),
    });
    return 0;
  }
  await print(table('Settings for every tool', ['Setting', 'Value', 'Level', 'Source'], rows(general)));
  const own = tools.flatMap(([tool, effective]) =>
    rows(effective, ofToolLevel(effective)).map((row) => [tool, ...row]),
  );
  if (own.length > 0)
    await print(table('Settings by tool', ['Tool', 'Setting', 'Value', 'Level', 'Source'], own));
  const stored = Object.entries(storageFacts(config)).map(([name, value]) => [name, String(value)]);
  if (stored.length > 0) await print(table('Storage', ['Setting', 'Value'], stored));
  const files = config.files.map(({ name, found }) => [name, found ? 'read' : 'not there']);
  await print(table('Files, the weakest first', ['File', 'State'], files));
  return 0;
}

/** The tools that files name, in the order they name them. */
function toolNames({ layers }: Config): string[] {
  const byCase = new Map(
    layers.flatMap(({ tool }) => (tool === undefined ? [] : [[tool.toLowerCase(), tool]])),
  );
  return [...byCase.values()];
}

function ofToolLevel({ origins }: Effective): FieldName[] {
  return FIELD_NAMES.filter((name) => origins[name].level === 'tool');
}

function storageFacts({ storage }: Config): object {
  return inSnakeCase(storage) as object;
}
