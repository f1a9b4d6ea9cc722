/**
 * What an agent's file runs for us, and what is to be done to put it there or take it out, for
 * either kind of hook: a line among the agent's settings, or a plugin in a file of its own. Changes
 * nothing itself.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SpillwayError } from '@spillway/core';
import { shellWord } from '../../commands/command-hint.ts';
import { readNamedFile } from '../../named-file.ts';
import type { Program } from '../../own-program.ts';
import { backupsOf } from '../../replaced-file.ts';
import {
  type HookFormat,
  type HookLine,
  hooksIn,
  type PluginFormat,
  shellFileText,
  shellIn,
  withHook,
  withoutHook,
} from './hook-file.ts';
import type { HookTarget } from './targets.ts';

export interface FileChange {
  /** What stands there and would go, and what would come: a line each. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Null if the file would be removed; the same text if nothing is to be done. */
  readonly text: string | null;
  /** A script that belongs to it, and what it says; null if it is removed. */
  readonly script?: { readonly file: string; readonly text: string | null };
}

/** `command`: the program as a line for a shell, with the flags of the hook. */
export interface Installing extends HookLine {
  readonly program: Program;
  readonly use: 'here' | 'shared';
}

export function installation(file: string, { format }: HookTarget, given: Installing): FileChange {
  const text = existsSync(file) ? readNamedFile(file) : null;
  if ('lines' in format) {
    if (text !== null && !isPlugin(text)) throw unusable(file, 'another program wrote it', NOTHING_CHANGED);
    return { removed: [], added: [given.command], text: pluginText(format, given.program, given.use) };
  }
  return usable(file, NOTHING_CHANGED, () => {
    const after = withHook(text, format, given);
    const shell = shellIn(after, format);
    const removed = text === null || text.trim() === '' ? [] : linesIn(text, format);
    if (shell === undefined) return { removed, added: [given.command], text: after };
    const script = { file: shell, text: shellFileText(given.program) };
    return { removed, added: [given.command, runsThrough(shell)], text: after, script };
  });
}

export function removal(file: string, { format }: HookTarget): FileChange {
  const text = existsSync(file) ? readNamedFile(file) : '';
  const nothing = { removed: [], added: [], text };
  if ('lines' in format)
    return isPlugin(text) ? { ...nothing, removed: [`the plugin for ${format.agent}`], text: null } : nothing;
  if (text.trim() === '') return nothing;
  return usable(file, NOTHING_CHANGED, () => {
    const shell = shellIn(text, format);
    const after = withoutHook(text, format, backupsOf(file));
    const script = shell === undefined ? {} : { script: { file: shell, text: null } };
    return { removed: linesIn(text, format), added: [], text: after, ...script };
  });
}

export interface InstalledCommand {
  readonly command: string;
  /** Which tools it is run for, where the settings say so. */
  readonly matcher: string | null;
  readonly script?: string;
  /** What a plugin loads and is no longer there. */
  readonly missing?: string;
}

export function installedCommands(file: string, { format }: HookTarget): readonly InstalledCommand[] {
  const text = readNamedFile(file);
  if ('lines' in format) return isPlugin(text) ? pluginCommand(text, format.agent) : [];
  if (text.trim() === '') return [];
  return usable(file, '', () => {
    const script = shellIn(text, format);
    return hooksIn(text, format).map((hook) => (script === undefined ? hook : { ...hook, script }));
  });
}

function linesIn(text: string, format: HookFormat): string[] {
  const shell = shellIn(text, format);
  const commands = hooksIn(text, format).map(({ command }) => command);
  return shell === undefined ? commands : [...commands, runsThrough(shell)];
}

function runsThrough(shell: string): string {
  return `commands run through ${shell}`;
}

const NOTHING_CHANGED = ' Nothing was changed.';

/** Why a file cannot be used, told with its name. */
function usable<T>(file: string, besides: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SpillwayError ? unusable(file, error.message, besides) : error;
  }
}

function unusable(file: string, why: string, besides: string): SpillwayError {
  return new SpillwayError('invalid_argument', `Cannot use ${JSON.stringify(file)}: ${why}.${besides}`);
}

// The file that an agent loads as its plugin: it loads the one of this installation, and does
// nothing where that is gone.

const MARK = '// Written by `spillway hook install`; `spillway hook uninstall` removes it.';

/** `use`: a file that others share gets no path of this machine. */
function pluginText({ agent, lines }: PluginFormat, program: Program, use: 'here' | 'shared'): string {
  const here = new URL(`../lib/${agent}.js`, import.meta.url);
  const from = use === 'here' && existsSync(fileURLToPath(here)) ? here.href : `spillway/${agent}`;
  return `${[MARK, ...lines(JSON.stringify(from), JSON.stringify(program))].join('\n')}\n`;
}

function isPlugin(text: string): boolean {
  return text.startsWith(MARK);
}

/** What a plugin starts stands in it as a list of words. */
function pluginCommand(text: string, agent: string): readonly InstalledCommand[] {
  const words: unknown = JSON.parse(/spillway\((\[.{0,4000}?\])\)/.exec(text)?.[1] ?? '[]');
  if (!Array.isArray(words) || words.length === 0) return [];
  const from = /import\("(file:[^"]*)"\)/.exec(text)?.[1];
  const path = from === undefined ? null : fileURLToPath(from);
  const command = [...words.map(String), 'hook', agent].map(shellWord).join(' ');
  return [{ command, matcher: null, ...(path === null || existsSync(path) ? {} : { missing: path }) }];
}
