/** What is to be done to a file of an agent, for either kind of hook. Changes nothing itself. */
import { existsSync } from 'node:fs';
import { SpillwayError } from '@spillway/core';
import { readNamedFile } from '../../named-file.ts';
import type { Program } from '../../own-program.ts';
import { backupsOf } from '../../replaced-file.ts';
import { type HookFormat, type HookLine, hooksIn, shellIn, withHook, withoutHook } from './hook-file.ts';
import { isPlugin, pluginText } from './plugin-file.ts';
import { shellFileText } from './shell-file.ts';
import type { HookTarget } from './targets.ts';

export interface FileChange {
  /** What stands there and would go, and what would come: a line each. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Null if the file would be removed; the same text if nothing is to be done. */
  readonly text: string | null;
  /** Whether the file holds nothing that a person wrote. */
  readonly isOwn: boolean;
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
    if (text !== null && !isPlugin(text)) throw unusable(file, 'another program wrote it');
    const after = pluginText(format, given.program, given.use);
    return { removed: [], added: [given.command], text: after, isOwn: true };
  }
  return usable(file, () => {
    const after = withHook(text, format, given);
    const shell = shellIn(after, format);
    return {
      removed: text === null || text.trim() === '' ? [] : linesIn(text, format),
      added: [given.command, ...(shell === undefined ? [] : [runsThrough(shell)])],
      text: after,
      isOwn: false,
      ...(shell === undefined ? {} : { script: { file: shell, text: shellFileText(given.program) } }),
    };
  });
}

export function removal(file: string, { format }: HookTarget): FileChange {
  const text = existsSync(file) ? readNamedFile(file) : '';
  const nothing = { removed: [], added: [], text, isOwn: false };
  if ('lines' in format)
    return isPlugin(text)
      ? { ...nothing, removed: [`the plugin for ${format.agent}`], text: null, isOwn: true }
      : nothing;
  if (text.trim() === '') return nothing;
  return usable(file, () => {
    const after = withoutHook(text, format, backupsOf(file));
    const shell = shellIn(text, format);
    return {
      removed: linesIn(text, format),
      added: [],
      text: after,
      isOwn: after === null,
      ...(shell === undefined ? {} : { script: { file: shell, text: null } }),
    };
  });
}

/** What a file holds of ours, a line each. */
function linesIn(text: string, format: HookFormat): string[] {
  const shell = shellIn(text, format);
  const commands = hooksIn(text, format).map(({ command }) => command);
  return shell === undefined ? commands : [...commands, runsThrough(shell)];
}

function runsThrough(shell: string): string {
  return `commands run through ${shell}`;
}

/** Why a file cannot be used, told with its name. */
function usable<T>(file: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    throw error instanceof SpillwayError ? unusable(file, error.message) : error;
  }
}

function unusable(file: string, why: string): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `Cannot use ${JSON.stringify(file)}: ${why}. Nothing was changed.`,
  );
}
