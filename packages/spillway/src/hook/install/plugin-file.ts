/**
 * The file that an agent loads as its plugin: it loads the one of this installation, and does
 * nothing where that is gone.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Program } from '../../own-program.ts';

/** A plugin as an agent wants it. */
export interface PluginFormat {
  readonly agent: 'opencode' | 'pi';
  /** The lines that hand `spillway` over; `program` is JSON. */
  readonly lines: (from: string, program: string) => readonly string[];
}

const MARK = '// Written by `spillway hook install`; `spillway hook uninstall` removes it.';

export const opencodePlugin: PluginFormat = {
  agent: 'opencode',
  lines: (from, program) => [
    'export const Spillway = async (context) => {',
    `  const { spillway } = await import(${from}).catch(() => ({}));`,
    `  return spillway === undefined ? {} : spillway(${program})(context);`,
    '};',
  ],
};

export const piPlugin: PluginFormat = {
  agent: 'pi',
  lines: (from, program) => [
    'export default async (pi) => {',
    `  const { spillway } = await import(${from}).catch(() => ({}));`,
    `  if (spillway !== undefined) spillway(${program})(pi);`,
    '};',
  ],
};

/** `use`: a file that others share gets no path of this machine. */
export function pluginText({ agent, lines }: PluginFormat, program: Program, use: 'here' | 'shared'): string {
  const here = new URL(`../lib/${agent}.js`, import.meta.url);
  const from = use === 'here' && existsSync(fileURLToPath(here)) ? here.href : `spillway/${agent}`;
  return `${[MARK, ...lines(JSON.stringify(from), JSON.stringify(program))].join('\n')}\n`;
}

export function isPlugin(text: string): boolean {
  return text.startsWith(MARK);
}
