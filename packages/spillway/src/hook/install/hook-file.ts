/**
 * The hook in a file of an agent's settings: put in, found, taken out. A hook is ours if its command
 * runs this program, wherever it was moved to.
 */
import type { ByteRange } from '../../gateway/json-edit.ts';
import { type Fields, isFields } from '../hook-agent.ts';
import { JsonFile } from './json-lists.ts';

/** How an agent writes its hooks down. */
export interface HookFormat {
  /** The agent as `spillway hook` knows it. */
  readonly agent: string;
  /** The keys that lead to the list of hooks for the event. */
  readonly path: readonly string[];
  /** Members that a file needs which holds nothing else yet. */
  readonly base?: Fields;
  /** The member of a hook that holds its command. */
  readonly command: string;
  /** Set where hooks are grouped by what they match: the member of a group that lists them. */
  readonly group?: string;
  /** An element of the list. */
  entry(command: string): Fields;
}

/** A hook of ours in a file. */
export interface FoundHook {
  readonly command: string;
  /** What it matches, where the file says so. */
  readonly matcher: string | null;
  /** The hook itself, and the element of the list in which it is. */
  readonly hook: ByteRange;
  readonly element: ByteRange;
  /** Hooks in the same element. */
  readonly beside: number;
}

/** The file with the hook in it, as it stands if it is there already. */
export function withHook(text: string | null, format: HookFormat, command: string): string {
  if (text === null || text.trim() === '') return freshFile(format, command);
  const file = new JsonFile(text);
  const [found, ...more] = hooksIn(text, format);
  if (found === undefined) return file.added(format.path, format.entry(command));
  if (more.length > 0 || found.command === command) return text;
  return file.changed(found.hook, format.command, command);
}

/**
 * The file without any hook of ours; null if there is nothing else in it. What was kept of the file
 * from before tells what had been there: if nothing else has changed, the same comes back byte for
 * byte.
 */
export function withoutHook(text: string, format: HookFormat, kept: readonly string[]): string | null {
  const [first] = hooksIn(text, format);
  if (first === undefined) return text;
  const usable = kept.filter((former) => isWithout(former, format));
  const same = usable.find((former) => withHook(former, format, first.command) === text);
  if (same !== undefined) return same;
  if (text === freshFile(format, first.command)) return null;
  const depth = usable[0] === undefined ? 0 : new JsonFile(usable[0]).depth(format.path);
  let left = text;
  for (let next: FoundHook | undefined = first; next !== undefined; [next] = hooksIn(left, format))
    left = removed(left, next, format, depth);
  return left;
}

export function hooksIn(text: string, format: HookFormat): FoundHook[] {
  const file = new JsonFile(text);
  return file.elements(format.path).flatMap(({ at, value }) => {
    const matcher = isFields(value) && typeof value.matcher === 'string' ? value.matcher : null;
    const hooks = format.group === undefined ? [{ at, value }] : file.elements([format.group], at);
    return hooks.flatMap((hook) => {
      const command = isFields(hook.value) ? hook.value[format.command] : undefined;
      return typeof command === 'string' && isOurs(command, format.agent)
        ? [{ command, matcher, hook: hook.at, element: at, beside: hooks.length - 1 }]
        : [];
    });
  });
}

function isOurs(command: string, agent: string): boolean {
  return new RegExp(
    String.raw`(?:^|[\\/\s"'])(?:spillway|acode)(?:@[^\s"']*|\.js|\.cmd)?["']?\s+hook\s+${agent}(?:\s|$)`,
  ).test(command);
}

function removed(text: string, found: FoundHook, format: HookFormat, kept: number): string {
  const file = new JsonFile(text);
  return format.group !== undefined && found.beside > 0
    ? file.without([format.group], found.hook, 1, found.element)
    : file.without(format.path, found.element, kept);
}

function isWithout(former: string, format: HookFormat): boolean {
  try {
    return hooksIn(former, format).length === 0;
  } catch {
    // What was kept may be anything by now.
    return false;
  }
}

function freshFile({ path, base, entry }: HookFormat, command: string): string {
  const hooks = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), [entry(command)]);
  return `${JSON.stringify({ ...base, ...(hooks as Fields) }, null, 2)}\n`;
}
