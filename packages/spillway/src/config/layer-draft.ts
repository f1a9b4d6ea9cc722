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
  type PolicyLayer,
  type PolicyPatch,
  parseText,
  parseValue,
  profileOf,
  settingName,
} from '@spillway/core/plugin';
import type { Trust } from './locations.ts';
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
export const ENVIRONMENT = 'environment';

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
