// Makes a store look as an earlier version left it: without the tables that came later, and with the
// indexes that went.
import { DatabaseSync } from 'node:sqlite';

export function downgrade(file: string, version: number): void {
  const db = new DatabaseSync(file);
  db.exec(TAKEN_AWAY);
  db.exec('DROP TABLE content_file');
  for (const table of ADDED.slice(version - 1)
    .flat()
    .reverse()) {
    if (table === 'archived') db.exec('DROP TRIGGER archived_gone');
    db.exec(`DROP TABLE ${table}`);
  }
  db.exec(`UPDATE meta SET value = ${version} WHERE name = 'schema'`);
  db.close();
}

/** The tables that each version added to the one before it. */
const ADDED = [['message', 'summary'], ['output_call_input'], ['citation', 'archived']];

/** The indexes that the fifth version took away. */
const TAKEN_AWAY = `
CREATE INDEX piece_chars ON piece (content, start_chars, start_bytes);
CREATE INDEX piece_breaks ON piece (content, start_breaks, start_bytes);
CREATE INDEX output_told_session ON output (scope, session, seq) WHERE disclosed = 1 AND revoked_at IS NULL;
CREATE INDEX output_told_tool ON output (scope, tool, seq) WHERE disclosed = 1 AND revoked_at IS NULL;
CREATE INDEX session_open ON session (seen_at, seq) WHERE ended_at IS NULL;
CREATE INDEX event_high ON event (high, seq);
CREATE INDEX event_type ON event (type, seq);
CREATE INDEX event_scope_type ON event (scope, type, seq);
`;
