/**
 * Checks a store that somebody else may have made, before it is used: the tables are exactly ours
 * (opening.ts), the file is sound, ids are valid, records parse and match their rows, and all
 * content has its hash. Only then the file gets a mark of this user.
 */
import { isArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import {
  parseEvent,
  parseKeptMessage,
  parseOutputRecord,
  parseStoredProjection,
  parseSummaryRecord,
} from '../../model/records.ts';
import { readChecked } from '../records.ts';
import { hashOf, pieceFrom } from './contents.ts';
import { keyText } from './dialect.ts';
import type { Connection } from './driver.ts';
import { mustBeFolder } from './folders.ts';
import { adopt } from './marks.ts';
import { openDatabase, type StoreLocation } from './opening.ts';
import { nextTurn, Patience } from './patience.ts';

/** Which store is to be used from now on. */
export interface TrustRequest extends StoreLocation {
  /** The folders with the marks of this user's stores, the best first. */
  readonly registry: readonly string[];
}

/** What was looked at. */
export interface CheckedStore {
  /** Outputs whose bytes were read. */
  readonly outputs: number;
  /** Bytes of their parts. */
  readonly bytes: number;
}

/** Marks a store as this user's. Rejects with what is wrong, and leaves it foreign. */
export async function trustStore({ file, within, registry }: TrustRequest): Promise<CheckedStore> {
  mustBeFolder(`${file}-content`);
  const db = await openDatabase({ file, within }, undefined, new Patience());
  try {
    const checked = { outputs: 0, bytes: 0 };
    // Each problem with its count. Never quotes the store.
    const problems = new Map<string, number>();
    for await (const { problem, ...more } of checksOf(db)) {
      checked.outputs += more.outputs ?? 0;
      checked.bytes += more.bytes ?? 0;
      if (problem) problems.set(problem, (problems.get(problem) ?? 0) + 1);
    }
    const all = [...problems].map(([what, times]) => (times === 1 ? what : `${what} (${times} times)`));
    if (all.length > 0)
      throw new SpillwayError(
        'corrupt',
        `${file} is not trusted: ${all.join('; ')}. Move it away to begin a new one, or restore it from a copy.`,
      );
    adopt(db, registry);
    return checked;
  } finally {
    db.close();
  }
}

interface OutputRow {
  readonly at: number;
  readonly id: unknown;
  readonly scope: string;
  readonly session: string;
  readonly record: string | null;
}

interface ContentRow {
  readonly at: number;
  readonly hash: string;
  readonly bytes: number;
}

const RECORDS: readonly (readonly [table: string, column: string, parse: (value: unknown) => unknown])[] = [
  ['output', 'model', parseStoredProjection],
  ['output', 'transport', parseStoredProjection],
  ['output', 'screen', parseStoredProjection],
  ['message', 'record', parseKeptMessage],
  ['summary', 'record', (value) => parseSummaryRecord(value)],
  ['event', 'record', parseEvent],
];

const ROWS_A_LOOK = 200;

interface Check extends Partial<CheckedStore> {
  readonly problem?: string | false;
}

async function* checksOf(db: Connection): AsyncGenerator<Check> {
  const [row] = db.all<{ integrity_check: string }>('PRAGMA integrity_check(1)');
  yield { problem: row?.integrity_check !== 'ok' && 'the database is damaged' };
  for await (const output of rowsOf<OutputRow>(
    db,
    'id, scope, session, record',
    'output',
    'purged_at IS NULL',
  ))
    yield { problem: outputProblem(db, output), outputs: 1 };
  for (const { id } of db.all<{ id: unknown }>('SELECT id FROM draft'))
    yield { problem: !isArtifactId(id) && 'an unfinished output has an id that is none' };
  for (const [table, column, parse] of RECORDS) {
    const columns = `${column} AS record`;
    const rows = rowsOf<{ at: number; record: string }>(db, columns, table, `${column} IS NOT NULL`);
    for await (const { record } of rows)
      yield {
        problem: readChecked(record, parse) === undefined && `a record of the table ${table} cannot be read`,
      };
  }
  for await (const { at: id, hash, bytes } of rowsOf<ContentRow>(db, 'hash, bytes', 'content', 'refs > 0')) {
    const nextPiece = async (start: number) => {
      await nextTurn();
      return pieceFrom(db, id, start);
    };
    const isSame = (await hashOf(nextPiece)) === hash;
    yield { problem: !isSame && 'content does not have the hash under which it is kept', bytes };
  }
}

async function* rowsOf<Row extends { readonly at: number }>(
  db: Connection,
  columns: string,
  table: string,
  where: string,
): AsyncGenerator<Row> {
  for (let after = 0; ; await nextTurn()) {
    const rows = db.all<Row>(
      `SELECT rowid AS at, ${columns} FROM ${table} WHERE ${where} AND rowid > ? ORDER BY rowid LIMIT ${ROWS_A_LOOK}`,
      after,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.at;
  }
}

function outputProblem(db: Connection, { at, id, scope, session, record }: OutputRow): string | false {
  if (!isArtifactId(id)) return 'an output has an id that is none';
  const sealed = readChecked(record, (value) => parseOutputRecord(value));
  if (sealed === undefined) return 'the record of an output cannot be read';
  if (sealed.id !== id || keyText(sealed.scope) !== scope || keyText(sealed.session) !== session)
    return 'the record of an output is of another one';
  const parts = db.all<{ idx: number; hash: string | null; bytes: number }>(
    `SELECT p.idx, c.hash, c.bytes FROM part p LEFT JOIN content c ON c.id = p.content
     WHERE p.output = ? ORDER BY p.idx`,
    at,
  );
  const isSame =
    parts.length === sealed.parts.length &&
    sealed.parts.every(({ hash, bytes }, i) => parts[i]?.hash === hash && parts[i]?.bytes === bytes);
  return !isSame && 'the content of an output is not what its record says';
}
