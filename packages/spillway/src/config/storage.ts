/**
 * How outputs are stored, as the user's file says it below `spillway`: the folder, durability,
 * retention, size, plain copies. These are no policy: they are read when a store is opened.
 */

import { isAbsolute, join } from 'node:path';
import { didYouMean } from '@spillway/core/plugin';
import { DEFAULT_COPY_LIMITS } from '../plain-copies.ts';
import { isShared, isSharedName, SHARED_NAME } from '../shared-store.ts';
import { invalid } from './problems.ts';
import type { Entry, Reading } from './yaml-file.ts';

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

/** What a setting takes: checked when a file is read, and told by the schema. */
interface StorageField {
  readonly kind: 'store' | 'file' | 'name' | 'choice' | 'count' | 'flag';
  readonly takes?: string;
  readonly values?: readonly string[];
  readonly default?: string | number | boolean;
  readonly doc: string;
}

/** The settings as data, by their names in the file. */
export const STORAGE_FIELDS = {
  store: {
    kind: 'store',
    takes: 'an absolute folder, one that begins with ~/, or an address as postgres://USER@HOST/DATABASE',
    doc: 'The folder of the store, instead of .acode/artifacts of the workspace, or the address of a PostgreSQL server that several machines share.',
  },
  workspace: {
    kind: 'name',
    doc: 'The name of the workspace on a shared store, the same on every machine. Default: the git remote "origin".',
  },
  tenant: { kind: 'name', doc: 'Whose outputs these are, where several teams share a store.' },
  password_file: {
    kind: 'file',
    takes: 'an absolute file, or one that begins with ~/',
    doc: 'The file with the password of the PostgreSQL server. Without it: PGPASSWORD or ~/.pgpass.',
  },
  durability: {
    kind: 'choice',
    values: ['power', 'process'],
    default: 'power',
    doc: 'What a stored output survives: the loss of power, or only the death of the process.',
  },
  retention: {
    kind: 'choice',
    values: ['durable', 'session'],
    default: 'durable',
    doc: 'Whether records stay when their session ends, or go with it.',
  },
  max_bytes: {
    kind: 'count',
    doc: 'Bytes of content above which outputs of ended sessions are evicted, the oldest first.',
  },
  max_age_days: { kind: 'count', doc: 'Days after which outputs of ended sessions are purged.' },
  plain_copies: {
    kind: 'flag',
    default: true,
    doc: 'Whether cut texts are also written as plain files, for agents with file tools.',
  },
  max_copy_bytes: {
    kind: 'count',
    default: DEFAULT_COPY_LIMITS.maxCopyBytes,
    doc: 'Bytes above which an output gets no plain copy.',
  },
  max_copies_bytes: {
    kind: 'count',
    default: DEFAULT_COPY_LIMITS.maxCopiesBytes,
    doc: 'Bytes of all plain copies of a store, above which the oldest ones are removed.',
  },
} as const satisfies Readonly<Record<string, StorageField>>;

export function isStorageField(name: string): name is keyof typeof STORAGE_FIELDS {
  return Object.hasOwn(STORAGE_FIELDS, name);
}

export function readStorage({ yaml, home, problems }: Reading, entries: readonly Entry[]): StorageSettings {
  const found = entries.map(({ key, value, at }) =>
    problems.attempt(() => {
      if (!isStorageField(key))
        throw invalid(
          `${at}: ${JSON.stringify(key.slice(0, 60))} is not a setting of spillway.${didYouMean(key, Object.keys(STORAGE_FIELDS))} Settings: ${Object.keys(STORAGE_FIELDS).join(', ')}.`,
        );
      const property = key.replace(/_./g, ([, letter = '']) => letter.toUpperCase());
      return {
        [property]: storageValue(STORAGE_FIELDS[key], yaml.scalar(value), `${at}: spillway.${key}`, home),
      };
    }),
  );
  return Object.assign({}, ...found) as StorageSettings;
}

function storageValue(field: StorageField, value: unknown, label: string, home: string | null): unknown {
  const text = typeof value === 'string' ? value : '';
  switch (field.kind) {
    case 'store':
      return isShared(text) ? text : (pathOf(text, home) ?? refuse(field.takes));
    case 'file':
      return pathOf(text, home) ?? refuse(field.takes);
    case 'name':
      return isSharedName(text) ? text : refuse(SHARED_NAME);
    case 'choice': {
      const { values = [] } = field;
      if (values.includes(text)) return text;
      throw invalid(`${label} must be one of ${values.join(', ')}.${didYouMean(value, values)}`);
    }
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 1
        ? value
        : refuse('a whole number of at least 1');
    case 'flag':
      return typeof value === 'boolean' ? value : refuse('true or false');
  }

  function refuse(takes: string | undefined): never {
    throw invalid(`${label} must be ${takes}.`);
  }
}

function pathOf(text: string, home: string | null): string | undefined {
  if (isAbsolute(text)) return text;
  return text.startsWith('~/') && home !== null ? join(home, text.slice(2)) : undefined;
}
