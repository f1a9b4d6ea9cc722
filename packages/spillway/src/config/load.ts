/**
 * Reads all settings of an installation: files and variables in, layers out, the weakest first; all
 * problems at once or no problem at all. User level: the user's file, the workspace's, `.env`, the
 * environment. Tool level: tool definitions, then the overrides of both files. A profile goes just
 * below the other settings of its source and takes the place of a profile that a weaker source of
 * that level names.
 */
import { readFileSync, statSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { formatBytes, formatCount, type OwnPatterns, type PolicyLayer } from '@spillway/core/plugin';
import { isBelievedFile, isNamedSafe } from '../accounts.ts';
import { type FileSettings, NOTHING, readConfigFile } from './files.ts';
import { type ConfigFile, type ConfigSources, configFiles, configLocations } from './locations.ts';
import { allPatterns } from './own-patterns.ts';
import { invalid, Problems } from './problems.ts';
import type { StorageSettings } from './storage.ts';
import { readToolsFile } from './tool-definitions.ts';
import { dotenvLayers, environmentLayers } from './variables.ts';
import { YamlFile } from './yaml-file.ts';

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
  readonly storage: StorageSettings;
  /** Lines that tell of errors and warnings beside those that are known. */
  readonly own: OwnPatterns;
  /** What the user should know: which files were passed over, and why. */
  readonly notices: readonly string[];
}

/** Where to look, and how to read. */
export interface LoadOptions extends ConfigSources {
  /** Reads a file; null if it is not there. */
  readonly read?: (file: ConfigFile) => string | null;
}

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
    notices.push(passedOver(file));
    return false;
  };
  const texts = new Map(
    configFiles(locations).map((file) => {
      const text = problems.attempt(() => (mayBeRead(file) ? read(file) : null));
      return [file, text ?? null] as const;
    }),
  );
  const settings = async (file: ConfigFile | null) =>
    file === null ? NOTHING : readSettings(file, texts.get(file) ?? null, options, problems);

  const user = await settings(locations.user);
  const workspace = await settings(locations.workspace);
  const dotenv = await settings(locations.dotenv);
  const tools = await Promise.all(locations.tools.map(settings));
  const environment = environmentLayers(options.env, locations.user?.path ?? 'your own file', problems);
  problems.throwIfAny();
  const layers = [user, workspace, dotenv, { user: environment }].flatMap((one) => one.user);
  const byTool = [...tools, user, workspace].flatMap((one) => one.tool);
  refuseTooMany(byTool);
  return {
    layers: nearestProfiles([...layers, ...byTool]),
    files: [...texts].map(([file, text]) => ({ ...file, found: text !== null })),
    storage: user.storage,
    own: allPatterns([user.own, workspace.own]),
    notices,
  };
}

function refuseTooMany(byTool: readonly PolicyLayer[]): void {
  const tools = new Set(byTool.map(({ tool }) => tool?.toLowerCase())).size;
  if (tools > MOST_TOOLS)
    throw invalid(
      `The files have settings for ${formatCount(tools)} tools; at most ${formatCount(MOST_TOOLS)} may have their own. Use patterns such as mcp__github__*.`,
    );
}

function passedOver({ path }: ConfigFile): string {
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
  if (yaml === null) return NOTHING;
  const reading = { file, yaml, userFile, home: sources.home, problems };
  return file.kind === 'config' ? readConfigFile(reading) : { ...NOTHING, tool: readToolsFile(reading) };
}

/** The text of a file; null if it is not there. */
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
