/**
 * How outputs are stored, as the user's file says it below `spillway`: the folder, durability,
 * retention, size, plain copies. These are no policy: they are read when a store is opened.
 */
import { isAbsolute, join } from 'node:path';
import { didYouMean } from '@spillway/core/plugin';
import { isShared, isSharedName, SHARED_NAME } from '../shared-store.ts';
import { invalid } from './problems.ts';
import type { Reading } from './reading.ts';
import type { Entry } from './yaml-file.ts';

/** How outputs are stored. */
export interface StorageSettings {
  /** The folder of the store, in full, or the address of a PostgreSQL server. */
  readonly store?: string;
  /** The name of the workspace on a store that several machines share. */
  readonly workspace?: string;
  /** Whose outputs these are, where several teams share a store. */
  readonly tenant?: string;
  /** The file with the password of the server, in full. */
  readonly passwordFile?: string;
  /** What a sealed output survives: the loss of power, or the death of the process. */
  readonly durability?: 'power' | 'process';
  /** Whether records outlive their session. */
  readonly retention?: 'durable' | 'session';
  /** Bytes of content above which outputs of ended sessions are evicted. */
  readonly maxBytes?: number;
  /** Days after which outputs of ended sessions are purged. */
  readonly maxAgeDays?: number;
  /** Whether cut texts are also written as plain files. */
  readonly plainCopies?: boolean;
  /** Bytes above which an output gets no plain copy. */
  readonly maxCopyBytes?: number;
  /** Bytes of all plain copies, above which the oldest ones are removed. */
  readonly maxCopiesBytes?: number;
}

/**
 * The settings as data, also for the schema: their names in the file, what they take, what they do.
 */
export const STORAGE_FIELDS = {
  store: {
    takes: 'an absolute folder, one that begins with ~/, or an address as postgres://USER@HOST/DATABASE',
    doc: 'The folder of the store, instead of .acode/artifacts of the workspace, or the address of a PostgreSQL server that several machines share.',
  },
  workspace: {
    doc: 'The name of the workspace on a shared store, the same on every machine. Default: the git remote "origin".',
  },
  tenant: {
    doc: 'Whose outputs these are, where several teams share a store.',
  },
  password_file: {
    takes: 'an absolute file, or one that begins with ~/',
    doc: 'The file with the password of the PostgreSQL server. Without it: PGPASSWORD or ~/.pgpass.',
  },
  durability: {
    values: ['power', 'process'],
    doc: 'What a stored output survives: the loss of power, or only the death of the process.',
  },
  retention: {
    values: ['durable', 'session'],
    doc: 'Whether records stay when their session ends, or go with it.',
  },
  max_bytes: {
    min: 1,
    doc: 'Bytes of content above which outputs of ended sessions are evicted, the oldest first.',
  },
  max_age_days: {
    min: 1,
    doc: 'Days after which outputs of ended sessions are purged.',
  },
  plain_copies: {
    values: [true, false],
    doc: 'Whether cut texts are also written as plain files, for agents with file tools.',
  },
  max_copy_bytes: {
    min: 1,
    doc: 'Bytes above which an output gets no plain copy.',
  },
  max_copies_bytes: {
    min: 1,
    doc: 'Bytes of all plain copies of a store, above which the oldest ones are removed.',
  },
} as const;

type StorageField = keyof typeof STORAGE_FIELDS;

export function isStorageField(name: string): name is StorageField {
  return Object.hasOwn(STORAGE_FIELDS, name);
}

/** The entries of the block `spillway`. */
export function readStorage({ yaml, home, problems }: Reading, entries: readonly Entry[]): StorageSettings {
  const found = entries.map((entry) =>
    problems.attempt(() => storageSetting(entry.key, yaml.scalar(entry.value), entry.at, home)),
  );
  return Object.assign({}, ...found) as StorageSettings;
}

function storageSetting(name: string, value: unknown, at: string, home: string | null): StorageSettings {
  if (!isStorageField(name))
    throw invalid(
      `${at}: ${JSON.stringify(name.slice(0, 60))} is not a setting of spillway.${didYouMean(name, Object.keys(STORAGE_FIELDS))} Settings: ${Object.keys(STORAGE_FIELDS).join(', ')}.`,
    );
  const label = `${at}: spillway.${name}`;
  switch (name) {
    case 'store':
      return { store: isAddress(value) ? value : path(value, label, home, STORAGE_FIELDS.store.takes) };
    case 'workspace':
      return { workspace: nameOf(value, label) };
    case 'tenant':
      return { tenant: nameOf(value, label) };
    case 'password_file':
      return { passwordFile: path(value, label, home, STORAGE_FIELDS.password_file.takes) };
    case 'durability':
      return { durability: oneOf(STORAGE_FIELDS.durability.values, value, label) };
    case 'retention':
      return { retention: oneOf(STORAGE_FIELDS.retention.values, value, label) };
    case 'max_bytes':
      return { maxBytes: positive(value, label) };
    case 'max_age_days':
      return { maxAgeDays: positive(value, label) };
    case 'plain_copies':
      return { plainCopies: trueOrFalse(value, label) };
    case 'max_copy_bytes':
      return { maxCopyBytes: positive(value, label) };
    case 'max_copies_bytes':
      return { maxCopiesBytes: positive(value, label) };
  }
}

function trueOrFalse(value: unknown, label: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(`${label} must be true or false.`);
}

function positive(value: unknown, label: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw invalid(`${label} must be a whole number of at least 1.`);
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && isShared(value);
}

/** A name that scopes are made of: short, and without blanks, which part a scope. */
function nameOf(value: unknown, label: string): string {
  if (typeof value === 'string' && isSharedName(value)) return value;
  throw invalid(`${label} must be ${SHARED_NAME}.`);
}

function path(value: unknown, label: string, home: string | null, takes: string): string {
  if (typeof value === 'string' && isAbsolute(value)) return value;
  if (typeof value === 'string' && value.startsWith('~/') && home !== null) return join(home, value.slice(2));
  throw invalid(`${label} must be ${takes}.`);
}

function oneOf<V extends string>(values: readonly V[], value: unknown, label: string): V {
  const found = values.find((one) => one === value);
  if (found === undefined)
    throw invalid(`${label} must be one of ${values.join(', ')}.${didYouMean(value, values)}`);
  return found;
}
