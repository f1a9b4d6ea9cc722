/**
 * What a file with settings says: settings for every tool, settings by tool, and (in the user's
 * file) how outputs are stored. Settings for every tool stand below `tools.truncation`, or below
 * `truncation` at the top of the file, which means the same.
 */

import { SpillwayError } from '@spillway/core';
import {
  FIELD_NAMES,
  FIELDS,
  type Field,
  formatCount,
  nearest,
  type OwnPattern,
  type OwnPatterns,
  type PatternEngine,
  type PolicyLayer,
  type SecretPattern,
  settingName,
} from '@spillway/core/plugin';
import { re2Patterns } from '../patterns.ts';
import { type Block, LayerDraft } from './layer-draft.ts';
import { invalid } from './problems.ts';
import { isStorageField, readStorage, STORAGE_FIELDS, type StorageSettings } from './storage.ts';
import type { Entry, Reading } from './yaml-file.ts';

export interface FileSettings {
  readonly user: readonly PolicyLayer[];
  readonly tool: readonly PolicyLayer[];
  readonly storage: StorageSettings;
  readonly own: OwnPatterns;
}

/** As data, also for the schema. */
export const PATTERN_LISTS = {
  error_patterns: 'Lines that match one of these RE2 patterns count as errors.',
  warning_patterns: 'Lines that match one of these RE2 patterns count as warnings.',
  redact_patterns:
    'What matches one of these RE2 patterns is a secret: it is replaced wherever redact is not off.',
} as const;

const NO_PATTERNS: OwnPatterns = { errors: [], warnings: [], secrets: [] };

export const NOTHING: FileSettings = { user: [], tool: [], storage: {}, own: NO_PATTERNS };

export async function readConfigFile(reading: Reading): Promise<FileSettings> {
  const { yaml, file, userFile, problems } = reading;
  if (yaml.isEmpty(yaml.root)) return NOTHING;
  const entries = yaml.entries(yaml.root);
  if (entries === null) {
    problems.add(`${file.name}:1: it must be a map with the key tools.`);
    return NOTHING;
  }
  const top = allowedEntries(reading, 'file', entries);
  const storage = top.find(({ key }) => key === 'spillway');
  if (storage !== undefined && file.trust === 'workspace')
    problems.add(
      `${storage.at}: spillway says where outputs are stored and how long they stay. A file of the workspace must not decide that; set it in ${userFile}.`,
    );
  return {
    ...(await truncation(reading, top)),
    storage: file.trust === 'workspace' ? {} : storageIn(reading, top),
  };
}

function storageIn(reading: Reading, top: readonly Entry[]): StorageSettings {
  return readStorage(reading, allowedEntries(reading, 'spillway', below(reading, top, 'spillway')));
}

async function truncation(
  reading: Reading,
  top: readonly Entry[],
): Promise<Pick<FileSettings, 'user' | 'tool' | 'own'>> {
  const tools = allowedEntries(reading, 'tools', below(reading, top, 'tools'));
  const settings = allowedEntries(reading, 'truncation', [
    ...below(reading, tools, 'truncation'),
    ...below(reading, top, 'truncation'),
  ]);
  const overrides = settings.flatMap((entry) => below(reading, [entry], 'overrides'));
  return {
    user: block(
      reading,
      settings.filter(({ key }) => key !== 'overrides' && !isPatternList(key)),
    ),
    own: await readPatterns(reading, settings),
    tool: toolLayers(
      reading,
      overrides.map((entry) => ({ ...entry, name: entry.key })),
    ),
  };
}

/** The entries of a map below one of these entries. */
function below({ yaml, problems }: Reading, entries: readonly Entry[], key: string): readonly Entry[] {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined || yaml.isEmpty(entry.value)) return [];
  const found = yaml.entries(entry.value);
  if (found === null) problems.add(`${entry.at}: ${key} must be a map.`);
  return found ?? [];
}

/** Chars of a tool's name, or of a pattern: each is compared with the name of every call. */
const LONGEST_TOOL = 200;

/** The settings of one tool in a file; `name` is what messages call their block. */
export type ToolBlock = Entry & { readonly name: string };

export function toolLayers(reading: Reading, blocks: readonly ToolBlock[]): PolicyLayer[] {
  const { yaml, problems } = reading;
  const seen = new Map<string, string>();
  return blocks.flatMap(({ key: tool, value, at, name }) => {
    const before = seen.get(tool.toLowerCase());
    seen.set(tool.toLowerCase(), at);
    if (before !== undefined) problems.add(`${at}: ${tool.slice(0, 60)} is there twice: also at ${before}.`);
    if (tool === '' || tool.length > LONGEST_TOOL)
      problems.add(`${at}: a tool needs a name, of at most ${LONGEST_TOOL} chars.`);
    if (yaml.isEmpty(value)) return [];
    const entries = yaml.entries(value);
    if (entries === null) problems.add(`${at}: ${name} must be a map of settings.`);
    return block(reading, allowedEntries(reading, 'tool', entries ?? []), tool);
  });
}

function block(reading: Reading, entries: readonly Entry[], tool?: string): PolicyLayer[] {
  const { file, yaml, userFile, problems } = reading;
  const about: Block = {
    ...(tool === undefined ? { level: 'user' } : { level: 'tool', tool }),
    source: file.name,
    trust: file.trust,
    userFile,
  };
  const draft = new LayerDraft(about, problems);
  for (const { key, value, at } of entries)
    draft.add(key, { value: yaml.scalar(value) }, { at, label: `${at}: ${key}` });
  return draft.layers();
}

// Which keys may stand where in a file with settings. A key that may not is a problem, told with
// its place and the nearest right one. Keys that begin with `x-` are left alone at the top of a
// file: they hold anchors that other blocks share.

const SETTINGS: ReadonlySet<string> = new Set([
  ...FIELD_NAMES.flatMap((name) => [settingName(name), (FIELDS[name] as Field).alias ?? settingName(name)]),
  'profile',
]);
const GENERAL: ReadonlySet<string> = new Set(['overrides', ...Object.keys(PATTERN_LISTS)]);

/** The blocks of a file with settings; `tool` holds the settings of one tool. */
type BlockName = 'file' | 'tools' | 'truncation' | 'tool' | 'spillway';

const KEYS = {
  file: ['tools', 'truncation', 'spillway'],
  tools: ['truncation'],
} as const;

/** The entries that may stand in a block; each of the others becomes a problem. */
function allowedEntries(reading: Reading, block: BlockName, entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => {
    const problem = problemOf(reading, block, entry);
    if (problem !== null) reading.problems.add(`${entry.at}: ${problem}`);
    return problem === null && !isAnchorKey(block, entry.key);
  });
}

/** Whether a map holds at least one setting, and so is meant as a block of settings. */
export function holdsSettings({ yaml }: Reading, { value }: Entry): boolean {
  return (yaml.entries(value) ?? []).some(({ key }) => SETTINGS.has(key) || GENERAL.has(key));
}

function isAnchorKey(block: BlockName, key: string): boolean {
  return block === 'file' && key.startsWith('x-');
}

function problemOf(reading: Reading, block: BlockName, entry: Entry): string | null {
  const { key } = entry;
  if (isAnchorKey(block, key)) return null;
  if (block === 'spillway')
    return SETTINGS.has(key) || GENERAL.has(key)
      ? `${key} stands below tools.truncation, not ${HERE[block]}.`
      : null;
  if (block === 'truncation' || block === 'tool') return problemInSettings(reading, block, entry);
  const allowed: readonly string[] = KEYS[block];
  if (allowed.includes(key)) return null;
  const home = homeOf(key, reading);
  if (home !== null) return `${key} stands below ${home}, not ${HERE[block]}.`;
  const near = nearest(key, allowed);
  if (near === undefined && holds(reading, entry, 'truncation'))
    return `the settings of one tool stand below tools.truncation.overrides.${key.slice(0, 60)}, or in tools.yaml.`;
  const meant = near === undefined ? meantElsewhere(reading, key) : ` Did you mean ${near}?`;
  return `${quoted(key)} is not a key ${HERE[block]}.${meant} Keys: ${allowed.join(', ')}.`;
}

function meantElsewhere(reading: Reading, key: string): string {
  const near = nearest(key, [...SETTINGS, ...GENERAL, ...Object.keys(STORAGE_FIELDS)]);
  return near === undefined ? '' : ` Did you mean ${near}, below ${homeOf(near, reading)}?`;
}

function holds({ yaml }: Reading, { value }: Entry, key: string): boolean {
  return (yaml.entries(value) ?? []).some((one) => one.key === key);
}

const HERE = {
  file: 'at the top of this file',
  tools: 'below tools',
  truncation: 'below tools.truncation',
  tool: 'in the settings of one tool',
  spillway: 'below spillway',
};

function problemInSettings(reading: Reading, block: 'truncation' | 'tool', entry: Entry): string | null {
  const { key, value } = entry;
  if (SETTINGS.has(key)) return null;
  if (GENERAL.has(key))
    return block === 'truncation' ? null : `${key} stands below tools.truncation, not ${HERE.tool}.`;
  if (isStorageField(key)) return `${key} stands below ${homeOf(key, reading)}, not ${HERE[block]}.`;
  if (key === 'truncation')
    return `truncation is one level too many here: put its settings ${block === 'tool' ? 'directly below the tool' : 'one level up'}.`;
  if (block === 'truncation' && reading.yaml.entries(value) !== null && nearest(key, GENERAL) === undefined)
    return `the settings of one tool stand below overrides: tools.truncation.overrides.${key.slice(0, 60)}.`;
  return null;
}

/** Where a key belongs that may not stand where it was found; null if it is known nowhere. */
function homeOf(key: string, { userFile }: Reading): string | null {
  if (SETTINGS.has(key) || GENERAL.has(key)) return 'tools.truncation';
  return isStorageField(key) ? `spillway in ${userFile}` : null;
}

function quoted(key: string): string {
  return JSON.stringify(key.slice(0, 60));
}

// The user's own RE2 patterns, beside the settings for every tool: `error_patterns` and
// `warning_patterns` match lines that count as errors or warnings, `redact_patterns` match secrets.
// The lists of all files count together. Each is compiled when it is read, so a bad one is a
// problem of its file.

/** The most patterns in one list, and the longest of them: each may be tried on every line. */
export const MOST_PATTERNS = 50;
export const MOST_PATTERN_CHARS = 200;
/**
 * Instructions of all patterns of a file together: a line takes as many steps as it has chars,
 * times these.
 */
const MOST_INSTRUCTIONS = 1_000;

function isPatternList(name: string): name is keyof typeof PATTERN_LISTS {
  return Object.hasOwn(PATTERN_LISTS, name);
}

async function readPatterns(reading: Reading, entries: readonly Entry[]): Promise<OwnPatterns> {
  const lists = entries.filter(({ key }) => isPatternList(key));
  if (lists.length === 0) return NO_PATTERNS;
  const engine = await re2Patterns();
  const of = (name: keyof typeof PATTERN_LISTS) =>
    lists.filter(({ key }) => key === name).flatMap((entry) => compiled(reading, entry, engine));
  const found = {
    errors: of('error_patterns'),
    warnings: of('warning_patterns'),
    secrets: of('redact_patterns'),
  };
  const size = Object.values(found)
    .flat()
    .reduce((sum, pattern) => sum + pattern.size, 0);
  if (size <= MOST_INSTRUCTIONS) return found;
  reading.problems.add(
    `${lists[0]?.at}: the patterns are too large together (${formatCount(size)} instructions, at most ${formatCount(MOST_INSTRUCTIONS)}). Use fewer of them, or smaller counted repetitions.`,
  );
  return NO_PATTERNS;
}

interface SizedPattern extends OwnPattern, SecretPattern {
  readonly size: number;
}

export function allPatterns(found: readonly OwnPatterns[]): OwnPatterns {
  return {
    errors: found.flatMap(({ errors }) => errors),
    warnings: found.flatMap(({ warnings }) => warnings),
    secrets: found.flatMap(({ secrets = [] }) => secrets),
  };
}

function compiled(
  { yaml, problems }: Reading,
  { key, value, at }: Entry,
  engine: PatternEngine,
): SizedPattern[] {
  if (yaml.isEmpty(value)) return [];
  const items = yaml.elements(value);
  if (items === null || items.length > MOST_PATTERNS) {
    problems.add(`${at}: ${key} must be a list of at most ${MOST_PATTERNS} patterns.`);
    return [];
  }
  return items.flatMap(
    (item, i) =>
      problems.attempt(() => pattern(yaml.scalar(item.value), `${at}: ${key}, item ${i + 1}`, engine)) ?? [],
  );
}

function pattern(source: unknown, label: string, engine: PatternEngine): SizedPattern {
  if (typeof source !== 'string' || source === '') throw invalid(`${label} must be a pattern in quotes.`);
  if (source.length > MOST_PATTERN_CHARS)
    throw invalid(
      `${label} has ${formatCount(source.length)} chars, at most ${MOST_PATTERN_CHARS} are allowed.`,
    );
  const compiled = named(label, () => engine.compile(source));
  const { find, size = source.length } = compiled;
  if (find('') >= 0) throw invalid(`${label} matches every line: it must need at least one character.`);
  const match = (text: string, from: number) => compiled.match?.(text, from) ?? null;
  return { source, size, test: (line) => find(line) >= 0, match };
}

function named<T>(label: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    throw invalid(`${label}: ${error.message}`);
  }
}
