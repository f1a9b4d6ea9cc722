/**
 * Handles and sessions of a workspace, for completion: a name and what it is on each line, with a
 * tab between them, the newest first. Never an error: where nothing can be read, nothing is given.
 * Names that a shell would not take as one plain word are left out.
 */
import { formatBytes } from '@spillway/core/plugin';
import type { Completes } from '../flags.ts';
import { visibleLine } from '../visible.ts';
import { keepQuiet } from '../warnings.ts';
import { artifactFacts, withStore } from './artifacts/reading.ts';
import { ageOf } from './durations.ts';

const MOST_NAMES = 100;
const PLAIN_WORD = /^[\w.@%+,/][\w.@%+=,/:-]*$/;
const MOST_DESCRIPTION = 60;

export async function storedNames(kind: Completes): Promise<string> {
  keepQuiet();
  const lines: string[] = [];
  const add = (name: string, description: string) => {
    if (PLAIN_WORD.test(name))
      lines.push(`${name}\t${visibleLine(description).slice(0, MOST_DESCRIPTION).toWellFormed()}\n`);
  };
  try {
    await withStore(async ({ workspace: { scope } }, store) => {
      const now = Date.now();
      if (kind === 'handles') {
        const { items } = await store.list({ scope, limit: MOST_NAMES });
        if (items.length > 0) add('last', 'the newest');
        for (const record of items) {
          const size = formatBytes(artifactFacts(record).size);
          add(record.id, `${ageOf(record.startedAt, now)}, ${size}, ${record.summary}`);
        }
        return 0;
      }
      const { items } = await store.sessions({ scope, limit: MOST_NAMES });
      for (const { id, seenAt } of items) add(id, `last seen: ${ageOf(seenAt, now)}`);
      return 0;
    });
  } catch {
    // Settings or a store that cannot be read: other commands say so.
  }
  return lines.join('');
}
