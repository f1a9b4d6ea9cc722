/**
 * Puts the servers of a file that a project shares behind the gateway for this user alone: the
 * wrapped entries go where the client keeps servers of one project for one user, and stand there
 * before those of the project. The shared file stays as it is.
 */
import { existsSync } from 'node:fs';
import { readNamedFile } from '../../named-file.ts';
import { withoutComments } from '../json-comments.ts';
import { addedMember, type Edit, edited, membersOf } from '../json-edit.ts';
import { rewritten } from './entry-shape.ts';
import { changesIn, type Plan, type Planning, shownWords } from './install.ts';

/** `shared`: the file of the project; `own`: that of the user. Null if there is nothing to share. */
export function localPlan(shared: string, own: string, planning: Planning): Plan | null {
  const path = planning.client.inside?.(planning.folders);
  if (path === undefined || !existsSync(shared)) return null;
  const { config, changed, left } = changesIn(readNamedFile(shared), shared, planning);
  let text = existsSync(own) ? readNamedFile(own) : '{}\n';
  const changes: Plan['changes'][number][] = [];
  for (const [entry, after] of changed) {
    const added = withEntry(
      text,
      [...path, entry.name],
      rewritten(config.read(entry), after, planning.client),
    );
    if (added === null) {
      left.push({ name: entry.name, why: 'already there for this project' });
      continue;
    }
    text = added;
    changes.push({ name: entry.name, before: shownWords(entry), after: shownWords(after) });
  }
  return { file: own, changes, left, names: config.entries.map(({ name }) => name), text };
}

/** The text with a value at a path, whose objects are made as needed; null if it has one there. */
function withEntry(text: string, path: readonly string[], value: object): string | null {
  const bytes = Buffer.from(text);
  const plain = withoutComments(bytes);
  let at = { start: 0, end: plain.length };
  for (const [depth, key] of path.entries()) {
    const next = membersOf(plain, at)?.get(key)?.value;
    if (next === undefined) {
      const inner = path.slice(depth + 1).reduceRight<object>((below, name) => ({ [name]: below }), value);
      const edit: Edit = addedMember(plain, at, key, JSON.stringify(inner));
      return edited(bytes, [edit]).toString('utf8');
    }
    at = next;
  }
  return null;
}
