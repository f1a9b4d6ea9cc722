/** The commands that an agent's settings run for us. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SpillwayError } from '@spillway/core';
import { shellWord } from '../../commands/command-hint.ts';
import { readNamedFile } from '../../named-file.ts';
import { hooksIn, shellIn } from './hook-file.ts';
import { isPlugin } from './plugin-file.ts';
import type { HookTarget } from './targets.ts';

export interface InstalledCommand {
  readonly command: string;
  /** Which tools it is run for, where the settings say so. */
  readonly matcher: string | null;
  /** The script that commands run through. */
  readonly script?: string;
  /** What a plugin loads and is no longer there. */
  readonly missing?: string;
}

export function installedCommands(file: string, { format }: HookTarget): readonly InstalledCommand[] {
  const text = readNamedFile(file);
  if ('lines' in format) return isPlugin(text) ? pluginCommand(text, format.agent) : [];
  try {
    if (text.trim() === '') return [];
    const script = shellIn(text, format);
    return hooksIn(text, format).map((hook) => (script === undefined ? hook : { ...hook, script }));
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    throw new SpillwayError('invalid_argument', `Cannot use ${JSON.stringify(file)}: ${error.message}.`);
  }
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
