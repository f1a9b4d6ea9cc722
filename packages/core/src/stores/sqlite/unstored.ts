/**
 * Outputs of which somebody was told that they are not stored, but whose remains could not be
 * deleted (the disk was full, say). They must not come back as outputs that a killed process left.
 * This process remembers them and tries again; for the case that it ends before that works, an
 * empty file beside the store names each: a name needs no room on a disk that has no room for data.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { ArtifactId } from '../../model/artifact.ts';
import { fileNameOfId } from '../../model/file-name.ts';

export function markUnstored(file: string, id: ArtifactId): void {
  try {
    writeFileSync(markOf(file, id), '', { flag: 'wx', mode: 0o600 });
  } catch {
    // Where not even a name can be written, memory has to do.
  }
}

export function isMarkedUnstored(file: string, id: ArtifactId): boolean {
  return existsSync(markOf(file, id));
}

/** Once its remains are gone. */
export function unmarkUnstored(file: string, id: ArtifactId): void {
  try {
    rmSync(markOf(file, id), { force: true });
  } catch {
    // A mark without remains means nothing.
  }
}

function markOf(file: string, id: ArtifactId): string {
  return `${file}-unstored-${fileNameOfId(id)}`;
}
