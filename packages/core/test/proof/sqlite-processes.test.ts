// One file, several processes: real ones, some of them killed.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OutputRecord } from '../../src/model/output.ts';
import { sqliteStore } from '../../src/stores/sqlite/index.ts';
import { bytesOf, textOf as storedText } from '../../src/testing/index.ts';
import { storeFile } from '../folders.ts';
import { idOf, textOf } from '../stores/process-content.ts';
import { Running } from '../stores/running.ts';

test('four processes write and two read one file, and every output is whole', async () => {
  const file = await storeFile();
  const tags = ['a', 'b', 'c', 'd'];
  const writers = tags.map((tag) => new Running('write', file, tag, '20'));
  const readers = ['r', 's'].map((tag) => new Running('read', file, tag));
  for (const reader of readers) expect(await reader.output()).toBe('reading');
  for (const writer of writers) expect(await writer.ended()).toBe(0);
  for (const reader of readers) reader.tell();
  for (const reader of readers) {
    expect(await reader.output()).toMatch(/^checked [1-9]/);
    expect(await reader.ended()).toBe(0);
  }
  const store = sqliteStore({ file });
  expect(await store.usage()).toMatchObject({ outputs: 80, sessions: 4 });
  for (const tag of tags) {
    for (let i = 0; i < 20; i++) expect(await storedText(store, idOf(tag, i))).toBe(textOf(tag, i));
  }
  await store.close();
});

test('a killed capture is found as crashed and incomplete, with what was committed; sealed outputs are whole', async () => {
  const file = await storeFile();
  const doomed = new Running('crash', file, 'k');
  expect(await doomed.output()).toBe('capturing');
  await doomed.kill();

  const store = sqliteStore({ file });
  for (let i = 0; i < 3; i++) expect(await storedText(store, idOf('k', i))).toBe(textOf('k', i));
  const found = (await store.find({ scope: 'scope-1', id: idOf('k', 999) })) as OutputRecord;
  expect(found).toMatchObject({ outcome: { status: 'crashed' }, complete: false, version: 1, session: 'k' });
  const bytes = await bytesOf(store, found.id);
  const whole = new TextEncoder().encode(textOf('k', 999, 400));
  // Twenty-one pieces were taken, of which a window of 256 KB may not have been committed yet.
  expect(bytes.length).toBeGreaterThan(16 * 65_000);
  expect(Buffer.compare(bytes, whole.subarray(0, bytes.length))).toBe(0);
  const text = new TextDecoder().decode(bytes);
  expect(found.parts[0]).toMatchObject({
    bytes: bytes.length,
    chars: text.length,
    lines: text.split('\r\n').length - (text.endsWith('\n') ? 1 : 0),
    hash: createHash('sha256').update(bytes).digest('hex'),
    illFormed: 0,
  });
  expect((await store.events({ type: 'captured' })).items.at(-1)).toMatchObject({
    output: found.id,
    data: { recovered: true, bytes: bytes.length },
  });
  expect((await store.usage()).outputs).toBe(4);
  await store.close();
});

test('what a living process is writing is left alone by others that open the file', async () => {
  const file = await storeFile();
  const holding = new Running('hold', file, 'h');
  expect(await holding.output()).toBe('holding');
  const doomed = new Running('crash', file, 'k');
  await doomed.output();
  await doomed.kill();

  const store = sqliteStore({ file });
  expect(await store.find({ scope: 'scope-1', id: idOf('k', 999) })).toMatchObject({ complete: false });
  expect(await store.find({ scope: 'scope-1', id: idOf('h', 999) })).toBeUndefined();
  holding.tell();
  expect(await holding.ended()).toBe(0);
  expect(await store.find({ scope: 'scope-1', id: idOf('h', 999) })).toMatchObject({ complete: true });
  expect(await storedText(store, idOf('h', 999))).toBe(textOf('h', 999, 10));
  await store.close();
});

test('killing writers at any moment, over and over, never costs a sealed output', async () => {
  const file = await storeFile();
  for (let round = 0; round < 6; round++) {
    const writer = new Running('write', file, `x${round}`, '100000');
    await writer.output();
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 25));
    await writer.kill();
  }
  const store = sqliteStore({ file });
  const counted = { whole: 0, crashed: 0 };
  for (let after: string | undefined, more = true; more; ) {
    const page = await store.list({
      scope: 'scope-1',
      show: 'all',
      ...(after === undefined ? {} : { after }),
    });
    for (const record of page.items) {
      const hash = createHash('sha256')
        .update(await bytesOf(store, record.id))
        .digest('hex');
      expect(hash).toBe(record.parts[0]?.hash);
      counted[record.complete ? 'whole' : 'crashed']++;
    }
    after = page.next;
    more = after !== undefined;
  }
  expect(counted.whole).toBeGreaterThanOrEqual(6);
  expect(counted.crashed).toBeLessThanOrEqual(6);
  expect((await store.usage()).outputs).toBe(counted.whole + counted.crashed);
  await store.close();
});
