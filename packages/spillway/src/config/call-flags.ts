/** The settings that a command line gives for one call: `--profile`, `--set`, and the short ways to say the common ones. */
import {
  type FieldName,
  fieldOf,
  type PolicyLayer,
  type PolicyPatch,
  PROFILES,
  type ProfileName,
  parseText,
  profileOf,
} from '@spillway/core';
import { type Flag, type Given, usageError } from '../flags.ts';

export const PROFILE_FLAG: Flag = {
  name: 'profile',
  value: 'P',
  choices: Object.keys(PROFILES),
  doc: 'A named set of settings.',
};
export const SET_FLAG: Flag = { name: 'set', value: 'FIELD=VALUE', many: true, doc: 'Any other setting.' };

/** The built-in ones, for completion; whoever embeds us may have more. */
const STRATEGIES = ['head_tail', 'head', 'tail', 'lines', 'element', 'smart_summary', 'size_limit', 'none'];

/** What every command takes that captures something. */
export const CAPTURE_FLAGS: readonly Flag[] = [
  { name: 'strategy', value: 'S', choices: STRATEGIES, doc: 'Which part of a long text is kept.' },
  { name: 'limit', value: 'CHARS', doc: 'The most chars the projection may have (inline_limit).' },
  PROFILE_FLAG,
  SET_FLAG,
  { name: 'session', value: 'ID', doc: "The agent's run that it belongs to (default: cli)." },
  { name: 'no-store', doc: 'Keep nothing; the notice says so.' },
  { name: 'json', doc: 'Print one object { content, metadata, artifact }.' },
];

/** The layers of a call, the weaker first: its profile, then its own settings; each named in errors as it was written. `defaultProfile`: where none is given. */
export function callLayers(given: Given, command: string, defaultProfile?: ProfileName): PolicyLayer[] {
  const profile = given.value('profile') ?? defaultProfile;
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
export function callPolicy(given: Given, command: string, defaultProfile?: ProfileName): PolicyPatch {
  return Object.assign(
    {},
    ...callLayers(given, command, defaultProfile).map((layer) => layer.patch),
  ) as PolicyPatch;
}
