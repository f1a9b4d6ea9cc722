import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute } from 'node:path';
import { found, isOwn } from '../accounts.ts';
import { fileSource } from '../byte-source.ts';

/** Agents write such a file while the tool runs, or when it has ended. */
const RECENT_MS = 3_600_000;

/**
 * The bytes of a file that a field of the agent names, in chunks; null if it is not the file that
 * was meant: gone, no file, or of another size than the agent says.
 */
export function persistedText(path: string, size: unknown): AsyncIterable<Uint8Array> | null {
  const there = isAbsolute(path) ? found(statSync, path) : undefined;
  if (there?.isFile() !== true || (typeof size === 'number' && there.size !== size)) return null;
  return copiesOf(path);
}

/** A file as the text of a result names it. */
export interface NamedFile {
  readonly path: string;
  /** What the agent calls such files. */
  readonly name: RegExp;
  /** The beginning or the end of the file, as the text shows it. */
  readonly shown: string;
  readonly shownAt: 'start' | 'end';
}

/**
 * The bytes of a file that the text of a result names. Whoever wrote the text can name any file, so
 * this one must be the agent's: right in the temporary folder, under a name as the agent gives it,
 * the user's own, written lately, and with the content that the text shows of it.
 */
export function namedText(named: NamedFile): AsyncIterable<Uint8Array> | null {
  const { path, name } = named;
  if (!isAbsolute(path) || !name.test(basename(path)) || named.shown === '') return null;
  const there = found(lstatSync, path);
  if (there?.isFile() !== true || !isOwn(path) || Date.now() - there.mtimeMs > RECENT_MS) return null;
  const isTheAgents = realpathSync(dirname(path)) === realpathSync(tmpdir()) && holds(named, there.size);
  return isTheAgents ? copiesOf(path) : null;
}

function holds({ path, shown, shownAt }: NamedFile, size: number): boolean {
  const bytes = Buffer.alloc(Math.min(size, Buffer.byteLength(`${shown}\n`)));
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, shownAt === 'start' ? 0 : size - bytes.length);
  } finally {
    closeSync(file);
  }
  const text = bytes.toString('utf8');
  if (shownAt === 'start') return text.startsWith(shown);
  // The last line end is not shown.
  return text.endsWith(shown) || text.endsWith(`${shown}\n`);
}

/** The source hands out one buffer again and again. */
async function* copiesOf(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of fileSource(path)) yield Uint8Array.from(chunk);
}
