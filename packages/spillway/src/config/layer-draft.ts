/**
 * One block of settings as it is read, from a file or from variables: each setting once, under one
 * of its names, with the place where it stands. Becomes a layer, with the layer of its profile just
 * below it.
 */
import {
  FIELDS,
  type Field,
  type FieldName,
  fieldOf,
  formatCount,
  type PolicyLayer,
  type PolicyPatch,
  parseText,
  parseValue,
  profileOf,
  settingName,
} from '@spillway/core/plugin';
import type { ConfigFile, ConfigSources, Trust } from './locations.ts';
import { invalid, type Problems } from './problems.ts';

/** What may stand beside settings, for every tool or for one. */
const BESIDE_SETTINGS = {
  user: ['profile', 'overrides', 'error_patterns', 'warning_patterns', 'redact_patterns'],
  tool: ['profile'],
};

export interface SettingOrigin {
  /** As `explain` tells it: a file and its line, or a variable. */
  readonly at: string;
  /** How a message about it begins: the place and the name as it was written. */
  readonly label: string;
}

export interface Block {
  readonly level: 'user' | 'tool';
  readonly tool?: string;
  /** The file, or `ENVIRONMENT`. */
  readonly source: string;
  readonly trust: Trust;
  /** The user's file, for messages that say where something may be set. */
  readonly userFile: string;
}

export type Value = { readonly value: unknown } | { readonly text: string };

/** The source of layers that come from variables of the process. */
const ENVIRONMENT = 'environment';

export class LayerDraft {
  readonly #block: Block;
  readonly #problems: Problems;
  readonly #at: { [K in FieldName]?: string } = {};
  #patch: PolicyPatch = {};
  #profile: { readonly layer: PolicyLayer; readonly at: string } | null = null;

  constructor(block: Block, problems: Problems) {
    this.#block = block;
    this.#problems = problems;
  }

  add(name: string, value: Value, origin: SettingOrigin): void {
    this.#problems.attempt(() =>
      name === 'profile' ? this.#addProfile(value, origin) : this.#addField(name, value, origin),
    );
  }

  layers(): PolicyLayer[] {
    const own: PolicyLayer = { ...this.#base(this.#block.source), patch: this.#patch, at: this.#at };
    return [
      ...(this.#profile === null ? [] : [this.#profile.layer]),
      ...(Object.keys(this.#patch).length === 0 ? [] : [own]),
    ];
  }

  #addField(name: string, value: Value, origin: SettingOrigin): void {
    const field = fieldWritten(name, origin, BESIDE_SETTINGS[this.#block.level]);
    let patch =
      'text' in value
        ? parseText(field, value.text, origin.label)
        : parseValue(field, value.value, origin.label);
    const before = this.#at[field];
    if (before !== undefined) throw invalid(`${origin.label} is set twice: ${before} is the same setting.`);
    if (patch.strategy === 'none') this.#refuseUnbounded(origin);
    this.#refuseReserved(field, patch, origin);
    this.#at[field] = origin.at;
    // A workspace may keep a tool out of the store; its results are bounded all the same.
    if (patch.exclude === 'everything' && !this.#isTrusted) patch = { exclude: 'storing' };
    // The built-in size may be repeated anywhere, but what the user set stays in force.
    if (field !== 'maxArtifactSize' || this.#isTrusted) this.#patch = { ...this.#patch, ...patch };
  }

  #addProfile(value: Value, origin: SettingOrigin): void {
    const name = 'text' in value ? value.text : value.value;
    if (typeof name !== 'string') throw invalid(`${origin.label} must be the name of a profile.`);
    if (this.#profile !== null) throw invalid(`${origin.label} is set twice: also at ${this.#profile.at}.`);
    const patch = profileOf(name, `${origin.label} `);
    if (patch.strategy === 'none') this.#refuseUnbounded(origin);
    this.#profile = { at: origin.at, layer: { ...this.#base(`profile ${name} (${origin.at})`), patch } };
  }

  #base(source: string): Omit<PolicyLayer, 'patch'> {
    const { level, tool } = this.#block;
    return {
      level,
      source,
      ...(tool === undefined ? {} : { tool }),
      ...(this.#isTrusted ? {} : { untrusted: true }),
    };
  }

  get #isTrusted(): boolean {
    return this.#block.trust === 'user';
  }

  /** What strangers may not decide: how much a workspace may let through, and what is kept. */
  #refuseReserved(field: FieldName, patch: PolicyPatch, { label }: SettingOrigin): void {
    const { source, userFile } = this.#block;
    if (field === 'maxInlineLimit' && (!this.#isTrusted || source === ENVIRONMENT))
      throw invalid(`${label} must be set in your own file: ${userFile}.`);
    if (this.#isTrusted) return;
    const { maxArtifactSize, onOverMax } = patch;
    if (maxArtifactSize !== undefined && maxArtifactSize !== FIELDS.maxArtifactSize.default)
      throw invalid(`${label} must not be set in a file of the workspace. Set it in ${userFile}.`);
    if (onOverMax === 'reject')
      throw invalid(`${label} must not be reject in a file of the workspace. Set it in ${userFile}.`);
  }

  #refuseUnbounded({ label }: SettingOrigin): void {
    if (this.#isTrusted) return;
    throw invalid(
      `${label} must not be none in a file of the workspace. Set it in ${this.#block.userFile}, in the environment ` +
        '(TRUNCATION_STRATEGY=none) or for one call.',
    );
  }
}

/** Files and variables have one spelling: snake_case, or the alias. */
function fieldWritten(name: string, { at }: SettingOrigin, beside: readonly string[]): FieldName {
  const field = fieldOf(name, `${at}: `, beside);
  const spec: Field = FIELDS[field];
  if (name === settingName(field) || name === spec.alias) return field;
  throw invalid(`${at}: ${JSON.stringify(name)} is written ${settingName(field)} here.`);
}

// Settings from variables: `TRUNCATION_` and the name of a setting or its alias in upper case, from
// the environment or from the `.env` of the workspace. Of `.env` only these lines are read, and
// nothing is exported. An empty variable counts as not set.

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
