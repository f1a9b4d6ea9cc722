// The memory of the program does not grow with what it is given. The same at 600 MB, for every
// command and kind of content: `npm run campaign`.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, type Ran, type Workspace } from '../program.ts';

const PEAK = fileURLToPath(new URL('../../../../scripts/campaign/peak.cjs', import.meta.url));
const MB = 1_000_000;
/** MB. A program that keeps its input pays all of the difference, and more as text. */
const [LITTLE, MUCH, MOST_GROWTH] = [15, 90, 45];

describe('the peak of resident memory', () => {
  test.each([
    ['truncate reads a file', 'spillway truncate "$1"'],
    ['truncate reads a pipe', 'cat "$1" | spillway truncate'],
    ['exec runs a command', 'spillway exec -- cat "$1"'],
  ])(
    'does not grow with the output when %s',
    async (_, script) => {
      const little = await peakOf(script, LITTLE, logOf);
      const much = await peakOf(script, MUCH, logOf);
      expect(much - little).toBeLessThan(MOST_GROWTH);
    },
    120_000,
  );

  test('does not grow with the depth of nesting', async () => {
    const brackets = (bytes: number) => Buffer.alloc(bytes, '[');
    const little = await peakOf('spillway truncate "$1"', 0.1, brackets);
    const much = await peakOf('spillway truncate "$1"', 3, brackets);
    expect(much - little).toBeLessThan(MOST_GROWTH);
  }, 120_000);
});

async function peakOf(
  script: string,
  megabytes: number,
  content: (bytes: number) => Buffer,
): Promise<number> {
  const workspace = await freshWorkspace();
  const input = join(workspace.root, 'input');
  await writeFile(input, content(megabytes * MB));
  const peak = await measured(workspace, script.replace('$1', input));
  await rm(workspace.root, { recursive: true });
  return peak;
}

/** In MB. */
async function measured(workspace: Workspace, script: string): Promise<number> {
  const file = join(workspace.root, 'peak');
  const ran: Ran = await workspace.shell(script, {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(PEAK)}`, PEAK_FILE: file, PEAK_COLLECT: '1' },
  });
  expect(ran.stdout).toContain('[Artifact: art_');
  return Number(await readFile(file, 'utf8'));
}

function logOf(bytes: number): Buffer {
  const lines: string[] = [];
  for (let i = 0; i < 10_000; i++)
    lines.push(`2026-11-15 10:00:${i % 60} INFO worker ${i * 7_919} took ${i} ms`);
  return Buffer.alloc(bytes, `${lines.join('\n')}\n`);
}
