/**
 * Reads all settings of an installation: files and variables in, layers out, the weakest first; all
 * problems at once or no problem at all. User level: the user's file, the workspace's, `.env`, the
 * environment. Tool level: tool definitions, then the overrides of both files. A profile goes just
 * below the other settings of its source and takes the place of a profile that a weaker source of
 * that level names.
 */

import { readFileSync, statSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import {
  formatBytes,
  formatCount,
  nearest,
  type OwnPatterns,
  type PolicyLayer,
  pluralize,
  Settings,
} from '@spillway/core/plugin';
import { isBelievedFile, isNamedSafe } from '../accounts.ts';
import {
  allPatterns,
  type FileSettings,
  holdsSettings,
  NOTHING,
  readConfigFile,
  type ToolBlock,
  toolLayers,
} from './files.ts';
import { dotenvLayers, environmentLayers } from './layer-draft.ts';
import { type ConfigFile, type ConfigSources, configLocations } from './locations.ts';
import { InvalidConfiguration, invalid, Problems } from './problems.ts';
import type { StorageSettings } from './storage.ts';
import { type Entry, type Reading, YamlFile } from './yaml-file.ts';

/**
 * The group under which `Settings` keeps these layers: one, so that a change is valid as a whole or
 * not made.
 */
export const CONFIG_GROUP = 'configuration';

/**
 * Files with settings are written by hand; reading one must cost next to nothing, whoever wrote it.
 */
const MOST_FILE_BYTES = 256_000;
/**
 * Tools that all files together may have settings for: each is checked with the settings of all.
 */
const MOST_TOOLS = 1_000;

/** What files and variables say. */
export interface Config {
  /** Of user and tool level, the weakest first. */
  readonly layers: readonly PolicyLayer[];
  /** The files that were looked for, the weakest first. */
  readonly files: readonly (ConfigFile & { readonly found: boolean })[];
  /** Where outputs are kept, and for how long. */
  readonly storage: StorageSettings;
  /** Lines that tell of errors and warnings beside those that are known. */
  readonly own: OwnPatterns;
  /** What the user should know: which files are not believed, and why. */
  readonly notices: readonly string[];
  /** What is wrong with files of the workspace; what is right in them is used. */
  readonly passedOver: readonly PassedOver[];
}

/** A file of the workspace that is not valid, and what is wrong with it. */
export interface PassedOver {
  /** The file, as messages call it. */
  readonly name: string;
  /** Names the line and the field. */
  readonly error: SpillwayError;
  /** How much of it is used: all other lines, or nothing, as it cannot be read at all. */
  readonly used: 'other lines' | 'nothing';
}

/** Where to look, and how to read. */
export interface LoadOptions extends ConfigSources {
  /** Reads a file; null if it is not there. */
  readonly read?: (file: ConfigFile) => string | null;
  /**
   * Passes over lines of the workspace's files that are not valid, so that nobody who wrote one
   * keeps other settings from being used. Default: one that is not valid is a problem like any other.
   */
  readonly passOver?: true;
  /**
   * The names that settings may use. A strategy or a dialect that is not among them is then a
   * problem like any other, and so is what does not go together.
   */
  readonly known?: Settings['known'];
}

const UNREAD: FileSettings = { ...NOTHING };

/** Reads all sources of settings; rejects with every problem named if one is not valid. */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const locations = configLocations(options);
  const problems = new Problems();
  const { read = readFile, believed = true } = options;
  const notices: string[] = [];
  const mayBeRead = (file: ConfigFile): boolean => {
    if (file.trust === 'user' || isNamedSafe(options.workspace, options.env)) return true;
    // That the whole workspace is not believed is told by whoever found it.
    if (!believed || isBelievedFile(file.path, options.env)) return believed;
    notices.push(notBelieved(file));
    return false;
  };
  const textOf = (file: ConfigFile): string | null => (mayBeRead(file) ? read(file) : null);
  const texts = new Map<ConfigFile, string | null>();
  const passedOver: PassedOver[] = [];
  const settings = async (file: ConfigFile | null): Promise<FileSettings> => {
    if (file === null) return NOTHING;
    const mayPass = options.passOver === true && file.trust === 'workspace';
    const found = mayPass ? new Problems() : problems;
    try {
      const text = mayPass ? textOf(file) : (found.attempt(() => textOf(file)) ?? null);
      texts.set(file, text);
      const fileSettings = await readSettings(file, text, options, found);
      const error = mayPass ? found.error() : null;
      const used = fileSettings === UNREAD ? 'nothing' : 'other lines';
      if (error !== null) passedOver.push({ name: file.name, error, used });
      return fileSettings;
    } catch (error) {
      if (!mayPass || !(error instanceof SpillwayError)) throw error;
      passedOver.push({ name: file.name, error, used: 'nothing' });
      return UNREAD;
    }
  };

  const user = await settings(locations.user);
  const workspace = await settings(locations.workspace);
  const dotenv = await settings(locations.dotenv);
  const tools: FileSettings[] = [];
  for (const file of locations.tools) tools.push(await settings(file));
  const environment = environmentLayers(options.env, locations.user?.path ?? 'your own file', problems);
  const layers = [user, workspace, dotenv, { user: environment }].flatMap((one) => one.user);
  if (options.known !== undefined)
    checkLayers(
      [...layers, ...[...tools, user, workspace].flatMap((one) => one.tool)],
      options.known,
      problems,
    );
  problems.throwIfAny();
  let byTool = [...tools, user, workspace].flatMap((one) => one.tool);
  const tooMany = tooManyTools(byTool);
  if (tooMany !== null) {
    if (options.passOver !== true || tooManyTools(user.tool) !== null) throw tooMany;
    passedOver.push({ name: 'the workspace', error: tooMany, used: 'nothing' });
    byTool = [...user.tool];
  }
  const unread = passedOver.filter(({ used }) => used === 'nothing').map(({ name }) => notKept(name));
  return {
    layers: [...nearestProfiles([...layers, ...byTool]), ...unread],
    files: [...texts].map(([file, text]) => ({ ...file, found: text !== null })),
    storage: user.storage,
    own: allPatterns([user.own, workspace.own]),
    notices,
    passedOver,
  };
}

/** Collects names that are not known, then, if nothing else is wrong, what does not go together. */
export function checkLayers(
  layers: readonly PolicyLayer[],
  known: Settings['known'],
  problems: Problems,
): void {
  const tried = (some: readonly PolicyLayer[]) =>
    problems.attempt(() => new Settings(known).replace(CONFIG_GROUP, some));
  for (const { patch, ...layer } of layers)
    for (const name of ['strategy', 'dialect'] as const)
      if (patch[name] !== undefined) tried([{ ...layer, patch: { [name]: patch[name] } }]);
  if (problems.error() === null) tried(nearestProfiles(layers));
}

/** A file that cannot be read may leave any tool out of the store: nothing is kept until it can. */
function notKept(name: string): PolicyLayer {
  return {
    level: 'tool',
    tool: '*',
    source: `${name}, which cannot be read`,
    patch: { exclude: 'storing' },
    at: {},
  };
}

/**
 * Puts settings in force. Where a block of the workspace is not valid together with the others, the
 * others apply without it, and what is wrong is returned.
 */
export function applyLayers(
  settings: Pick<Settings, 'replace'>,
  layers: readonly PolicyLayer[],
): PassedOver | null {
  try {
    settings.replace(CONFIG_GROUP, layers);
    return null;
  } catch (error) {
    const own = layers.filter(({ untrusted }) => untrusted !== true);
    if (!(error instanceof SpillwayError) || own.length === layers.length) throw error;
    settings.replace(CONFIG_GROUP, withValid(settings, own, layers));
    return { name: 'the workspace', error, used: 'other lines' };
  }
}

/** Blocks of a workspace that are tried one by one: each is checked with all that are in force. */
const MOST_TRIED = 50;

function withValid(
  settings: Pick<Settings, 'replace'>,
  own: readonly PolicyLayer[],
  layers: readonly PolicyLayer[],
): readonly PolicyLayer[] {
  let valid = own;
  for (const layer of layers.filter((one) => !own.includes(one)).slice(0, MOST_TRIED)) {
    const more = layers.filter((one) => valid.includes(one) || one === layer);
    try {
      settings.replace(CONFIG_GROUP, more);
      valid = more;
    } catch (error) {
      if (!(error instanceof SpillwayError)) throw error;
    }
  }
  return valid;
}

/** What is told of a file that is not valid: the first thing that is wrong with it. */
export function passedOverNotice({ name, error, used }: PassedOver): string {
  const [first = error.message, ...more] = error instanceof InvalidConfiguration ? error.problems : [];
  const others = more.length === 0 ? '' : ` (And ${pluralize(more.length, 'more problem')}.)`;
  const rest =
    used === 'nothing'
      ? `Nothing in ${name} is used, and as it may exclude tools from storing, nothing is stored until that is corrected`
      : `The rest of ${name} is used`;
  return `${first}${others} ${rest}; \`spillway config validate\` tells everything.`;
}

function tooManyTools(byTool: readonly PolicyLayer[]): SpillwayError | null {
  const tools = new Set(byTool.map(({ tool }) => tool?.toLowerCase())).size;
  if (tools <= MOST_TOOLS) return null;
  return invalid(
    `The files have settings for ${formatCount(tools)} tools; at most ${formatCount(MOST_TOOLS)} may have their own. Use patterns such as mcp__github__*.`,
  );
}

function notBelieved({ path }: ConfigFile): string {
  return `${path} belongs to another account, or others may write it: its settings are not used. If it is yours, allow writing to you alone (chmod o-w).`;
}

/** What one file says by itself; what is wrong with it goes to the problems. */
export async function readSettings(
  file: ConfigFile,
  text: string | null,
  sources: ConfigSources,
  problems: Problems,
): Promise<FileSettings> {
  const userFile = configLocations(sources).user?.path ?? 'your own file';
  if (text === null) return NOTHING;
  if (file.kind === 'dotenv') return { ...NOTHING, user: dotenvLayers(file, text, userFile, problems) };
  const yaml = await YamlFile.parse(file.name, text, problems);
  if (yaml === null) return UNREAD;
  const reading = { file, yaml, userFile, home: sources.home, problems };
  return file.kind === 'config' ? readConfigFile(reading) : { ...NOTHING, tool: readToolsFile(reading) };
}

export function readFile({ path, name, kind }: ConfigFile): string | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (found.isFile() && found.size <= MOST_FILE_BYTES) return readFileSync(path, 'utf8');
    if (found.isFile())
      throw invalid(
        `${name} has ${formatBytes(found.size)}: a file with settings has at most ${formatBytes(MOST_FILE_BYTES)}.`,
      );
  } catch (error) {
    if (error instanceof SpillwayError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw invalid(`Cannot read ${name} (${code}): make it readable or remove it.`);
  }
  // A folder `.env` is somebody's Python environment.
  if (kind === 'dotenv') return null;
  throw invalid(`Cannot read ${name}: it is not a file.`);
}

/**
 * At one level and for one tool the strongest profile counts; two would make a mixture that nobody
 * asked for.
 */
function nearestProfiles(layers: readonly PolicyLayer[]): PolicyLayer[] {
  const keyOf = ({ level, tool }: PolicyLayer) => `${level} ${tool?.toLowerCase() ?? ''}`;
  // Only the layer of a profile has no place for each field.
  const isProfile = ({ at }: PolicyLayer) => at === undefined;
  const nearest = new Map(layers.filter(isProfile).map((layer) => [keyOf(layer), layer]));
  return layers.filter((layer) => !isProfile(layer) || nearest.get(keyOf(layer)) === layer);
}

// `tools.yaml`: definitions of tools, by name or as a list of maps with a `name`, at the top or
// below `tools`. Of a definition only its `truncation` block is read; the other keys belong to
// whoever runs the tool. A block of settings that stands where nothing reads it is a problem.

const TRUNCATION = 'truncation';

function readToolsFile(reading: Reading): readonly PolicyLayer[] {
  return toolLayers(
    reading,
    definitionsIn(reading).flatMap((definition) => blockOf(reading, definition)),
  );
}

/** Another program may have a file of that name: what is no definition says nothing to us. */
function definitionsIn(reading: Reading): Entry[] {
  const { yaml } = reading;
  const listed = yaml.elements(yaml.root);
  if (listed !== null) return namedElements(reading, listed);
  return (yaml.entries(yaml.root) ?? []).flatMap((entry) => {
    if (entry.key !== 'tools') return [entry];
    const elements = yaml.elements(entry.value);
    return elements === null ? (yaml.entries(entry.value) ?? [entry]) : namedElements(reading, elements);
  });
}

/** A definition in a list has its name inside. */
function namedElements(reading: Reading, elements: readonly Omit<Entry, 'key'>[]): Entry[] {
  const { yaml, problems } = reading;
  return elements.flatMap((element) => {
    const entries = yaml.entries(element.value) ?? [];
    const name = entries.find(({ key }) => key === 'name');
    const key = name === undefined ? undefined : yaml.scalar(name.value);
    if (typeof key === 'string') return [{ ...element, key }];
    const block = entries.find((entry) => entry.key === TRUNCATION);
    if (block !== undefined)
      problems.add(`${block.at}: truncation is for a tool without a name: give its definition a name.`);
    return [];
  });
}

function blockOf(reading: Reading, { key: tool, value, at }: Entry): ToolBlock[] {
  const { yaml, problems } = reading;
  if (tool === TRUNCATION && holdsSettings(reading, { key: tool, value, at })) {
    problems.add(
      `${at}: truncation stands in the definition of a tool here. Settings for every tool stand in .acode/config.yml.`,
    );
    return [];
  }
  return (yaml.entries(value) ?? []).flatMap((entry) => {
    if (entry.key === TRUNCATION) return [{ ...entry, key: tool, name: TRUNCATION }];
    if (nearest(entry.key, [TRUNCATION]) !== undefined && holdsSettings(reading, entry))
      problems.add(
        `${entry.at}: ${JSON.stringify(entry.key.slice(0, 60))} holds settings. Did you mean truncation?`,
      );
    return [];
  });
}
