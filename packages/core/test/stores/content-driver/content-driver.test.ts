/** The contract of content drivers, run on the one for a folder. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DRIVER_CASES } from './contract.ts';
import { fileContents } from './file-contents.ts';

describe('a content driver on a folder', () => {
  for (const { promise, run } of DRIVER_CASES)
    test(promise, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'spillway-contents-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      await run(fileContents(join(folder, 'objects')), (actual, expected) =>
        expect(actual).toEqual(expected),
      );
      const left = await readdir(join(folder, 'objects')).catch(() => []);
      expect(left.filter((name) => name.startsWith('.'))).toEqual([]);
    });
});
