/**
 * Reads stored outputs back and compares each part with its checksum. What is damaged is told by
 * id; nothing is changed.
 */
import { type ArtifactId, type OutputRecord, SpillwayError, type Store } from '@spillway/core';
import { isWhole } from '@spillway/core/history';
import { recordsOf } from '../commands/artifacts/reading.ts';

const NEWEST = 20;

export interface ReadBack {
  readonly read: number;
  readonly bytes: number;
  readonly damaged: readonly ArtifactId[];
}

export async function readBack(
  store: Store,
  scope: string,
  reach: 'newest' | 'everything',
  seen: (bytes: number) => void = () => {},
): Promise<ReadBack> {
  let read = 0;
  let bytes = 0;
  const damaged: ArtifactId[] = [];
  for await (const record of recordsOf(store, { scope, show: 'all' })) {
    if (reach === 'newest' && read === NEWEST) break;
    read += 1;
    bytes += record.parts.reduce((sum, part) => sum + part.bytes, 0);
    if (!(await isWell(store, record, seen))) damaged.push(record.id);
  }
  return { read, bytes, damaged };
}

/** What cannot be read counts as damaged too. */
async function isWell(store: Store, record: OutputRecord, seen: (bytes: number) => void): Promise<boolean> {
  try {
    return await isWhole(store, record, { onBytes: seen });
  } catch (error) {
    if (error instanceof SpillwayError) return false;
    throw error;
  }
}
