/**
 * Puts one setting into a file. The whole configuration is checked with the new text before
 * anything is written: the change must not make it worse. What was wrong before stays, and is told.
 */
import {
  FIELDS,
  type Field,
  type FieldName,
  fieldOf,
  parseText,
  profileOf,
  Settings,
  settingName,
} from '@spillway/core/plugin';
import { type SettingValue, type Step, withoutSetting, withSetting, writeWhole } from './edit.ts';
import { CONFIG_GROUP, type Config, loadConfig, readFile } from './load.ts';
import { type ConfigFile, type ConfigSources, configLocations } from './locations.ts';
import { InvalidConfiguration, invalid, Problems } from './problems.ts';
import { isStorageField, STORAGE_FIELDS } from './storage.ts';
import { YamlFile } from './yaml-file.ts';

export interface SetOrder {
  readonly field: string;
  readonly value: string | null;
  readonly tool?: string;
  /** In the user's file instead of the workspace's. */
  readonly user: boolean;
}

export interface SetDone {
  readonly setting: string;
  readonly value: SettingValue | null;
  readonly file: string;
  /** The stronger source that makes it without effect; null if there is none. */
  readonly hidden_by: string | null;
  /** What other lines of the configuration have wrong. */
  readonly problems: readonly string[];
}

const STORAGE = 'spillway.';

export async function setSetting(
  sources: ConfigSources,
  order: SetOrder,
  known: Settings['known'],
): Promise<SetDone> {
  const { file, text, ...done } = await planSetting(sources, order, known);
  writeWhole(file, text);
  const { setting, value, hidden_by, problems } = done;
  return { setting, value, file: file.name, hidden_by, problems };
}

export interface SettingPlan extends Omit<SetDone, 'file'> {
  readonly file: ConfigFile;
  /** The text of the file before; null if it is not there. */
  readonly former: string | null;
  readonly text: string;
}

export async function planSetting(
  sources: ConfigSources,
  order: SetOrder,
  known: Settings['known'],
): Promise<SettingPlan> {
  const file = fileFor(sources, order);
  const found = readFile(file);
  const former = found ?? '';
  const { path, value, field } = order.field.startsWith(STORAGE)
    ? storagePath(order)
    : settingPath(order, await settingsBlock(file, former));
  const text =
    value === null
      ? await withoutSetting(file.name, former, path)
      : await withSetting(file.name, former, path, value);
  const checked = async (content: string) => {
    const read = (one: ConfigFile) => (one.path === file.path ? content : readFile(one));
    return loadConfig({ ...sources, read, known }).catch((error: unknown) => {
      if (error instanceof InvalidConfiguration) return error;
      throw error;
    });
  };
  const config = await checked(text);
  const wrong = config instanceof InvalidConfiguration ? config.problems : [];
  if (wrong.length > 0) refuseNew(wrong, await checked(former));
  const setting = path.at(-1)?.key ?? order.field;
  return { setting, value, file, former: found, text, hidden_by: hiddenBy(), problems: wrong };

  function hiddenBy(): string | null {
    if (field === null || value === null || config instanceof InvalidConfiguration) return null;
    const settings = new Settings(known);
    settings.replace(CONFIG_GROUP, config.layers);
    const { source } = settings.effective(order.tool ?? '').origins[field];
    return source.startsWith(`${file.name}:`) ? null : source;
  }
}

/** Refuses what the change itself has wrong; an edit may move the lines below it. */
function refuseNew(wrong: readonly string[], before: Config | InvalidConfiguration): void {
  const known = before instanceof InvalidConfiguration ? before.problems.map(withoutLine) : [];
  const added = wrong.filter((problem) => !known.includes(withoutLine(problem)));
  if (added.length > 0) throw new InvalidConfiguration(added);
}

function withoutLine(problem: string): string {
  return problem.replace(/:\d+/g, '');
}

function fileFor(sources: ConfigSources, { user }: SetOrder): ConfigFile {
  const locations = configLocations(sources);
  if (!user && sources.believed === false)
    throw invalid(
      `The workspace ${sources.workspace} belongs to another account: set it in your own file (--user), or set SPILLWAY_SAFE_WORKSPACES=${sources.workspace}`,
    );
  if (!user) return locations.workspace;
  if (locations.user === null)
    throw invalid('There is no home folder for a file of your own: set XDG_CONFIG_HOME.');
  return locations.user;
}

interface Change {
  readonly path: readonly Step[];
  readonly value: SettingValue | null;
  /** Null for what is no field of a policy. */
  readonly field: FieldName | null;
}

/** Where a file has its settings: at its top if it begins a block there, else below `tools`. */
async function settingsBlock({ name }: ConfigFile, text: string): Promise<readonly Step[]> {
  const problems = new Problems();
  const yaml = await YamlFile.parse(name, text, problems);
  problems.throwIfAny();
  const isAtTop = yaml?.entries(yaml.root)?.some(({ key }) => key === 'truncation') === true;
  return [...(isAtTop ? [] : [{ key: 'tools' }]), { key: 'truncation' }];
}

function settingPath({ field: name, value: text, tool }: SetOrder, settings: readonly Step[]): Change {
  const block = [...settings];
  if (tool === '') throw invalid('--tool needs a name.');
  if (tool !== undefined)
    block.push({ key: 'overrides' }, { key: tool, same: (key) => key.toLowerCase() === tool.toLowerCase() });
  if (name === 'profile') {
    if (text !== null) profileOf(text, 'profile ');
    return { path: [...block, { key: name }], value: text, field: null };
  }
  const field = fieldOf(name);
  const { alias }: Field = FIELDS[field];
  const spellings = [settingName(field), ...(alias === undefined ? [] : [alias])];
  const last: Step = {
    key: name === alias ? alias : settingName(field),
    same: (key) => spellings.includes(key),
  };
  const value = text === null ? null : (parseText(field, text, name)[field] ?? 'off');
  return { path: [...block, last], value, field };
}

function storagePath({ field, value, tool }: SetOrder): Change {
  const name = field.slice(STORAGE.length);
  if (!isStorageField(name))
    throw invalid(
      `${JSON.stringify(name)} is not a setting of spillway. Settings: ${Object.keys(STORAGE_FIELDS).join(', ')}.`,
    );
  if (tool !== undefined) throw invalid(`${field} is not a setting of a tool.`);
  return {
    path: [{ key: 'spillway' }, { key: name }],
    value: value === null ? null : scalarOf(name, value),
    field: null,
  };
}

/**
 * What the file has to hold for a setting that was given as text; what is wrong is said when the
 * file is checked.
 */
function scalarOf(name: keyof typeof STORAGE_FIELDS, text: string): string | number | boolean {
  const { kind } = STORAGE_FIELDS[name];
  if (kind === 'count' && /^\d+$/.test(text)) return Number(text);
  return kind === 'flag' && /^(true|false)$/.test(text) ? text === 'true' : text;
}
