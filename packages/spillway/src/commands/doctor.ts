/**
 * `spillway doctor`: looks at everything an installation stands on and says what is wrong with it,
 * and how to fix that. Changes nothing. Exit code 1 if something does not work; what only could be
 * better is a warning.
 */
import { formatBytes } from '@spillway/core/plugin';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/findings.ts';
import { type CommandDetails, type Given, JSON_FLAG, type Program } from '../flags.ts';
import { print } from '../output.ts';
import { withProgress } from '../progress.ts';

const MARKS = { ok: '✓', warning: '!', failure: '✗' };

export const details: CommandDetails = {
  summary:
    'Check the installation: what is configured and where, whether the store is healthy, and how to fix it.',
  flags: [{ name: 'deep', doc: 'Read all that is stored and compare it with its checksums.' }, JSON_FLAG],
  examples: ['spillway doctor', 'spillway doctor --deep --json'],
};

export async function run(given: Given, program: Program): Promise<number> {
  let bytes = 0;
  const findings = await withProgress(
    { line: () => `Reading back: ${formatBytes(bytes)}`, quiet: given.has('json') },
    (progress) =>
      examine({
        version: program.version(),
        cwd: process.cwd(),
        env: process.env,
        reach: given.has('deep') ? 'everything' : 'newest',
        seen(read) {
          bytes += read;
          progress.step();
        },
      }),
  );
  if (given.has('json')) await print(`${JSON.stringify({ findings })}\n`);
  else for (const finding of findings) await printFinding(finding);
  return findings.some(({ state }) => state === 'failure') ? 1 : 0;
}

async function printFinding({ name, state, detail, fix }: Finding): Promise<void> {
  await print(`${MARKS[state]} ${name}: ${detail}\n`);
  if (fix !== null) await print(`  ${fix}\n`, 'dim');
}
