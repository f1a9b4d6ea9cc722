/**
 * Plants stores as an attacker would: made by Spillway itself in a home of its own, then changed by
 * hand.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { freshWorkspace, type Workspace } from '../program.ts';

export function changed(file: string, change: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file);
  change(db);
  db.close();
}

/** JSON with the checksum that the store keeps behind it. */
function withSum(value: unknown): string {
  const json = JSON.stringify(value);
  return `${json}\n${crc32(json).toString(16).padStart(8, '0')}`;
}

/** Replaces the record of every output. */
export function forgeRecord(file: string, forge: (record: Record<string, unknown>) => unknown): void {
  changed(file, (db) => {
    const rows = db.prepare('SELECT seq, record FROM output').all() as { seq: number; record: string }[];
    for (const { seq, record } of rows)
      db.prepare('UPDATE output SET record = ? WHERE seq = ?').run(
        withSum(forge(JSON.parse(record.split('\n')[0] ?? ''))),
        seq,
      );
  });
}

/**
 * A workspace as a clone of a repository that brings a store: one of the attacker, with the
 * attacker's change in it.
 */
export async function cloneWithStore(
  text: string,
  change: (db: DatabaseSync) => void = () => {},
): Promise<{ readonly victim: Workspace; readonly attacker: Workspace; readonly id: string | null }> {
  const attacker = await freshWorkspace();
  const { metadata } = await attacker.truncate(text);
  changed(join(attacker.artifacts, 'store.db'), change);
  const victim = await freshWorkspace();
  mkdirSync(join(victim.root, '.acode'));
  cpSync(attacker.artifacts, victim.artifacts, { recursive: true });
  return { victim, attacker, id: metadata.artifact_id };
}
