/**
 * The JSON Schema of all files with settings: `.acode/config.yml`, the user's file, and the
 * `truncation` blocks of `tools.yaml`. Made from the table of fields, so it cannot say anything
 * else than what is checked. Draft 07: what editors read best.
 */

import { FIELD_NAMES, FIELDS, type Field, PROFILES, type Settings, settingName } from '@spillway/core/plugin';
import { MOST_PATTERN_CHARS, MOST_PATTERNS, PATTERN_LISTS } from './files.ts';
import { STORAGE_FIELDS } from './storage.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type KnownNames = Settings['known'];

export function schemaText(known: KnownNames): string {
  return `${JSON.stringify(configSchema(known), null, 2)}\n`;
}

function configSchema(known: KnownNames): Json {
  const definition = (name: string): Json => ({ $ref: `#/definitions/${name}` });
  // The definition of a tool: only its truncation block is ours.
  const tool: Json = { properties: { truncation: definition('toolSettings') } };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Spillway settings',
    description:
      'Settings of Spillway: .acode/config.yml, the config.yml of the user, and the truncation blocks of tools.yaml.',
    type: ['object', 'null'],
    properties: {
      tools: {
        description: 'Tools. Settings for all of them stand below truncation.',
        properties: { truncation: definition('settings') },
        additionalProperties: tool,
      },
      truncation: definition('settings'),
      spillway: definition('storage'),
    },
    additionalProperties: tool,
    definitions: {
      settings: block('Settings for every tool.', known, {
        ...Object.fromEntries(Object.entries(PATTERN_LISTS).map(([name, doc]) => [name, patternList(doc)])),
        overrides: {
          description: 'Settings by tool: a name or a pattern with * and ?, in any case.',
          type: ['object', 'null'],
          additionalProperties: definition('toolSettings'),
        },
      }),
      toolSettings: block('Settings for one tool.', known, {}),
      storage: storageSchema(),
    },
  };
}

function block(description: string, known: KnownNames, more: Readonly<Record<string, Json>>): Json {
  const fields = FIELD_NAMES.flatMap((name): [string, Json][] => {
    const field: Field = FIELDS[name];
    const own: [string, Json] = [settingName(name), fieldSchema(name, field, known)];
    if (field.alias === undefined) return [own];
    const alias = {
      description: `Another name of ${settingName(name)}. ${field.doc}`,
      ...takes(name, field, known),
    };
    return [own, [field.alias, alias]];
  });
  const twice = FIELD_NAMES.flatMap((name): Json[] => {
    const { alias }: Field = FIELDS[name];
    return alias === undefined ? [] : [{ not: { required: [settingName(name), alias] } }];
  });
  return {
    description,
    type: ['object', 'null'],
    properties: {
      profile: {
        description: 'A named set of settings, just below those that stand beside it.',
        enum: Object.keys(PROFILES),
      },
      ...Object.fromEntries(fields),
      ...more,
    },
    additionalProperties: false,
    allOf: twice,
  };
}

function fieldSchema(name: string, field: Field, known: KnownNames): Json {
  const extra =
    name === 'strategy'
      ? ' A file of the workspace must not say none: that belongs in the file of the user.'
      : '';
  return {
    description: `${field.doc}${extra}`,
    default: field.default ?? 'off',
    ...takes(name, field, known),
  };
}

function takes(name: string, field: Field, known: KnownNames): { readonly [key: string]: Json } {
  switch (field.kind) {
    case 'integer':
      return { type: 'integer', minimum: field.min };
    case 'optionalInteger':
      return { anyOf: [{ type: 'integer', minimum: field.min }, { enum: ['off', null] }] };
    case 'ratio':
      return { type: 'number', minimum: 0, maximum: 1 };
    case 'factor':
      return { type: 'number', minimum: 1, maximum: 10 };
    case 'flag':
      return { type: 'boolean' };
    case 'choice':
      return { enum: field.values };
    case 'name':
      return { enum: name === 'strategy' ? known.strategies : known.dialects };
  }
}

function patternList(doc: string): Json {
  return {
    description: doc,
    type: ['array', 'null'],
    items: { type: 'string', minLength: 1, maxLength: MOST_PATTERN_CHARS },
    maxItems: MOST_PATTERNS,
  };
}

/** What each kind of setting takes. */
const STORAGE_KINDS = {
  store: { type: 'string', pattern: '^(/|~/|[A-Za-z]:|[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]([Qq][Ll])?://)' },
  file: { type: 'string', pattern: '^(/|~/|[A-Za-z]:)' },
  name: { type: 'string', pattern: '^\\S{1,200}$' },
  choice: {},
  count: { type: 'integer', minimum: 1 },
  flag: { type: 'boolean' },
} as const;

function storageSchema(): Json {
  const fields = Object.entries(STORAGE_FIELDS).map(([name, field]) => [
    name,
    {
      description: field.doc,
      ...('default' in field ? { default: field.default } : {}),
      ...('values' in field ? { enum: field.values } : {}),
      ...STORAGE_KINDS[field.kind],
    },
  ]);
  return {
    description: 'How outputs are stored. Only in the file of the user.',
    type: ['object', 'null'],
    properties: Object.fromEntries(fields) as Json,
    additionalProperties: false,
  };
}
