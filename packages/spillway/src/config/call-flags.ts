/** The settings that a command line gives for one call: `--profile`, `--set`, and the short ways to say the common ones. */
import {
  type FieldName,
  fieldOf,
  type PolicyLayer,
  type PolicyPatch,
  parseText,
  profileOf,
} from '@spillway/core';
import { type Flag, type Given, usageError } from '../flags.ts';

export const PROFILE_FLAG: Flag = { name: 'profile', value: 'P', doc: 'A named set of settings.' };
export const SET_FLAG: Flag = { name: 'set', value: 'FIELD=VALUE', many: true, doc: 'Any other setting.' };

/** The layers of a call, the weaker first: its profile, then its own settings; each named in errors as it was written. */
export function callLayers(given: Given, command: string): PolicyLayer[] {
  const profile = given.value('profile');
  let patch: PolicyPatch = {};
  const at: { [K in FieldName]?: string } = {};
  const set = (field: FieldName, text: string, label: string, source: string) => {
    patch = { ...patch, ...parseText(field, text, label) };
    at[field] = source;
  };
  for (const setting of given.values('set')) {
    const equals = setting.indexOf('=');
    if (equals < 1) throw usageError('--set takes FIELD=VALUE.', command);
    const name = setting.slice(0, equals);
    set(fieldOf(name, '--set '), setting.slice(equals + 1), `--set ${name}`, `--set ${name}`);
  }
  const limit = given.value('limit');
  const strategy = given.value('strategy');
  if (limit !== undefined) set('inlineLimit', limit, '--limit (inline_limit)', '--limit');
  if (strategy !== undefined) set('strategy', strategy, '--strategy', '--strategy');
  return [
    ...(profile === undefined
      ? []
      : [
          {
            level: 'task' as const,
            source: `profile ${profile} (--profile)`,
            patch: profileOf(profile, '--profile '),
          },
        ]),
    { level: 'task', source: 'call', patch, at },
  ];
}

/** The same as the settings of a call. */
export function callPolicy(given: Given, command: string): PolicyPatch {
  return Object.assign({}, ...callLayers(given, command).map((layer) => layer.patch)) as PolicyPatch;
}
