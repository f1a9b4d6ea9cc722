// A sample of the campaign on every run of the tests. Needs a build, as the program does.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('the campaign holds, in a sample of each scenario', () => {
  const script = fileURLToPath(new URL('../../../../scripts/campaign.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--smoke'], { encoding: 'utf8' });
  expect(stderr + stdout).not.toContain('✗');
  expect(status).toBe(0);
}, 600_000);
