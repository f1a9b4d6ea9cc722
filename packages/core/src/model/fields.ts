/**
 * Reads fields of data from outside: a line of an import, a row of a store. Each
 * function returns the value with its type or throws `invalid_argument` with the path of the field
 * (`parts[0].hash`), and never with its value.
 */
import { isArtifactId } from './artifact.ts';
import { invalidArgument, type SpillwayError } from './errors.ts';

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Levels of free JSON: what is deeper cannot be written again safely. */
const DEEPEST = 200;

export function fieldsOf(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw wrong(path, 'must be an object');
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrong(path, 'must be a list');
}

export function isText(value: unknown, path: string): void {
  if (typeof value !== 'string') throw wrong(path, 'must be a text');
}

export function isTrueOrFalse(value: unknown, path: string): void {
  if (typeof value !== 'boolean') throw wrong(path, 'must be true or false');
}

export function isNumber(value: unknown, path: string): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(path, 'must be a number');
}

/** A whole number from 0 on. */
export function isCount(value: unknown, path: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw wrong(path, 'must be a whole number of at least 0');
}

export function isOneOf(words: readonly string[]): (value: unknown, path: string) => void {
  return (value, path) => {
    if (typeof value !== 'string' || !words.includes(value))
      throw wrong(path, `must be one of ${words.join(', ')}`);
  };
}

export function isId(value: unknown, path: string): void {
  if (!isArtifactId(value)) throw wrong(path, 'must be the id of an output');
}

export function isHash(value: unknown, path: string): void {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
    throw wrong(path, 'must be a SHA-256 hash in hexadecimal');
}

/** Any object of JSON that is not nested too deeply. */
export function isFreeObject(value: unknown, path: string): void {
  if (!isWithin(fieldsOf(value, path), DEEPEST))
    throw wrong(path, `must be JSON of at most ${DEEPEST} levels`);
}

type Check = (value: unknown, path: string) => void;

/** Every item of a list. */
export function each(check: Check): Check {
  return (value, path) => {
    for (const [i, item] of listOf(value, path).entries()) check(item, `${path}[${i}]`);
  };
}

/** A field that may be absent. */
export function perhaps(check: Check): Check {
  return (value, path) => {
    if (value !== undefined) check(value, path);
  };
}

/** A field that may be null, or absent in what an earlier version wrote. */
export function orNull(check: Check): Check {
  return (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };
}

/** Checks fields by name. Others are left alone: a later version may know them. */
export function shaped(checks: Readonly<Record<string, Check>>): Check {
  const all = Object.entries(checks);
  return (value, path) => {
    const fields = fieldsOf(value, path);
    for (const [name, check] of all) check(fields[name], path === '' ? name : `${path}.${name}`);
  };
}

export function wrong(path: string, rule: string): SpillwayError {
  return invalidArgument(`${path === '' ? 'It' : `\`${path}\``} ${rule}.`);
}

/** Whether a value is nested at most so deep. */
export function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1));
}
