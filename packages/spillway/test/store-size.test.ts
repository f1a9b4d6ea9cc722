// What a store takes on the disk, as the doctor and the inspector tell it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spillway } from '@spillway/core';
import { sqliteStore } from '@spillway/core/store/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { storeSize } from '../src/store-size.ts';

it('counts the database and the large parts beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-size-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'store.db');
  expect(storeSize(file)).toEqual({ database: 0, largeParts: 0 });
  const spillway = new Spillway({ store: sqliteStore({ file }) });
  const call = { tool: 'build', session: 's', scope: 'w' };
  await spillway.process(call, { kind: 'text', text: 'compiled a module\n'.repeat(200_000) });
  await spillway.close();
  const { database, largeParts } = storeSize(file);
  expect(database).toBeGreaterThan(1_000_000);
  expect(largeParts).toBeGreaterThan(2_400_000);
  expect(largeParts).toBeLessThan(2_700_000);
});
