/** Marks in the temporary folder: what one process of a hook leaves for the next one. */
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Leaves a mark. A link that somebody else has put there is not followed. */
export function leaveMark(name: string): void {
  try {
    writeFileSync(fileOf(name), '', { mode: 0o600, flag: 'wx' });
  } catch {
    // It is there already, or cannot be left.
  }
}

export function hasMark(name: string): boolean {
  return existsSync(fileOf(name));
}

/** Removes a mark; whether it was there. */
export function takeMark(name: string): boolean {
  if (!hasMark(name)) return false;
  rmSync(fileOf(name), { force: true });
  return true;
}

/**
 * The mark of a command that Claude Code runs in the background. Its output is read by the model in
 * a file, while it runs and later: that stays whole although the command fails.
 */
export function backgroundMark(taskId: string): string {
  return `background ${taskId}`;
}

function fileOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 24);
  return join(tmpdir(), `spillway-mark-${process.getuid?.() ?? ''}-${digest}`);
}
