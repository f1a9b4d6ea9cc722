// What a plugin adds is given to `open` as it is to `Spillway`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../core/test/folders.ts';
import { ini } from '../../core/test/formats/ini/index.ts';
import { open } from '../src/open.ts';

test('a format that is given to open is addressed by the tool that the model sees', async () => {
  const workspace = await temporaryFolder();
  mkdirSync(join(workspace, '.git'));
  const { spillway } = await open({ workspace, env: { HOME: workspace }, formats: [ini] });
  await using _ = spillway;
  expect(JSON.stringify(spillway.definition.inputSchema)).toContain('"section":');
});
