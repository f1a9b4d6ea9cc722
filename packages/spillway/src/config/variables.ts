/**
 * Settings from variables: `TRUNCATION_` and the name of a setting or its alias in upper case, from
 * the environment or from the `.env` of the workspace. Of `.env` only these lines are read, and
 * nothing is exported. An empty variable counts as not set.
 */
import { formatCount, type PolicyLayer } from '@spillway/core/plugin';
import { type Block, ENVIRONMENT, LayerDraft, type SettingOrigin } from './layer-draft.ts';
import type { ConfigFile, ConfigSources } from './locations.ts';
import { invalid, type Problems } from './problems.ts';

const PREFIX = 'TRUNCATION_';
/** Chars: a setting is a word or a number. */
const LONGEST_NAME = 100;
const LONGEST_VALUE = 1_000;

export function environmentLayers(
  env: ConfigSources['env'],
  userFile: string,
  problems: Problems,
): PolicyLayer[] {
  const draft = new LayerDraft({ level: 'user', source: ENVIRONMENT, trust: 'user', userFile }, problems);
  for (const [name, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (name.startsWith(PREFIX) && text !== undefined)
      problems.attempt(() => addVariable(draft, name, text, { at: name, label: name }));
  return draft.layers();
}

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
  if (name.length > LONGEST_NAME || text.length > LONGEST_VALUE)
    throw invalid(
      `${origin.at.slice(0, LONGEST_NAME)}: a name has at most ${LONGEST_NAME} chars, a value ${formatCount(LONGEST_VALUE)}.`,
    );
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

/**
 * `NAME=value`, also with `export` before it; a quoted value may go over several lines. Whoever
 * wrote the file, reading it takes time that grows with its length: no pattern meets a value.
 */
function assignments(text: string): Assignment[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const found: Assignment[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const equals = line.indexOf('=');
    const words = line.slice(0, Math.max(equals, 0)).trim().split(/\s+/, 3);
    const [name = '', ...more] = words.length > 1 && words[0] === 'export' ? words.slice(1) : words;
    if (more.length > 0 || !/^[A-Za-z_][\w.-]*$/.test(name)) continue;
    const value = line.slice(equals + 1).trimStart();
    const last = closingLine(lines, i, value);
    found.push({ name, line: i + 1, value: [value, ...lines.slice(i + 1, last + 1)].join('\n') });
    i = last;
  }
  return found;
}

/** The line on which a quoted value ends; the line itself where it has no quotes, or never ends. */
function closingLine(lines: readonly string[], at: number, rest: string): number {
  const quote = quoteOf(rest);
  if (quote === null || rest.includes(quote, 1)) return at;
  for (let i = at + 1; i < lines.length; i++) if (lines[i]?.includes(quote)) return i;
  return at;
}

function quoteOf([first]: string): string | null {
  return first === '"' || first === "'" ? first : null;
}

function unquoted(value: string, { label }: SettingOrigin): string {
  const quote = quoteOf(value);
  if (quote === null) return withoutComment(value).trim();
  const end = value.indexOf(quote, 1);
  if (end === -1 || withoutComment(value.slice(end + 1)).trim() !== '')
    throw invalid(`${label} has quotes that do not fit together.`);
  return value.slice(1, end);
}

/** A comment begins with `#` at the start or behind a blank. */
function withoutComment(value: string): string {
  for (let at = value.indexOf('#'); at !== -1; at = value.indexOf('#', at + 1))
    if (value.slice(Math.max(0, at - 1), at).trim() === '') return value.slice(0, at);
  return value;
}
