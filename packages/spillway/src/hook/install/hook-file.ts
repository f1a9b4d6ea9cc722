/**
 * The hook in a file of an agent's settings: put in, found, taken out. A hook is ours if its command
 * runs this program, wherever it was moved to.
 */

import { shellWord } from '../../commands/command-hint.ts';
import { type Fields, isFields } from '../../fields.ts';
import { JsonFile, type JsonPath } from '../../json-file.ts';
import type { Program } from '../../own-program.ts';

export interface HookFormat {
  readonly agent: string;
  /** The keys that lead to the list of hooks for the event. */
  readonly path: readonly string[];
  /** Members that a file needs which holds nothing else yet. */
  readonly base?: Fields;
  /** The member of a hook that holds its command. */
  readonly command: string;
  /** Set where hooks are grouped by what they match: the member of a group that lists them. */
  readonly group?: string;
  /** The keys of the setting that names the script which runs commands, where the agent has one. */
  readonly shell?: readonly string[];
  entry(command: string): Fields;
}

/** A plugin as an agent loads it, from a file of its own. */
export interface PluginFormat {
  readonly agent: 'opencode' | 'pi';
  /** The lines that hand `spillway` over; `program` is JSON. */
  readonly lines: (from: string, program: string) => readonly string[];
}

export interface HookLine {
  readonly command: string;
  readonly shell?: string;
}

export interface FoundHook {
  readonly command: string;
  /** What it matches, where the file says so. */
  readonly matcher: string | null;
  readonly path: JsonPath;
  /** Hooks in the same group. */
  readonly beside: number;
}

/** The file with the hook in it, as it stands if it is there already. */
export function withHook(text: string | null, format: HookFormat, line: HookLine): string {
  if (text === null || text.trim() === '') return freshFile(format, line);
  const { command } = line;
  const file = new JsonFile(text);
  const [found, ...more] = hooksIn(text, format);
  if (found === undefined) return withShell(file.added(format.path, format.entry(command)), format, line);
  if (more.length > 0 || found.command === command) return withShell(text, format, line);
  const changed = file.replaced([...found.path, format.command], JSON.stringify(command));
  return withShell(changed, format, line);
}

/** A script that somebody else has put there stays. */
function withShell(text: string, { shell: path }: HookFormat, { shell }: HookLine): string {
  if (path === undefined || shell === undefined) return text;
  const file = new JsonFile(text);
  return file.value(path) === undefined ? file.withMember(path, shell) : text;
}

/** The script of ours that the file names. */
export function shellIn(text: string, { shell: path }: HookFormat): string | undefined {
  const named = path === undefined ? undefined : new JsonFile(text).value(path);
  return typeof named === 'string' && named.endsWith(`/${SHELL_FILE}`) ? named : undefined;
}

/**
 * The file without any hook of ours; null if there is nothing else in it. What was kept of the file
 * from before tells what had been there: if nothing else has changed, the same comes back byte for
 * byte.
 */
export function withoutHook(text: string, format: HookFormat, kept: readonly string[]): string | null {
  const [first] = hooksIn(text, format);
  const shell = shellIn(text, format);
  if (first === undefined && shell === undefined) return text;
  const line = { command: first?.command ?? '', ...(shell === undefined ? {} : { shell }) };
  const usable = kept.filter((former) => isWithout(former, format));
  const same = usable.find((former) => withHook(former, format, line) === text);
  if (same !== undefined) return same;
  if (text === freshFile(format, line)) return null;
  const before = usable[0] === undefined ? null : new JsonFile(usable[0]);
  const depthOf = (path: JsonPath) => before?.depth(path) ?? 0;
  const { shell: shellPath = [] } = format;
  let left = shell === undefined ? text : new JsonFile(text).without(shellPath, depthOf(shellPath));
  for (let next = first; next !== undefined; [next] = hooksIn(left, format)) {
    const { path, beside } = next;
    const element = path.slice(0, format.path.length + 1);
    const file = new JsonFile(left);
    left = beside > 0 ? file.without(path, path.length) : file.without(element, depthOf(format.path));
  }
  return left;
}

export function hooksIn(text: string, format: HookFormat): FoundHook[] {
  const { path, group } = format;
  return listed(new JsonFile(text).value(path)).flatMap((element, at) => {
    const matcher = isFields(element) && typeof element.matcher === 'string' ? element.matcher : null;
    const hooks = group === undefined ? [element] : listed(isFields(element) ? element[group] : []);
    return hooks.flatMap((hook, index) => {
      const command = isFields(hook) ? hook[format.command] : undefined;
      if (typeof command !== 'string' || !isOurs(command, format.agent)) return [];
      const inside = group === undefined ? [] : [group, index];
      return [{ command, matcher, path: [...path, at, ...inside], beside: hooks.length - 1 }];
    });
  });
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isOurs(command: string, agent: string): boolean {
  return new RegExp(
    String.raw`(?:^|[\\/\s"'])(?:spillway|acode)(?:@[^\s"']*|\.js|\.cmd)?["']?\s+hook\s+${agent}(?:\s|$)`,
  ).test(command);
}

function isWithout(former: string, format: HookFormat): boolean {
  try {
    return hooksIn(former, format).length === 0 && shellIn(former, format) === undefined;
  } catch {
    // What was kept may be anything by now.
    return false;
  }
}

function freshFile(
  { path, base, entry, shell: shellPath }: HookFormat,
  { command, shell }: HookLine,
): string {
  const nested = (keys: readonly string[], value: unknown) =>
    keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Fields;
  const scripts = shell === undefined || shellPath === undefined ? {} : nested(shellPath, shell);
  return `${JSON.stringify({ ...base, ...nested(path, [entry(command)]), ...scripts }, null, 2)}\n`;
}

// The script that Claude Code runs its commands through (`CLAUDE_CODE_SHELL_PREFIX`). Rules and
// questions of Claude Code are about the command itself, which comes here unchanged, as one word,
// with the lines that Claude Code puts around it. The script runs it in the same shell, with the
// same descriptors. Only if it fails is Spillway started, which replaces what the command left in
// the file that Claude Code reads. The script is a file of its own beside the user's settings, so
// that commands run although Spillway is gone.

const MARK = '# Written by `spillway hook install`; `spillway hook uninstall` removes it.';

/** The variable of Claude Code that names the script. */
export const SHELL_PREFIX = 'CLAUDE_CODE_SHELL_PREFIX';
export const SHELL_FILE = 'spillway-shell';

export function isShellFile(text: string): boolean {
  return text.includes(MARK);
}

export function shellFileText(program: Program): string {
  return `#!/bin/sh
${MARK}
# Hooks and MCP servers come through here as well: they run as without it.
case $1 in
  *' && pwd -P >| '*cwd*) ;;
  *) exec /bin/sh -c "$1" ;;
esac
unset ${SHELL_PREFIX}
[ "\${SHLVL:-0}" -gt 0 ] 2>/dev/null && SHLVL=$((SHLVL - 1))
case \${1%% 2>/dev/null*} in
  *snapshot-zsh-*) kind=zsh ;;
  *) kind=bash ;;
esac
case \${CLAUDE_CODE_SHELL:-$SHELL} in
  */$kind) shell=\${CLAUDE_CODE_SHELL:-$SHELL} ;;
  *) shell=$kind ;;
esac
# Only a file that is still empty can be replaced.
if ! [ -f /dev/stdout ] || [ -s /dev/stdout ]; then exec "$shell" -c "$1"; fi
# What this shell itself would say of a signal is not for the file.
exec 9>&2 2>/dev/null
(exec "$shell" -c "$1" 2>&9 9>&-)
code=$?
[ $code = 0 ] || ${program.map(shellWord).join(' ')} hook shell "$code" "$1" </dev/null
exit $code
`;
}
