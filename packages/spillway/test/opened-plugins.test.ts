// What a plugin adds is given to `open` as it is to `Spillway`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { standardDialect } from '@spillway/core/plugin';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../core/test/folders.ts';
import { open } from '../src/open.ts';

test('a dialect and a strategy that are given to open can be named in settings', async () => {
  const workspace = await temporaryFolder();
  mkdirSync(join(workspace, '.git'));
  const dialects = [{ ...standardDialect, name: 'ours' }];
  const strategies = [{ name: 'mine', rank: () => Promise.reject() as never }];
  const { spillway } = await open({ workspace, env: { HOME: workspace }, dialects, strategies });
  await using _ = spillway;
  const policy = { dialect: 'ours', strategy: 'mine' };
  expect(spillway.explain('run', { policy }).policy).toMatchObject(policy);
});
