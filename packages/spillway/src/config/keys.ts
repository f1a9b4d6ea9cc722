/**
 * Which keys may stand where in a file with settings. A key that may not is a problem, told with
 * its place and the nearest right one. Keys that begin with `x-` are left alone at the top of a
 * file: they hold anchors that other blocks share.
 */
import { FIELD_NAMES, FIELDS, type Field, nearest, settingName } from '@spillway/core/plugin';
import { PATTERN_LISTS } from './own-patterns.ts';
import { isStorageField, STORAGE_FIELDS } from './storage.ts';
import type { Entry, Reading } from './yaml-file.ts';

const SETTINGS: ReadonlySet<string> = new Set([
  ...FIELD_NAMES.flatMap((name) => [settingName(name), (FIELDS[name] as Field).alias ?? settingName(name)]),
  'profile',
]);
const GENERAL: ReadonlySet<string> = new Set(['overrides', ...Object.keys(PATTERN_LISTS)]);

/** The blocks of a file with settings; `tool` holds the settings of one tool. */
export type BlockName = 'file' | 'tools' | 'truncation' | 'tool' | 'spillway';

const KEYS = {
  file: ['tools', 'truncation', 'spillway'],
  tools: ['truncation'],
} as const;

/** The entries that may stand in a block; each of the others becomes a problem. */
export function allowedEntries(
  reading: Reading,
  block: BlockName,
  entries: readonly Entry[],
): readonly Entry[] {
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
