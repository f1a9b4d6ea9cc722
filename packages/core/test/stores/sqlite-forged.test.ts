import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { SpillwayError } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { storeFile } from '../folders.ts';
import { linesOf, NAME, openHistory, turn } from '../history/opened.ts';
import { randomOf, withMutation } from '../mutations.ts';

const RUNS = Number(process.env.SPILLWAY_PROPERTY_RUNS ?? 60);
const SEED = 7;
const COLUMNS = [
  ['output', 'record'],
  ['output', 'model'],
  ['event', 'record'],
  ['message', 'record'],
  ['summary', 'record'],
] as const;

it(`reads or refuses what was changed in ${RUNS} ways, and never breaks on it`, async () => {
  const file = await storeFile();
  const made = openHistory({ store: sqliteStore({ file }) });
  for (let i = 0; i < 3; i++) await turn(made.session, i, linesOf(12_000, `t${i}`));
  await made.session.prepare({ window: 60_000 });
  await made.session.compact({ keepTokens: 200 });
  await made.spillway.close();
  for (let run = 0; run < RUNS; run++) {
    const restore = forge(file, randomOf(SEED + run));
    const { store, spillway, session } = openHistory({ store: sqliteStore({ file }) });
    const tried = async (what: () => Promise<unknown>) => {
      try {
        await what();
      } catch (error) {
        if (!(error instanceof SpillwayError)) throw new Error(`run ${run}: ${error}`, { cause: error });
        expect(error.message).not.toContain('of a text that says something');
      }
    };
    await tried(async () => {
      for (const { id, parts } of (await store.list({ scope: NAME.scope, show: 'all' })).items) {
        await tried(() => store.find({ scope: NAME.scope, id }));
        await tried(() => spillway.project({ scope: NAME.scope, id }));
        await tried(() => spillway.retrieve({ artifact_id: id }, NAME.scope));
        for (const { index } of parts) await tried(() => store.read(id, index, { bytes: 0 }));
      }
    });
    await tried(() => store.events({}));
    await tried(() => store.sessions({}));
    await tried(() => session.prepare({ window: 60_000 }));
    await tried(async () => {
      for await (const _ of session.exportLines());
    });
    await spillway.close();
    restore();
  }
});

/** Changes one record; returns what brings it back. */
function forge(file: string, pick: (below: number) => number): () => void {
  const [table, column] = COLUMNS[pick(COLUMNS.length)] ?? COLUMNS[0];
  const db = new DatabaseSync(file);
  const rows = db
    .prepare(`SELECT rowid AS at, ${column} AS record FROM ${table} WHERE ${column} IS NOT NULL`)
    .all() as {
    at: number;
    record: string;
  }[];
  const row = rows[pick(Math.max(1, rows.length))];
  if (row !== undefined) {
    const json = withMutation(row.record.slice(0, row.record.lastIndexOf('\n')), pick);
    const sum = crc32(json).toString(16).padStart(8, '0');
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(`${json}\n${sum}`, row.at);
  }
  db.close();
  return () => {
    if (row === undefined) return;
    const again = new DatabaseSync(file);
    again.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(row.record, row.at);
    again.close();
  };
}
