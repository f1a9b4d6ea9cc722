/**
 * Changes one setting in a file of settings and leaves the rest as it is: comments, order, quotes.
 * The new text is written beside the file and renamed, so that a reader sees the old one or the new
 * one.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { cannotWrite, inWords, makeFolder } from '../named-file.ts';
import type { ConfigFile } from './locations.ts';
import { invalid, Problems } from './problems.ts';
import { YamlFile } from './yaml-file.ts';

/** A step down: the key to write, and which keys that may be there already mean the same. */
export interface Step {
  readonly key: string;
  readonly same?: (key: string) => boolean;
}

export type SettingValue = string | number | boolean;

/** The text of the file with the setting in it. */
export async function withSetting(
  name: string,
  text: string,
  path: readonly Step[],
  value: SettingValue,
): Promise<string> {
  const problems = new Problems();
  const file = await YamlFile.parse(name, text, problems);
  problems.throwIfAny();
  if (file === null) throw invalid(`${name} cannot be read.`);
  const { document } = file;
  const yaml = await import('yaml');
  const folders = path.slice(0, -1);
  const [last] = path.slice(-1);
  if (last === undefined) throw invalid('No setting was named.');

  const inLine = valueReplaced();
  if (inLine !== null) return inLine;
  if (file.isEmpty(document.contents)) document.contents = new yaml.YAMLMap();
  let map = document.contents as Node | null;
  for (const step of folders) map = childMap(asMap(map, step), step);
  const target = asMap(map, last);
  const pair = pairOf(target, last);
  const scalar = new yaml.Scalar(value) as Scalar;
  if (pair === undefined) target.add(document.createPair(last.key, scalar));
  else pair.value = inPlaceOf(pair.value, scalar);
  return spelled();

  /** A value that stands there already: only its own chars change. Null if there is none. */
  function valueReplaced(): string | null {
    let node = document.contents as Node | null;
    for (const step of folders)
      node = yaml.isMap<Node, Node | null>(node) ? (pairOf(node, step)?.value ?? null) : null;
    const old = yaml.isMap<Node, Node | null>(node) && last !== undefined ? pairOf(node, last)?.value : null;
    if (!yaml.isScalar(old) || !old.range || old.anchor !== undefined || old.tag !== undefined) return null;
    const [start, end] = old.range;
    const isWord = typeof value !== 'string' || /^[\w.-]+$/.test(value);
    // Whatever is written in another way than in one word is left to the library.
    if (!isWord || text.slice(start, end).includes('\n') || yaml.parse(text.slice(start, end)) !== old.value)
      return null;
    return `${text.slice(0, start)}${yaml.stringify(value).trimEnd()}${text.slice(end)}`;
  }

  function asMap(node: Node | null, { key }: Step): YAMLMap<Node, Node | null> {
    if (yaml.isMap<Node, Node | null>(node)) return node;
    throw invalid(`${name}: what should hold ${key} is not a plain map. Change the file by hand.`);
  }

  function pairOf(
    inMap: YAMLMap<Node, Node | null>,
    { key, same }: Step,
  ): Pair<Node, Node | null> | undefined {
    return inMap.items.find(
      (one) => yaml.isScalar(one.key) && (one.key.value === key || same?.(String(one.key.value))),
    );
  }

  function childMap(inMap: YAMLMap<Node, Node | null>, step: Step): Node | null {
    const found = pairOf(inMap, step);
    if (found !== undefined && found.value !== null && !file?.isEmpty(found.value)) return found.value;
    const child = new yaml.YAMLMap<Node, Node | null>();
    if (found === undefined) inMap.add(document.createPair(step.key, child) as Pair<Node, Node | null>);
    else {
      // What is said in an empty block goes on top of what it now holds.
      child.commentBefore = found.value?.commentBefore ?? found.value?.comment ?? null;
      found.value = child;
    }
    return child;
  }

  function inPlaceOf(old: Node | null, node: Scalar): Scalar {
    if (old === null) return node;
    if (old.commentBefore) node.commentBefore = old.commentBefore;
    if (old.comment) node.comment = old.comment;
    if (old.spaceBefore) node.spaceBefore = old.spaceBefore;
    if (yaml.isScalar(old) && old.anchor !== undefined) node.anchor = old.anchor;
    return node;
  }

  function spelled(): string {
    return spelledAs(text, document, yaml);
  }
}

/** The text of the file without the setting; blocks that become empty go with it. */
export async function withoutSetting(name: string, text: string, path: readonly Step[]): Promise<string> {
  const problems = new Problems();
  const file = await YamlFile.parse(name, text, problems);
  problems.throwIfAny();
  const yaml = await import('yaml');
  const maps: YAMLMap<Node, Node | null>[] = [];
  let node: Node | null = file?.document.contents ?? null;
  const pairs = path.map(({ key, same }) => {
    if (!yaml.isMap<Node, Node | null>(node)) return undefined;
    maps.push(node);
    const found = node.items.find(
      (one) => yaml.isScalar(one.key) && (one.key.value === key || same?.(String(one.key.value))),
    );
    node = found?.value ?? null;
    return found;
  });
  if (file === null || pairs.at(-1) === undefined) throw invalid(`${name} does not have this setting.`);
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const [map, pair] = [maps[depth], pairs[depth]];
    if (map === undefined || pair === undefined) break;
    map.items.splice(map.items.indexOf(pair), 1);
    if (map.items.length > 0) break;
  }
  if (maps[0]?.items.length === 0) return text.includes('#') ? commentsOf(text) : '';
  return spelledAs(text, file.document, yaml);
}

/** The text of a changed document. Lines that say the same keep the blanks that they had. */
function spelledAs(text: string, document: Document, yaml: typeof import('yaml')): string {
  // Lists stay as far in as they were.
  const indentSeq = !/^( *)[^\s#-].*:[ \t]*\r?\n\1- /m.test(text);
  const written = document.toString({ lineWidth: 0, indentSeq });
  const changed = text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written;
  const [before, after] = [text, changed].map((one) => one.split(/(?<=\n)/)) as [string[], string[]];
  const isSame = (a = '', b = '') => a.replace(/\s/g, '') === b.replace(/\s/g, '');
  const most = Math.min(before.length, after.length);
  let [start, end] = [0, 0];
  while (start < most && isSame(before[start], after[start])) start++;
  while (end < most - start && isSame(before.at(-1 - end), after.at(-1 - end))) end++;
  const kept = [
    ...before.slice(0, start),
    ...after.slice(start, after.length - end),
    ...before.slice(before.length - end),
  ].join('');
  return saysTheSame(kept, changed, yaml) ? kept : changed;
}

/** Where the new lines are indented otherwise than those around them, they do not go together. */
function saysTheSame(one: string, other: string, yaml: typeof import('yaml')): boolean {
  const [a, b] = [one, other].map((each) => yaml.parseDocument(each));
  return a?.errors.length === 0 && JSON.stringify(a.toJSON()) === JSON.stringify(b?.toJSON());
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
  const aside = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  const kept = mode === undefined ? undefined : mode & (trust === 'user' ? 0o7755 : 0o7777);
  try {
    writeFileSync(aside, text, { flag: 'wx', flush: true, mode: trust === 'user' ? 0o600 : 0o644 });
    if (kept !== undefined) chmodSync(aside, kept);
    renameSync(aside, target);
    flushNames(dirname(target));
  } catch (error) {
    rmSync(aside, { force: true });
    throw cannotWrite(path, inWords(error));
  }
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
