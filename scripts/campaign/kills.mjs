// kill -9 of several writers of one store, over and over: what was sealed is whole, what was not is
// an exact prefix and says so.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { between, textRange } from './content.mjs';
import { firstWords, start } from './processes.mjs';

const WRITERS = 4;

export async function kills({ folder, smoke, random, check, tell }) {
  const rounds = smoke ? 3 : 40;
  const file = join(folder, 'kills.db');
  const sealed = new Map();
  const counts = { whole: 0, cut: 0, unacknowledged: 0, bytes: 0 };
  for (let round = 0; round < rounds; round++) {
    const writers = Array.from({ length: WRITERS }, (_, i) =>
      start('writer', { file, tag: `r${round}w${i}`, seed: between(random, 0, 2 ** 31) }),
    );
    // One round in five the kill may come before anything is sealed, else at any moment after.
    if (round % 5 !== 4) await Promise.race(writers.map(({ output, ended }) => firstWords(output, ended)));
    await pause(between(random, 0, 900));
    for (const { child } of writers) {
      await pause(between(random, 0, 40));
      child.kill('SIGKILL');
    }
    for (const { ended } of writers) noteSealed(await ended, sealed, check);
    if (round % 10 === 9) tell(`${round + 1} of ${rounds} rounds`);
    // The first to open the file recovers; the whole store is checked at the end, and the new part
    // of it now.
    if (round % 8 === 7 || round === rounds - 1)
      await checkAll(file, sealed, check, round === rounds - 1 ? counts : null);
  }
  check(counts.whole > rounds && counts.cut > 0, 'the kills came too early to tell anything');
  return {
    rounds,
    numbers: [
      `${counts.whole.toLocaleString('en')} whole outputs (${(counts.bytes / 1e6).toFixed(0)} MB compared), ${counts.cut} cut by the kill, ${counts.unacknowledged} sealed but not yet told`,
    ],
  };
}

function noteSealed({ stdout }, sealed, check) {
  // The last line may be cut off by the kill.
  for (const line of stdout.split('\n').slice(0, -1)) {
    const [id, name, bytes] = line.split(' ');
    check(id !== 'unstored', `${name} was not stored though there was room`);
    sealed.set(id, { name, bytes: Number(bytes) });
  }
}

async function checkAll(file, sealed, check, counts) {
  const store = sqliteStore({ file });
  const seen = new Set();
  for (let after, more = true; more; ) {
    const page = await store.list({ scope: 'campaign', show: 'all', limit: 200, ...(after && { after }) });
    for (const record of page.items) {
      seen.add(record.id);
      const index = record.parts.findIndex((part) => part.role === 'content');
      const bytes = index < 0 ? Buffer.alloc(0) : await bytesOf(store, record.id, index);
      const expected = textRange(record.tool, 0, bytes.length);
      check(bytes.equals(expected), `${record.id} holds other bytes than were written`);
      const sealedBytes = sealed.get(record.id);
      if (sealedBytes !== undefined)
        check(
          record.complete && bytes.length === sealedBytes.bytes,
          `${record.id} was sealed and is not whole`,
        );
      else if (!record.complete)
        check(record.outcome.status === 'crashed', `${record.id} is cut and does not say so`);
      if (counts === null) continue;
      counts[record.complete ? (sealedBytes === undefined ? 'unacknowledged' : 'whole') : 'cut']++;
      counts.bytes += bytes.length;
    }
    after = page.next;
    more = after !== undefined;
  }
  for (const id of sealed.keys()) check(seen.has(id), `${id} was sealed and is gone`);
  await store.close();
}

export async function bytesOf(store, id, part) {
  const pieces = [];
  for await (const piece of (await store.read(id, part, { bytes: 0 })).pieces) pieces.push(piece);
  return Buffer.concat(pieces);
}
