/**
 * Takes a store into use that somebody else may have made: everything in it is looked at first. The
 * tables are exactly ours (opening.ts), the file is sound, every id is one, every record can be
 * read and says what its row says, and all content has the hash under which it is kept. Reads one
 * piece at a time. Only then the file gets a mark of this user.
 */
import { isArtifactId } from '../../model/artifact.ts';
import { SpillwayError } from '../../model/errors.ts';
import {
  parseEvent,
  parseKeptMessage,
  parseOutputRecord,
  parseProjectionRecord,
  parseSummaryRecord,
} from '../../model/records.ts';
import { readChecked } from '../checked-json.ts';
import { nodeCodec } from '../codecs.ts';
import { pieceAt } from './contents.ts';
import { keyText } from './dialect.ts';
import type { Connection } from './driver.ts';
import { hashOf } from './equal-content.ts';
import { mustBeFolder } from './folders.ts';
import { adopt } from './marks.ts';
import { openDatabase } from './opening.ts';
import { nextTurn, Patience } from './patience.ts';
import { KEPT } from './schema.ts';

/** Which store is to be used from now on. */
export interface TrustRequest {
  readonly file: string;
  /** A folder that the file must really lie in. */
  readonly within?: string;
  /** The folders with the marks of this user's stores, the best first. */
  readonly registry: readonly string[];
}

/** What was looked at. */
export interface CheckedStore {
  readonly outputs: number;
  readonly bytes: number;
}

/**
 * Checks a store and marks it as this user's. Rejects with what is wrong, and leaves it foreign, if
 * anything is.
 */
export async function trustStore({ file, within, registry }: TrustRequest): Promise<CheckedStore> {
  mustBeFolder(`${file}-content`);
  const db = await openDatabase(
    { file, ...(within === undefined ? {} : { within }) },
    undefined,
    new Patience(),
  );
  try {
    const problems = new Problems(file);
    problems.note(integrityProblem(db));
    const outputs = await checkOutputs(db, problems);
    for (const { id } of db.all<{ id: unknown }>('SELECT id FROM draft'))
      if (!isArtifactId(id)) problems.note('an unfinished output has an id that is none');
    await checkRecords(db, problems);
    const bytes = await checkContents(db, problems);
    problems.throwIfAny();
    adopt(db, registry);
    return { outputs, bytes };
  } finally {
    db.close();
  }
}

/** What is wrong, each kind once with how often. Never anything that is in the store. */
class Problems {
  readonly #file: string;
  readonly #counts = new Map<string, number>();

  constructor(file: string) {
    this.#file = file;
  }

  note(what: string | null): void {
    if (what !== null) this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  throwIfAny(): void {
    if (this.#counts.size === 0) return;
    const kinds = [...this.#counts].map(([what, times]) => (times === 1 ? what : `${what} (${times} times)`));
    throw new SpillwayError(
      'corrupt',
      `${this.#file} is not trusted: ${kinds.join('; ')}. Move it away to begin a new one, or restore it from a copy.`,
    );
  }
}

function integrityProblem(db: Connection): string | null {
  const [row] = db.all<{ integrity_check: string }>('PRAGMA integrity_check(1)');
  return row?.integrity_check === 'ok' ? null : 'the database is damaged';
}

interface OutputRow {
  readonly seq: number;
  readonly id: unknown;
  readonly scope: string;
  readonly session: string;
  readonly record: string | null;
}

const ROWS_A_LOOK = 200;

async function checkOutputs(db: Connection, problems: Problems): Promise<number> {
  let outputs = 0;
  for (let after = 0; ; await nextTurn()) {
    const rows = db.all<OutputRow>(
      'SELECT seq, id, scope, session, record FROM output WHERE purged_at IS NULL AND seq > ? ORDER BY seq LIMIT ?',
      after,
      ROWS_A_LOOK,
    );
    for (const row of rows) problems.note(outputProblem(db, row));
    outputs += rows.length;
    const last = rows.at(-1)?.seq;
    if (last === undefined) return outputs;
    after = last;
  }
}

function outputProblem(db: Connection, { seq, id, scope, session, record }: OutputRow): string | null {
  if (!isArtifactId(id)) return 'an output has an id that is none';
  const sealed = readChecked(record, (value) => parseOutputRecord(value));
  if (sealed === undefined) return 'the record of an output cannot be read';
  if (sealed.id !== id || keyText(sealed.scope) !== scope || keyText(sealed.session) !== session)
    return 'the record of an output is of another one';
  const parts = db.all<{ idx: number; hash: string | null; bytes: number }>(
    `SELECT p.idx, c.hash, c.bytes FROM output_part p LEFT JOIN content c ON c.id = p.content
     WHERE p.output = ? ORDER BY p.idx`,
    seq,
  );
  const same =
    parts.length === sealed.parts.length &&
    sealed.parts.every(({ hash, bytes }, i) => parts[i]?.hash === hash && parts[i]?.bytes === bytes);
  return same ? null : 'the content of an output is not what its record says';
}

/** The other tables with records, and how each is read. */
const RECORDS: readonly (readonly [table: string, parse: (value: unknown) => unknown])[] = [
  ['projection', (value) => parseProjectionRecord(value)],
  ['message', parseKeptMessage],
  ['summary', (value) => parseSummaryRecord(value)],
  ['event', parseEvent],
];

async function checkRecords(db: Connection, problems: Problems): Promise<void> {
  for (const [table, parse] of RECORDS)
    for (let after = 0; ; await nextTurn()) {
      const rows = db.all<{ rowid: number; record: string }>(
        `SELECT rowid, record FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
        after,
        ROWS_A_LOOK,
      );
      for (const { record } of rows)
        if (readChecked(record, parse) === undefined)
          problems.note(`a record of the table ${table} cannot be read`);
      const last = rows.at(-1)?.rowid;
      if (last === undefined) break;
      after = last;
    }
}

async function checkContents(db: Connection, problems: Problems): Promise<number> {
  const codec = nodeCodec();
  let total = 0;
  for (let after = 0; ; ) {
    const content = db.get<{ id: number; hash: string; bytes: number }>(
      `SELECT id, hash, bytes FROM content WHERE state = ${KEPT} AND id > ? ORDER BY id LIMIT 1`,
      after,
    );
    if (content === undefined) return total;
    after = content.id;
    const { id } = content;
    const pieceFrom = async (at: number) => {
      await nextTurn();
      return pieceAt(db, id, at);
    };
    if ((await hashOf(pieceFrom, () => codec)) !== content.hash)
      problems.note('content does not have the hash under which it is kept');
    total += content.bytes;
  }
}
