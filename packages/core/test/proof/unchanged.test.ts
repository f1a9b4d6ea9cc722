/**
 * What is shown changes on purpose only: a sample of the digests in projections/, one for each
 * text and case, against what the built library shows now. All of them are compared by
 * `node scripts/identical.mjs`; texts that are not here (the corpora) are left out.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../../../scripts/identical.mjs');

it('the projections of fixtures and real outputs are those that are stored, byte for byte', () => {
  expectStored('general,wide', 12);
}, 300_000);

it('cuts by position are those that are stored, in every way in and at every limit', () => {
  expectStored('positional', 6);
}, 300_000);

function expectStored(sets: string, every: number) {
  const args = [script, '--only', sets, '--every', String(every)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^\d+ projections compared, 0 differ\.\n$/);
  expect(Number.parseInt(stdout, 10)).toBeGreaterThan(500);
}
