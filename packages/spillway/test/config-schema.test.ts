// The published JSON Schema: it says of files what the reader says of them.
import { readFile } from 'node:fs/promises';
import { FIELD_NAMES, FIELDS, type Field, PROFILES, settingName } from '@spillway/core/plugin';
import { loadConfig } from 'spillway';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openSpillway } from '../../core/test/opening.ts';
import { definition, general, override } from './config-files.ts';

type Schema = { readonly [key: string]: unknown };

const schema = JSON.parse(
  await readFile(new URL('../schema/config.schema.json', import.meta.url), 'utf8'),
) as Schema;

describe('the schema', () => {
  test('describes every setting with its default, and its alias', () => {
    const { settings, toolSettings } = schema.definitions as Record<
      string,
      { properties: Record<string, Schema> }
    >;
    for (const name of FIELD_NAMES) {
      const field: Field = FIELDS[name];
      for (const block of [settings, toolSettings]) {
        expect(block?.properties[settingName(name)]).toMatchObject({ default: field.default ?? 'off' });
        expect(block?.properties[settingName(name)]?.description).toContain(field.doc);
        if (field.alias !== undefined)
          expect(block?.properties[field.alias]?.description).toContain(settingName(name));
      }
    }
    expect(settings?.properties.profile?.enum).toEqual(Object.keys(PROFILES));
    const { known } = openSpillway({ store: null }).settings;
    expect(settings?.properties.strategy?.enum).toEqual(known.strategies);
    expect(settings?.properties.dialect?.enum).toEqual(known.dialects);
  });

  test.each([
    [
      'a file of the workspace',
      general('inline_limit: 9000\noverrides:\n  Run*: { strategy: tail, max_lines: off }'),
    ],
    [
      'a file of the user',
      'spillway: { store: ~/x, durability: process, retention: session, max_bytes: 5, max_age_days: 5 }\n',
    ],
    ['tool definitions', `${definition('x', 'max_chars: 900')}\nversion: 3\n`],
    ['tool definitions below tools', 'tools:\n  x: { name: x, truncation: { snap: exact } }\n'],
    ['settings of others', 'model: large\ntools: { read_file: true, truncation: }\n'],
    ['nothing', '# nothing\n'],
  ])('takes %s', (_, text) => {
    expect(accepts(parse(text))).toBe(true);
  });

  test.each([
    ['an unknown field', general('colour: red')],
    ['an unknown field of a tool', override('x', 'colour: red')],
    ['an unknown field in a definition', definition('x', 'overrides: {}')],
    ['a field under both its names', general('max_chars: 900\ninline_limit: 900')],
    ['an unknown profile', general('profile: huge')],
    ['a store that is not in full', 'spillway: { store: x }\n'],
    ['a list', 'tools: { truncation: [] }\n'],
  ])('refuses %s', (_, text) => {
    expect(accepts(parse(text))).toBe(false);
  });

  test('takes a value of a setting exactly when the reader does', async () => {
    const values = [
      0,
      -1,
      1,
      0.5,
      1.1,
      5,
      299,
      300,
      7,
      8,
      149,
      150,
      999,
      1_000,
      45_000,
      'off',
      null,
      true,
      false,
      '',
      'x',
      'none',
      '5',
    ];
    const names = FIELD_NAMES.flatMap((name) => {
      const field: Field = FIELDS[name];
      const choices = field.kind === 'choice' ? field.values : name === 'strategy' ? ['tail'] : ['plain'];
      return [settingName(name), ...(field.alias === undefined ? [] : [field.alias])].map((one) => ({
        one,
        choices,
      }));
    });
    for (const { one, choices } of names) {
      for (const value of [...values, ...choices, [], {}]) {
        const text = JSON.stringify({ tools: { truncation: { [one]: value } } });
        expect([text, accepts(JSON.parse(text))]).toEqual([text, await isRead(text)]);
      }
    }
  });
});

/** Whether a file of the user with this text makes valid settings. */
async function isRead(text: string): Promise<boolean> {
  const read = ({ trust }: { trust: string }) => (trust === 'user' ? text : null);
  try {
    // A small limit from elsewhere: what must hold between settings is no part of the schema.
    const env = { TRUNCATION_INLINE_LIMIT: '300' };
    const { layers } = await loadConfig({ workspace: '/none', home: '/none', env, read });
    openSpillway({ store: null }).settings.replace('configuration', layers);
    return true;
  } catch {
    return false;
  }
}

function accepts(value: unknown): boolean {
  return valid(schema, value);
}

/** As much of draft 07 as the schema uses; a keyword it does not know fails the test. */
function valid(rule: Schema, value: unknown): boolean {
  return Object.entries(rule).every(([keyword, is]) => {
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(is as never, value, rule);
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const always = () => true;

const KEYWORDS: Readonly<Record<string, (is: never, value: unknown, rule: Schema) => boolean>> = {
  $schema: always,
  title: always,
  description: always,
  default: always,
  definitions: always,
  $ref: (path: string, value) =>
    valid((schema.definitions as Record<string, Schema>)[path.split('/').at(-1) ?? ''] ?? {}, value),
  type: (types: string | readonly string[], value) => [types].flat().includes(typeOf(value, [types].flat())),
  enum: (values: readonly unknown[], value) => values.includes(value),
  minimum: (least: number, value) => typeof value !== 'number' || value >= least,
  maximum: (most: number, value) => typeof value !== 'number' || value <= most,
  pattern: (pattern: string, value) => typeof value !== 'string' || new RegExp(pattern).test(value),
  anyOf: (rules: readonly Schema[], value) => rules.some((rule) => valid(rule, value)),
  allOf: (rules: readonly Schema[], value) => rules.every((rule) => valid(rule, value)),
  not: (rule: Schema, value) => !valid(rule, value),
  required: (names: readonly string[], value) => isObject(value) && names.every((name) => name in value),
  properties: (rules: Readonly<Record<string, Schema>>, value) =>
    !isObject(value) ||
    Object.entries(rules).every(([name, rule]) => !(name in value) || valid(rule, value[name])),
  additionalProperties: (rule: Schema | false, value, { properties = {} }) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, one]) => name in (properties as object) || (rule !== false && valid(rule, one)),
    ),
};

function typeOf(value: unknown, asked: readonly string[]): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && Number.isInteger(value) && asked.includes('integer')) return 'integer';
  return typeof value;
}
