/**
 * Outputs of which somebody was told that they are not stored, but whose remains could not be deleted (the disk was full, say). They must
 * not come back as outputs that a killed process left. This process remembers them and tries again; for the case that it ends before
 * that works, an empty file beside the store names each: a name needs no room on a disk that has no room for data.
 */
import { rm, stat, writeFile } from 'node:fs/promises';

export async function markUnstored(file: string, id: string): Promise<void> {
  await writeFile(markOf(file, id), '', { flag: 'wx', mode: 0o600 }).catch(() => {
    // Where not even a name can be written, memory has to do.
  });
}

export async function isMarkedUnstored(file: string, id: string): Promise<boolean> {
  return stat(markOf(file, id)).then(
    () => true,
    () => false,
  );
}

/** Once its remains are gone. */
export async function unmarkUnstored(file: string, id: string): Promise<void> {
  await rm(markOf(file, id), { force: true }).catch(() => {
    // A mark without remains means nothing.
  });
}

function markOf(file: string, id: string): string {
  return `${file}-unstored-${id}`;
}
