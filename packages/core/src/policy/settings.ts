/**
 * One level's settings, parsed from outside: snake_case names or their aliases (both in camelCase
 * too), values of the right kind and in range. Every refusal names the setting and what it takes.
 * Rules between fields are checked after the merge, not here.
 */
import { SpillwayError } from '../model/errors.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type Field,
  type FieldName,
  type PolicyPatch,
  settingName,
} from '../model/policy.ts';
import { didYouMean, nearest } from '../text/nearest.ts';

const BY_NAME = new Map<string, FieldName>(
  FIELD_NAMES.flatMap((field) => {
    const spec: Field = FIELDS[field];
    const aliases = spec.alias === undefined ? [] : [spec.alias, camelCase(spec.alias)];
    return [field, settingName(field), ...aliases].map((name) => [name, field] as const);
  }),
);

/**
 * The field of that name, or an error that lists the names there are. `where` says where the name
 * was found, `beside` what else may stand there: it may have been meant.
 */
export function fieldOf(name: string, where = '', beside: readonly string[] = []): FieldName {
  const field = BY_NAME.get(name);
  if (field !== undefined) return field;
  const near = nearest(name, [...BY_NAME.keys(), ...beside]) ?? '';
  const meant = BY_NAME.get(near);
  const right = meant === undefined ? near : settingName(meant);
  const advice = right === '' ? '' : ` Did you mean ${right}?`;
  throw invalid(
    `${where}${JSON.stringify(name.slice(0, 60))} is not a setting.${advice} Settings: ${FIELD_NAMES.map(settingName).join(', ')}.`,
  );
}

/** A value as it may stand in a file, an argument or code. */
export function parseValue(field: FieldName, value: unknown, name = settingName(field)): PolicyPatch {
  return { [field]: checked(FIELDS[field], value, name) };
}

/** A value as it stands in an environment variable or behind `--set name=`. */
export function parseText(field: FieldName, text: string, name = settingName(field)): PolicyPatch {
  const { kind } = FIELDS[field];
  if (kind === 'choice' || kind === 'name') return parseValue(field, text, name);
  if (kind === 'flag')
    return parseValue(field, text === 'true' ? true : text === 'false' ? false : text, name);
  return parseValue(
    field,
    /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text.replaceAll('_', '')) ? Number(text.replaceAll('_', '')) : text,
    name,
  );
}

/** Checks an object of settings. */
export function parseSettings(settings: Readonly<Record<string, unknown>>, where = ''): PolicyPatch {
  if (typeof settings !== 'object' || settings === null)
    throw invalid(`Settings must be an object${where === '' ? '' : ` (${where})`}.`);
  const patches = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => parseValue(fieldOf(name, where), value, `${where}${name}`));
  return Object.assign({}, ...patches) as PolicyPatch;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function checked(field: Field, given: unknown, name: string): unknown {
  // Files and JSON say `off` where code says null.
  const value = field.kind === 'optionalInteger' && given === 'off' ? null : given;
  const takes = expectation(field, value);
  if (takes === null) return value;
  const near = field.kind === 'choice' ? didYouMean(value, field.values) : '';
  throw invalid(`${name} must be ${takes}; it was ${shown(value)}.${near}`);
}

/** What the field takes; null if the value fits. */
function expectation(field: Field, value: unknown): string | null {
  switch (field.kind) {
    case 'integer':
      return isIntegerFrom(field.min, value) ? null : `a whole number of at least ${field.min}`;
    case 'optionalInteger':
      return value === null || isIntegerFrom(field.min, value)
        ? null
        : `a whole number of at least ${field.min}, or off`;
    case 'ratio':
      return typeof value === 'number' && value >= 0 && value <= 1 ? null : 'a number from 0 to 1';
    case 'factor':
      return typeof value === 'number' && value >= 1 && value <= 10 ? null : 'a number from 1 to 10';
    case 'flag':
      return typeof value === 'boolean' ? null : 'true or false';
    case 'choice':
      return typeof value === 'string' && field.values.includes(value)
        ? null
        : `one of ${field.values.join(', ')}`;
    case 'name':
      return typeof value === 'string' && value !== '' ? null : 'a name';
  }
}

function isIntegerFrom(min: number, value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function invalid(message: string): SpillwayError {
  return new SpillwayError('invalid_policy', message);
}
