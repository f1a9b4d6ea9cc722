// A sample of the campaign on every run of the tests. Needs a build, as the program does.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = (name: string) => fileURLToPath(new URL(`../../../../scripts/${name}`, import.meta.url));
const { SCENARIOS } = await import(script('campaign/scenarios.mjs'));
const names: string[] = SCENARIOS.map(({ name }: { name: string }) => name);

// Ranges are read from what `size` stored, so the sample of `ranges` is also one of `size`.
test.each(names.filter((name) => name !== 'size'))(
  'the campaign holds: %s',
  (name) => {
    const args = [script('campaign.mjs'), '--smoke', '--only', name];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr + stdout).not.toContain('✗');
    expect(stdout).toContain(`✓ ${name}, `);
    expect(status).toBe(0);
  },
  300_000,
);
