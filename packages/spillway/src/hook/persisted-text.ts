/** The file in which an agent kept a long result whole. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileSource } from '../byte-source.ts';

/**
 * Its bytes, in chunks; null if it is not the file that was meant: gone, no file, or of another
 * size than the agent says.
 */
export function persistedText(path: string, size: unknown): AsyncIterable<Uint8Array> | null {
  const found = isAbsolute(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (found?.isFile() !== true || (typeof size === 'number' && found.size !== size)) return null;
  return copiesOf(path);
}

/** The source hands out one buffer again and again. */
async function* copiesOf(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of fileSource(path)) yield Uint8Array.from(chunk);
}
