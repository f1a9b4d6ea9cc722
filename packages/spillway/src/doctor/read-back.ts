/**
 * Reads stored outputs back and compares each part with its checksum. What is damaged is told by
 * id; nothing is changed.
 */
import { createHash } from 'node:crypto';
import { type ArtifactId, type OutputRecord, SpillwayError, type Store } from '@spillway/core';
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
    if (!(await isWhole(store, record, seen))) damaged.push(record.id);
  }
  return { read, bytes, damaged };
}

async function isWhole(
  store: Store,
  { id, parts }: OutputRecord,
  seen: (bytes: number) => void,
): Promise<boolean> {
  for (const { index, hash } of parts) {
    const found = createHash('sha256');
    try {
      const { pieces } = await store.read(id, index, { bytes: 0 });
      for await (const piece of pieces) {
        found.update(piece);
        seen(piece.length);
      }
    } catch (error) {
      if (error instanceof SpillwayError) return false;
      throw error;
    }
    if (found.digest('hex') !== hash) return false;
  }
  return true;
}
