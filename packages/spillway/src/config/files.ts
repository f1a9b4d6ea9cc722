/**
 * What a file with settings says: settings for every tool, settings by tool, and (in the user's
 * file) how outputs are stored. Settings for every tool stand below `tools.truncation`, or below
 * `truncation` at the top of the file, which means the same.
 */
import type { OwnPatterns, PolicyLayer } from '@spillway/core/plugin';
import { allowedEntries } from './keys.ts';
import { type Block, LayerDraft } from './layer-draft.ts';
import { isPatternList, NO_PATTERNS, readPatterns } from './own-patterns.ts';
import { readStorage, type StorageSettings } from './storage.ts';
import type { Entry, Reading } from './yaml-file.ts';

export interface FileSettings {
  readonly user: readonly PolicyLayer[];
  readonly tool: readonly PolicyLayer[];
  readonly storage: StorageSettings;
  readonly own: OwnPatterns;
}

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
