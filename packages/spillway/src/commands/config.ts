/** `spillway config`: shows, explains, checks and changes settings. */

import { resolve } from 'node:path';
import { SpillwayError } from '@spillway/core';
import {
  autoRules,
  type Effective,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  formatCount,
  matchesGlob,
  nearest,
  settingName,
  USUAL_TOOLS,
} from '@spillway/core/plugin';
import { callLayers, PROFILE_FLAG, SET_FLAG } from '../config/call-flags.ts';
import { type Config, checkLayers, loadConfig, readFile, readSettings } from '../config/load.ts';
import { type ConfigSources, configLocations, fileAt } from '../config/locations.ts';
import { InvalidConfiguration, invalid, Problems } from '../config/problems.ts';
import { schemaText } from '../config/schema.ts';
import { setSetting } from '../config/set.ts';
import { defined, inSnakeCase } from '../fields.ts';
import { type Command, type Flag, type Given, JSON_FLAG } from '../flags.ts';
import { knownNames, open, sourcesOf } from '../open.ts';
import { answer, print, tell } from '../output.ts';
import { boxTable } from '../table.ts';
import { columnsOf } from '../terminal.ts';

const COLUMNS = ['Setting', 'Value', 'Level', 'Source'];

export const show: Command = {
  details: {
    summary: 'Show the settings in force, where each comes from, and the files they were read from.',
    flags: [JSON_FLAG],
    examples: ['spillway config show', 'spillway config show --json'],
  },
  async run(given) {
    const { spillway, config, workspace } = await open({ store: null });
    const general = spillway.settings.effective('');
    const tools = toolNames(config).map((tool) => {
      const effective = spillway.settings.effective(tool);
      const own = FIELD_NAMES.filter((name) => effective.origins[name].level === 'tool');
      return { tool, facts: facts(effective, own), rows: rows(effective, own) };
    });
    const storage = inSnakeCase(config.storage) as object;
    const stored = Object.entries(storage).map(([name, value]) => [name, String(value)]);
    const own = tools.flatMap((one) => one.rows.map((row) => [one.tool, ...row]));
    const files = config.files.map(({ name, found }) => [name, found ? 'read' : 'not there']);
    await answer(
      given,
      {
        workspace: workspace.root,
        settings: facts(general),
        tools: Object.fromEntries(tools.map((one) => [one.tool, one.facts])),
        storage,
        files: config.files.map(({ path, found }) => ({ path, read: found })),
      },
      [
        table('Settings for every tool', COLUMNS, rows(general)),
        own.length === 0 ? '' : table('Settings by tool', ['Tool', ...COLUMNS], own),
        stored.length === 0 ? '' : table('Storage', ['Setting', 'Value'], stored),
        table('Files, the weakest first', ['File', 'State'], files),
      ].join(''),
    );
  },
};

/** The tools that files name, in the order they name them. */
function toolNames({ layers }: Config): string[] {
  const named = layers.flatMap(({ tool }) => (tool === undefined ? [] : [tool]));
  return [...new Map(named.map((tool) => [tool.toLowerCase(), tool])).values()];
}

function rows({ policy, origins }: Effective, names: readonly FieldName[] = FIELD_NAMES): string[][] {
  return names.map((name) => {
    const value = policy[name];
    const shown = Number.isInteger(value) ? formatCount(value as number) : String(value ?? 'off');
    return [settingName(name), shown, origins[name].level, origins[name].source];
  });
}

function facts({ policy, origins }: Effective, names: readonly FieldName[] = FIELD_NAMES) {
  return Object.fromEntries(
    names.map((name) => [settingName(name), { value: policy[name], ...origins[name] }]),
  );
}

function table(title: string, header: readonly string[], cells: readonly (readonly string[])[]): string {
  return boxTable(title, header, cells, columnsOf(1));
}

export const get: Command = {
  details: {
    summary: 'Print the value of one setting, for every tool or for one.',
    operands: { usage: 'FIELD', min: 1, max: 1 },
    flags: [{ name: 'tool', value: 'NAME', doc: 'As it is for this tool.' }, JSON_FLAG],
    examples: ['spillway config get inline_limit', 'spillway config get strategy --tool read_file'],
  },
  async run(given) {
    const field = fieldOf(given.operands[0] ?? '');
    const { spillway } = await open({ store: null });
    const effective = spillway.settings.effective(given.value('tool') ?? '');
    const setting = settingName(field);
    const found = { setting, ...facts(effective, [field])[setting] };
    await answer(given, found, `${effective.policy[field] ?? 'off'}\n`);
  },
};

export const explain: Command = {
  details: {
    summary: 'Show the settings of one tool: each with its value, its level and its source.',
    operands: { usage: 'TOOL', min: 1, max: 1 },
    flags: [PROFILE_FLAG, SET_FLAG, JSON_FLAG],
    examples: [
      'spillway config explain execute_command',
      'spillway config explain read_file --set head_ratio=0.5',
    ],
  },
  async run(given) {
    const [tool = ''] = given.operands;
    const layers = callLayers(given, 'config explain');
    const { spillway } = await open({ store: null });
    const effective = spillway.settings.effective(tool, layers);
    const auto = effective.policy.strategy === 'auto' ? autoRules(tool) : [];
    const rules = auto.map(({ when, strategy }) => [when, strategy]);
    await answer(
      given,
      {
        tool,
        policy_hash: effective.hash,
        settings: facts(effective),
        ...(auto.length === 0 ? {} : { auto }),
      },
      [
        table(`Settings of ${tool}`, COLUMNS, rows(effective)),
        auto.length === 0 ? '' : table('What auto does', ['With', 'Strategy'], rules),
      ].join(''),
    );
    // Any name is a tool's; one that no setting is for, but nearly, was perhaps typed wrong.
    const names = [...USUAL_TOOLS, ...spillway.settings.toolNames()];
    const near = names.some((name) => matchesGlob(name, tool)) ? undefined : nearest(tool, names);
    if (near !== undefined)
      tell(`No settings are for ${JSON.stringify(tool.slice(0, 60))}. Did you mean ${near}?`);
  },
};

/** The exit code for what is wrong in a configuration, as without --json. */
const WRONG = 2;

export const validate: Command = {
  details: {
    summary:
      'Check all files and variables with settings, or one file; name file, line and setting of what is wrong.',
    operands: { usage: '[FILE]', min: 0, max: 1 },
    flags: [JSON_FLAG],
    examples: ['spillway config validate', 'spillway config validate .acode/config.yml'],
  },
  async run(given) {
    const [path] = given.operands;
    try {
      const files = path === undefined ? await validateAll() : [await validateOne(path)];
      const words =
        files.length === 0
          ? 'Valid. There is no file with settings; variables and built-in settings apply.\n'
          : `Valid: ${files.join(', ')}.\n`;
      await answer(given, { valid: true, files }, words);
      return 0;
    } catch (error) {
      if (!given.has('json') || !(error instanceof SpillwayError)) throw error;
      const found = error instanceof InvalidConfiguration ? error.problems : [error.message];
      await answer(given, { valid: false, problems: found.map(problemFacts) }, '');
      return WRONG;
    }
  },
};

async function validateAll(): Promise<string[]> {
  const config = await loadConfig({ ...here(), known: knownNames() });
  return config.files.filter(({ found }) => found).map(({ name }) => name);
}

async function validateOne(path: string): Promise<string> {
  const sources = here();
  const file = fileAt(resolve(path), configLocations(sources), sources.workspace);
  const text = readFile(file);
  if (text === null) throw invalid(`Cannot read ${file.name}: there is no such file.`);
  const problems = new Problems();
  const { user, tool } = await readSettings(file, text, sources, problems);
  checkLayers([...user, ...tool], knownNames(), problems);
  problems.throwIfAny();
  return file.name;
}

/** `file:line: what is wrong`, or `what is wrong (…, from file:line)`. */
function problemFacts(message: string) {
  const [, file = null, line] =
    /^(\S[^\n]*?):(\d+): /.exec(message) ?? /from ([^\s()]+):(\d+)\)/.exec(message) ?? [];
  return { message, file, line: line === undefined ? null : Number(line) };
}

function here(): ConfigSources {
  return sourcesOf(process.cwd(), process.env);
}

export const schema: Command = {
  details: {
    summary:
      'Print the JSON Schema of all files with settings; name it in the first line of a file for help in editors.',
    flags: [{ ...JSON_FLAG, doc: 'Print JSON; it always does.' }],
    examples: [
      'spillway config schema > .acode/config.schema.json',
      '# yaml-language-server: $schema=config.schema.json',
      '# yaml-language-server: $schema=../node_modules/spillway/schema/config.schema.json',
    ],
  },
  async run() {
    await print(schemaText(knownNames()));
  },
};

const TARGET_FLAGS: readonly Flag[] = [
  { name: 'tool', value: 'NAME', doc: 'Only for this tool, or for those that fit a pattern.' },
  { name: 'user', doc: 'In your own file, for all workspaces.' },
  JSON_FLAG,
];

export const set: Command = {
  details: {
    summary:
      "Change a setting in the workspace's .acode/config.yml, or in your own file; comments and order stay.",
    operands: { usage: 'FIELD VALUE', min: 2, max: 2 },
    flags: TARGET_FLAGS,
    examples: [
      'spillway config set inline_limit 12000',
      "spillway config set strategy tail --tool 'mcp__github__*'",
      'spillway config set spillway.durability process --user',
    ],
  },
  run: (given) => change(given, given.operands[1] ?? ''),
};

export const unset: Command = {
  details: {
    summary: 'Take a setting out of a file; comments and order stay.',
    operands: { usage: 'FIELD', min: 1, max: 1 },
    flags: TARGET_FLAGS,
    examples: [
      'spillway config unset inline_limit',
      'spillway config unset strategy --tool read_file --user',
    ],
  },
  run: (given) => change(given, null),
};

/** Null takes the setting out of the file. */
async function change(given: Given, value: string | null): Promise<void> {
  const [field = ''] = given.operands;
  const order = { field, value, user: given.has('user'), ...defined({ tool: given.value('tool') }) };
  const done = await setSetting(here(), order, knownNames());
  const words =
    value === null
      ? `Took ${done.setting} out of ${done.file}.\n`
      : `Set ${done.setting} to ${done.value} in ${done.file}.\n`;
  await answer(given, done, words);
  if (done.hidden_by !== null)
    tell(`It has no effect here: ${done.hidden_by} also sets it, and is stronger.`);
  if (done.problems.length > 0) tell(new InvalidConfiguration(done.problems).message);
}
