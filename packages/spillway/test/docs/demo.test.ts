/** `npm run demo` as people run it: on a wide and on a narrow terminal, in an empty temporary folder. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../core/test/folders.ts';

const demo = resolve(import.meta.dirname, '../../../../examples/demo.mjs');

async function runDemo(columns: number) {
  const folder = await temporaryFolder();
  const env = { ...process.env, COLUMNS: String(columns), TMPDIR: folder, TEMP: folder };
  const { status, stdout } = spawnSync(process.execPath, [demo], { env, encoding: 'utf8' });
  return { status, stdout, left: readdirSync(folder) };
}

describe('the demo', () => {
  it.each([40, 80])('shows what it promises, fits %i columns and leaves nothing behind', async (columns) => {
    const { status, stdout, left } = await runDemo(columns);
    expect(status).toBe(0);
    expect(stdout).toContain('not ok 1187');
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\/\S+$/m);
    const wide = stdout.split('\n').filter((line) => line.length > columns && !line.startsWith('http'));
    expect(wide).toEqual([]);
    expect(left).toEqual([]);
  });
});
