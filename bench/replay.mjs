// Runs the replay of the recorded sessions (corpora, sessions/replay.mjs): of what agents used
// later, how much does each method still show? Projections are made in the process of the replay.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORPORA } from './labelled.mjs';

const program = join(CORPORA, 'sessions', 'replay.mjs');

export const hasSessions = () => existsSync(program);

/** The tables that the replay's own program measures. */
export async function replayed(methods, budgets, { smoke }) {
  const scratch = mkdtempSync(join(tmpdir(), 'spillway-replay-'));
  const json = join(scratch, 'replay.json');
  const preload = fileURLToPath(new URL('./children/replay-preload.mjs', import.meta.url));
  const commands = methods.flatMap((name) => ['--cmd', `${name}=project ${name} {budget} {call}`]);
  const scope = smoke ? ['--sources', 'tau2,trail-swe', '--boot', '10'] : [];
  const files = ['--cache', join(scratch, 'cache'), '--json', json];
  const child = spawn(
    process.execPath,
    [
      '--import',
      preload,
      program,
      '--no-savings',
      '--budgets',
      budgets.join(','),
      ...files,
      ...scope,
      ...commands,
    ],
    { stdio: 'ignore' },
  );
  const code = await new Promise((done, fail) => child.on('error', fail).on('close', done));
  try {
    if (code !== 0) throw new Error(`replay.mjs ended with ${code}`);
    return JSON.parse(readFileSync(json, 'utf8')).tables;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
