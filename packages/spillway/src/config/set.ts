/**
 * Puts one setting into a file. The whole configuration is checked with the new text before
 * anything is written: the change must not make it worse. What was wrong before stays, and is told.
 */

import { closeSync, fsyncSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
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
import type { Node, Pair, YAMLMap } from 'yaml';
import { cannotWrite, explained, makeFolder, writeAnew } from '../named-file.ts';
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

// Changes one setting in the text of a file: its own line and nothing else. What the new text says
// is read before it is written, beside the file and renamed, so that a reader sees the old or the
// new one.

/** A step down: the key to write, and which keys that may be there already mean the same. */
interface Step {
  readonly key: string;
  readonly same?: (key: string) => boolean;
}

type SettingValue = string | number | boolean;

type Map = YAMLMap<Node, Node | null>;
type Entry = Pair<Node, Node | null>;

async function withSetting(
  name: string,
  text: string,
  path: readonly Step[],
  value: SettingValue,
): Promise<string> {
  const yaml = await import('yaml');
  const { root, found } = await located(name, text, path);
  const word = yaml.stringify(value, { lineWidth: 0 }).trimEnd();
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const changed = edited();
  const after = await located(name, changed, path);
  if (after.found.length === path.length && yaml.isScalar(after.found.at(-1)?.value)) return changed;
  throw byHand(path.at(-1));

  function edited(): string {
    const last = found.at(-1);
    if (root === null) return `${text}${lineEnd(text)}${text.trim() === '' ? '' : eol}${block(path, '')}`;
    const missing = path.slice(found.length);
    const map = last === undefined ? root : last.value;
    const isEmpty = map === null || (yaml.isScalar(map) && map.value === null);
    if (missing.length === 0 || (isEmpty && text.slice(...rangeOf(map)) !== '')) {
      const [start, end] = rangeOf(map);
      const space = text[start - 1] === ':' ? ' ' : '';
      const kept = text.slice(start, end).endsWith('\n') ? eol : '';
      return replaced(start, end, `${space}${missing.length === 0 ? word : inline(missing)}${kept}`);
    }
    if (isEmpty && last !== undefined) return below(last, missing);
    if (!yaml.isMap<Node, Node | null>(map)) throw byHand(missing[0]);
    const end = Math.max(...map.items.map(endOf), 0);
    if (map.flow) {
      const pairs = inline(missing).slice(2, -2);
      const [start] = rangeOf(map);
      return end === 0 ? replaced(start + 1, start + 1, ` ${pairs} `) : replaced(end, end, `, ${pairs}`);
    }
    return inserted(end, block(missing, indentAt(map.items[0]?.key)));
  }

  /** In a block without entries: behind what is said in it. */
  function below({ key }: Entry, missing: readonly Step[]): string {
    const indent = `${indentAt(key)}${/^( +)\S/m.exec(text)?.[1] ?? '  '}`;
    COMMENTS.lastIndex = lineAfter(text, rangeOf(key)[1]);
    COMMENTS.test(text);
    return inserted(COMMENTS.lastIndex, block(missing, indent));
  }

  /** Behind the line that ends at or after a position. */
  function inserted(from: number, lines: string): string {
    const at = lineAfter(text, from);
    return replaced(at, at, `${at === text.length ? lineEnd(text) : ''}${lines}`);
  }

  function block(steps: readonly Step[], indent: string): string {
    const lines = steps.map(({ key }, depth) => `${indent}${'  '.repeat(depth)}${keyText(key)}:`);
    return `${lines.join(eol)} ${word}${eol}`;
  }

  function inline(steps: readonly Step[]): string {
    return steps.reduceRight((inner, { key }) => `{ ${keyText(key)}: ${inner} }`, word);
  }

  function keyText(key: string): string {
    return yaml.stringify(key, { lineWidth: 0 }).trimEnd();
  }

  function lineEnd(before: string): string {
    return before === '' || before.endsWith('\n') ? '' : eol;
  }

  function indentAt(key: Node | undefined): string {
    const [start] = rangeOf(key ?? null);
    return text.slice(text.lastIndexOf('\n', start - 1) + 1, start).replace(/\S/g, ' ');
  }

  function replaced(start: number, end: number, by: string): string {
    return `${text.slice(0, start)}${by}${text.slice(end)}`;
  }

  function byHand(step: Step | undefined): Error {
    return invalid(`${name}: what should hold ${step?.key} is not a plain map. Change the file by hand.`);
  }
}

/** The text of the file without the setting; blocks that become empty go with it. */
async function withoutSetting(name: string, text: string, path: readonly Step[]): Promise<string> {
  const { root, found, maps } = await located(name, text, path);
  if (found.length < path.length)
    throw invalid(
      `${name} does not set ${path.at(-1)?.key}. \`spillway config show\` tells where each setting comes from.`,
    );
  let depth = path.length - 1;
  while (depth > 0 && maps[depth]?.items.length === 1) depth--;
  const [map, pair] = [maps[depth], found[depth]];
  if (map === undefined || pair === undefined || (map === root && map.items.length === 1))
    return text.includes('#') ? commentsOf(text) : '';
  const at = map.items.indexOf(pair);
  const [start] = rangeOf(pair.key);
  const [before, after] = [map.items[at - 1], map.items[at + 1]];
  const [from, to] = !map.flow
    ? [text.lastIndexOf('\n', start - 1) + 1, lineAfter(text, endOf(pair))]
    : after !== undefined
      ? [start, rangeOf(after.key)[0]]
      : [before === undefined ? start : endOf(before), endOf(pair)];
  return `${text.slice(0, from)}${text.slice(to)}`;
}

/** The maps and entries on the way to a setting, as far as they are there. */
async function located(name: string, text: string, path: readonly Step[]) {
  const yaml = await import('yaml');
  const problems = new Problems();
  const file = await YamlFile.parse(name, text, problems);
  problems.throwIfAny();
  const contents = (file?.document.contents ?? null) as Node | null;
  const root = file?.isEmpty(contents) === true ? null : contents;
  const [found, maps]: [Entry[], Map[]] = [[], []];
  let node = root;
  for (const { key, same } of path) {
    if (!yaml.isMap<Node, Node | null>(node)) break;
    const entry = node.items.find(
      (one) => yaml.isScalar(one.key) && (one.key.value === key || same?.(String(one.key.value))),
    );
    if (entry === undefined) break;
    maps.push(node);
    found.push(entry);
    node = entry.value;
  }
  return { root, found, maps };
}

const COMMENTS = /(?:[ \t]+#[^\n]*\n)*/y;

function rangeOf(node: Node | null): [start: number, end: number] {
  const [start = 0, end = 0] = node?.range ?? [];
  return [start, end];
}

function endOf({ key, value }: Entry): number {
  return Math.max(rangeOf(key)[1], rangeOf(value)[1]);
}

function lineAfter(text: string, at: number): number {
  if (text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

/** What people wrote for themselves stays, also where no setting is left. */
function commentsOf(text: string): string {
  return text
    .split(/(?<=\n)/)
    .filter((line) => /^\s*(?:#|$)/.test(line))
    .join('');
}

/**
 * Writes a file as a whole or not at all. In the user's own file a link stays a link; in a
 * workspace, which may have brought it, a link is refused. Permissions stay, except that nobody
 * else may write the user's own file; a new one is for the user only.
 */
export function writeWhole({ path, trust, name }: ConfigFile, text: string): void {
  if (trust === 'workspace') refuseLinks(path, name);
  makeFolder(dirname(path), trust === 'user' ? 0o700 : 0o755);
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  const target = mode === undefined ? path : realpathSync(path);
  const kept = mode === undefined ? undefined : mode & (trust === 'user' ? 0o7755 : 0o7777);
  explained(path, cannotWrite, () => writeAnew(target, text, trust === 'user' ? 0o600 : 0o644, kept));
  flushNames(dirname(target));
}

/** `.acode` itself may be the link. */
function refuseLinks(path: string, name: string): void {
  for (const part of [dirname(path), path])
    if (lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink())
      throw invalid(
        `${name} is a link, or its folder is, and a workspace may not lead settings elsewhere: change the file that it leads to by hand.`,
      );
}

function flushNames(folder: string): void {
  try {
    const opened = openSync(folder, 'r');
    fsyncSync(opened);
    closeSync(opened);
  } catch {
    // Not every file system can flush a folder.
  }
}
