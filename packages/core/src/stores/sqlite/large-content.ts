/**
 * Which content goes on in a file: rows of `content_file`. Each function is one step inside a
 * transaction. `removed` is 0 while the file is in use, 1 once nothing refers to it, and 2 once that
 * is durable, so that the file may go.
 */
import type { Connection } from './driver.ts';

export interface ContentFile {
  readonly name: string;
  /** Where in the content the file begins. */
  readonly start: number;
}

export function nameFile(db: Connection, content: number, { name, start }: ContentFile): void {
  db.run('INSERT INTO content_file VALUES (?, ?, ?, 0)', content, name, start);
}

export function fileOf(db: Connection, content: number): ContentFile | undefined {
  return db.get<ContentFile>(
    'SELECT name, start_bytes AS start FROM content_file WHERE content = ? AND removed = 0',
    content,
  );
}

/** Nothing refers to the content any more, or all of it is in rows. */
export function giveUpFile(db: Connection, content: number): void {
  db.run('UPDATE content_file SET removed = 1 WHERE content = ? AND removed = 0', content);
}

export function hasFilesToRemove(db: Connection): boolean {
  return db.get('SELECT 1 FROM content_file WHERE removed > 0 LIMIT 1') !== undefined;
}

/** The names of files that may go once this is durable. */
export function releaseFiles(db: Connection): readonly string[] {
  db.run('UPDATE content_file SET removed = 2 WHERE removed = 1');
  return db.all<{ name: string }>('SELECT name FROM content_file WHERE removed = 2').map(({ name }) => name);
}

/** After the files are gone. */
export function forgetFiles(db: Connection, names: readonly string[]): void {
  for (const name of names) db.run('DELETE FROM content_file WHERE removed = 2 AND name = ?', name);
}
