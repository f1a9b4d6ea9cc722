/** `spillway config`: what the settings are, where they come from, whether they are valid, and how to change one. */
import { resolve } from 'node:path';
import { count, type Effective, FIELD_NAMES, type FieldName, Settings, settingName } from '@spillway/core';
import { callLayers, PROFILE_FLAG, SET_FLAG } from '../config/call-flags.ts';
import { CONFIG_GROUP, type Config, loadConfig, readFile, readSettings } from '../config/load.ts';
import { configLocations, fileAt, homeOf } from '../config/locations.ts';
import { invalid, Problems } from '../config/problems.ts';
import type { CommandSpec, Flag, Given } from '../flags.ts';
import { knownNames, open } from '../open.ts';
import { print, tell } from '../output.ts';
import { boxTable } from '../table.ts';
import { findWorkspace } from '../workspace.ts';

const JSON_FLAG: Flag = { name: 'json', doc: 'Print JSON.' };

export const configShowSpec: CommandSpec = {
  name: 'config show',
  summary: 'Show the settings in force, where each comes from, and the files they were read from.',
  operands: { usage: '', min: 0, max: 0 },
  flags: [JSON_FLAG],
  examples: ['spillway config show', 'spillway config show --json'],
};

export const configExplainSpec: CommandSpec = {
  name: 'config explain',
  summary: 'Show the settings of one tool: each with its value, its level and its source.',
  operands: { usage: 'TOOL', min: 1, max: 1 },
  flags: [PROFILE_FLAG, SET_FLAG, JSON_FLAG],
  examples: [
    'spillway config explain execute_command',
    'spillway config explain read_file --set head_ratio=0.5',
  ],
};

export const configValidateSpec: CommandSpec = {
  name: 'config validate',
  summary:
    'Check all files and variables with settings, or one file; name file, line and setting of what is wrong.',
  operands: { usage: '[FILE]', min: 0, max: 1 },
  flags: [JSON_FLAG],
  examples: ['spillway config validate', 'spillway config validate .acode/config.yml'],
};

export const configSchemaSpec: CommandSpec = {
  name: 'config schema',
  summary:
    'Print the JSON Schema of all files with settings; name it in the first line of a file for help in editors.',
  operands: { usage: '', min: 0, max: 0 },
  flags: [{ ...JSON_FLAG, doc: 'Print JSON; it always does.' }],
  examples: [
    'spillway config schema > .acode/config.schema.json',
    '# yaml-language-server: $schema=config.schema.json',
    '# yaml-language-server: $schema=../node_modules/spillway/schema/config.schema.json',
  ],
};

export const configSetSpec: CommandSpec = {
  name: 'config set',
  summary:
    "Change a setting in the workspace's .acode/config.yml, or in your own file; comments and order stay.",
  operands: { usage: 'FIELD VALUE', min: 2, max: 2 },
  flags: [
    { name: 'tool', value: 'NAME', doc: 'Only for this tool, or for those that fit a pattern.' },
    { name: 'user', doc: 'In your own file, for all workspaces.' },
    JSON_FLAG,
  ],
  examples: [
    'spillway config set inline_limit 12000',
    "spillway config set strategy tail --tool 'mcp__github__*'",
    'spillway config set spillway.durability process --user',
  ],
};

export async function configShow(given: Given): Promise<number> {
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
  await print(table('Files, the weakest first', ['File', ''], files));
  return 0;
}

export async function configExplain(given: Given): Promise<number> {
  const [tool = ''] = given.operands;
  const layers = callLayers(given, configExplainSpec);
  const { spillway } = await open({ store: null });
  const effective = spillway.settings.effective(tool, layers);
  if (given.has('json')) await printJson({ tool, policy_hash: effective.hash, settings: facts(effective) });
  else await print(table(`Settings of ${tool}`, ['Setting', 'Value', 'Level', 'Source'], rows(effective)));
  return 0;
}

export async function configValidate(given: Given): Promise<number> {
  const [path] = given.operands;
  const sources = here();
  const names = path === undefined ? await validateAll() : [await validateOne(path)];
  if (given.has('json')) await printJson({ valid: true, files: names });
  else
    await print(
      names.length === 0
        ? 'Valid. There is no file with settings; variables and built-in settings apply.\n'
        : `Valid: ${names.join(', ')}.\n`,
    );
  return 0;

  async function validateAll(): Promise<string[]> {
    const config = await loadConfig(sources);
    new Settings(knownNames()).replace(CONFIG_GROUP, config.layers);
    return config.files.filter(({ found }) => found).map(({ name }) => name);
  }

  async function validateOne(given: string): Promise<string> {
    const file = fileAt(resolve(given), configLocations(sources), sources.workspace);
    const text = readFile(file);
    if (text === null) throw invalid(`Cannot read ${file.name}: there is no such file.`);
    const problems = new Problems();
    const { user, tool } = await readSettings(file, text, sources, problems);
    problems.throwIfAny();
    new Settings(knownNames()).replace(CONFIG_GROUP, [...user, ...tool]);
    return file.name;
  }
}

export async function configSchema(): Promise<number> {
  const { schemaText } = await import('../config/schema.ts');
  await print(schemaText(knownNames()));
  return 0;
}

export async function configSet(given: Given): Promise<number> {
  const [field = '', value = ''] = given.operands;
  const tool = given.value('tool');
  const { setSetting } = await import('../config/set.ts');
  const order = { field, value, user: given.has('user'), ...(tool === undefined ? {} : { tool }) };
  const done = await setSetting(here(), order, knownNames());
  if (given.has('json')) await printJson(done);
  else await print(`Set ${done.setting} to ${done.value} in ${done.file}.\n`);
  if (done.hidden_by !== null)
    tell(`It has no effect here: ${done.hidden_by} also sets it, and is stronger.`);
  return 0;
}

function here() {
  const { root } = findWorkspace(process.cwd(), process.env);
  return { workspace: root, env: process.env, home: homeOf(process.env) };
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

function rows({ policy, origins }: Effective, names: readonly FieldName[] = FIELD_NAMES): string[][] {
  return names.map((name) => {
    const value = policy[name];
    const shown = value === null ? 'off' : typeof value === 'number' ? numeral(value) : String(value);
    return [settingName(name), shown, origins[name].level, origins[name].source];
  });
}

function numeral(value: number): string {
  return Number.isInteger(value) ? count(value) : String(value);
}

function facts({ policy, origins }: Effective, names: readonly FieldName[] = FIELD_NAMES) {
  return Object.fromEntries(
    names.map((name) => [settingName(name), { value: policy[name], ...origins[name] }]),
  );
}

function storageFacts({ storage: { maxBytes, ...storage } }: Config) {
  return { ...storage, ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }) };
}

function table(title: string, header: readonly string[], cells: readonly (readonly string[])[]): string {
  return boxTable(title, header, cells, process.stdout.columns);
}

async function printJson(value: unknown): Promise<void> {
  await print(`${JSON.stringify(value)}\n`);
}
