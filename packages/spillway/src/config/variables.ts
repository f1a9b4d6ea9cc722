/**
 * Settings from variables: `TRUNCATION_` and the name of a setting or its alias in upper case, from
 * the environment or from the `.env` of the workspace. Of `.env` only these lines are read, and
 * nothing is exported. An empty variable counts as not set.
 */
import type { PolicyLayer } from '@spillway/core/plugin';
import { type Block, ENVIRONMENT, LayerDraft, type SettingOrigin } from './layer-draft.ts';
import type { ConfigFile, ConfigSources } from './locations.ts';
import { invalid, type Problems } from './problems.ts';

const PREFIX = 'TRUNCATION_';

/** The layers of the environment. */
export function environmentLayers(
  env: ConfigSources['env'],
  userFile: string,
  problems: Problems,
): PolicyLayer[] {
  const draft = new LayerDraft({ level: 'user', source: ENVIRONMENT, trust: 'user', userFile }, problems);
  for (const [name, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (name.startsWith(PREFIX) && text !== undefined)
      addVariable(draft, name, text, { at: name, label: name });
  return draft.layers();
}

/** The layers of a `.env`. */
export function dotenvLayers(
  file: ConfigFile,
  text: string,
  userFile: string,
  problems: Problems,
): PolicyLayer[] {
  const block: Block = { level: 'user', source: file.name, trust: file.trust, userFile };
  const draft = new LayerDraft(block, problems);
  for (const { name, value, line } of assignments(text)) {
    if (!name.startsWith(PREFIX)) continue;
    const at = `${file.name}:${line}`;
    const origin = { at, label: `${at}: ${name}` };
    problems.attempt(() => addVariable(draft, name, unquoted(value, origin), origin));
  }
  return draft.layers();
}

function addVariable(draft: LayerDraft, name: string, text: string, origin: SettingOrigin): void {
  if (text === '') return;
  const setting = name.slice(PREFIX.length);
  // Only upper case: anything else is told as unknown, as it was written.
  draft.add(setting === setting.toUpperCase() ? setting.toLowerCase() : setting, { text }, origin);
}

interface Assignment {
  readonly name: string;
  /** What stands behind `=`, quotes and comment included. */
  readonly value: string;
  readonly line: number;
}

/** `NAME=value`, also with `export` before it; a quoted value may go over several lines. */
function assignments(text: string): Assignment[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const found: Assignment[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [, name, rest] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/.exec(lines[i] ?? '') ?? [];
    if (name === undefined || rest === undefined) continue;
    const line = i + 1;
    const last = closingLine(lines, i, rest);
    found.push({ name, line, value: [rest, ...lines.slice(i + 1, last + 1)].join('\n') });
    i = last;
  }
  return found;
}

/** The line on which a quoted value ends; the line itself where it has no quotes, or never ends. */
function closingLine(lines: readonly string[], at: number, rest: string): number {
  const [quote = ''] = rest;
  if (!`"'`.includes(quote) || quote === '' || rest.includes(quote, 1)) return at;
  const closing = lines.findIndex((line, i) => i > at && line.includes(quote));
  return closing === -1 ? at : closing;
}

function unquoted(value: string, { label }: SettingOrigin): string {
  if (!/^["']/.test(value)) return value.replace(/(^|\s+)#.*$/, '').trim();
  const [, , text] = /^(["'])(.*?)\1\s*(?:#.*)?$/s.exec(value) ?? [];
  if (text === undefined) throw invalid(`${label} has quotes that do not fit together.`);
  return text;
}
