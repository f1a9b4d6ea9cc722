/**
 * The settings that a command line gives for one call: `--profile`, `--set`, and the short ways to
 * say the common ones.
 */
import {
  type FieldName,
  fieldOf,
  type PolicyLayer,
  type PolicyPatch,
  PROFILES,
  type ProfileName,
  parseText,
  profileOf,
} from '@spillway/core/plugin';
import { type Flag, type Given, SESSION_FLAG, usageError } from '../flags.ts';
import { knownNames } from '../open.ts';

export const PROFILE_FLAG: Flag = {
  name: 'profile',
  value: 'P',
  choices: {
    title: 'Profiles',
    list: () => Object.keys(PROFILES).map((name) => [name, PROFILE_DOCS[name as ProfileName]]),
  },
  doc: 'A named set of settings.',
};
export const SET_FLAG: Flag = { name: 'set', value: 'FIELD=VALUE', many: true, doc: 'Any other setting.' };

const PROFILE_DOCS: Readonly<Record<ProfileName, string>> = {
  standard: 'Both ends, for every tool.',
  spill: 'Over 40,000 chars or 2,000 lines: 10,000 chars from each end, and the file with the rest.',
  tail: 'The end, 8,000 chars, for every tool.',
  exec: 'The end of each stream: 8,000 chars each, 16,000 in all.',
  repl: 'Both ends of what an interpreter printed and returned: 8,000 chars each, 16,000 in all.',
  mcp: 'Up to 50,000 chars or 1,000 lines; then 100 lines from each end.',
};

/** One sentence each. A strategy that is not described here is listed by its name. */
const STRATEGY_DOCS: Readonly<Record<string, string>> = {
  auto: 'The content decides. The default.',
  head_tail: 'Both ends, more of the beginning (head_ratio).',
  head: 'The beginning.',
  tail: 'The end.',
  lines: 'Both ends in whole lines; a line that does not fit is named, not cut.',
  element: 'By structure: JSON and XML stay valid, tables, diffs and listings keep whole rows.',
  reading: 'Both ends of a file, and what its middle is about.',
  smart_summary: 'Errors and warnings with their context, samples of each section, and the end.',
  size_limit: 'The first chars up to the limit, cut back to the end of a line or word.',
  none: 'Everything, whatever its size.',
};

/** What every command takes that captures something. */
export const CAPTURE_FLAGS: readonly Flag[] = [
  {
    name: 'strategy',
    value: 'S',
    choices: {
      title: 'Strategies',
      list: () => knownNames().strategies.map((name) => [name, STRATEGY_DOCS[name] ?? '']),
    },
    doc: 'Which part of a long text is kept.',
  },
  { name: 'limit', value: 'CHARS', doc: 'The most chars the projection may have (inline_limit).' },
  PROFILE_FLAG,
  SET_FLAG,
  {
    ...SESSION_FLAG,
    doc: "The agent's run that it belongs to (default: cli).",
  },
  { name: 'no-store', doc: 'Keep nothing; the notice says so.' },
  { name: 'json', doc: 'Print one object { content, metadata, artifact }.' },
];

/**
 * The layers of a call, the weaker first: its profile, then its own settings; each named in errors
 * as it was written. `defaultProfile`: where none is given.
 */
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

export function callPolicy(given: Given, command: string, defaultProfile?: ProfileName): PolicyPatch {
  return Object.assign(
    {},
    ...callLayers(given, command, defaultProfile).map((layer) => layer.patch),
  ) as PolicyPatch;
}
