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
  const scope = smoke ? ['--sources', 'tau2,trail-swe', '--boot', '10'] : [];
  const json = (text) => JSON.parse(text).tables;
  return runReplay(['replay-preload'], methods, budgets, scope, 'replay.json', json);
}

/** One object for each output and budget, by the default: what is lost of it (replay-items.mjs). */
export async function replayedItems(budgets) {
  const scope = ['--baselines', 'none', '--boot', '0'];
  return runReplay(['replay-preload', 'replay-items'], ['default'], budgets, scope, 'items.jsonl', jsonLines);
}

function jsonLines(text) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/**
 * What sessions cost (replay-costs.mjs): a row for each session, method and budget with the chars that
 * were shown once and on every later turn, and what the agent used later of what was not shown.
 */
export async function replayedCosts(methods, budgets, { smoke, withoutEnough = false }) {
  const scope = ['--baselines', 'none', '--boot', '0', ...(smoke ? ['--sources', 'tau2,trail-swe'] : [])];
  // The files of the build, not the bundle that is published: two of them are changed.
  const checkout = fileURLToPath(new URL('..', import.meta.url));
  const env = withoutEnough
    ? { SPILLWAY_BENCH_WITHOUT_ENOUGH: '1', SPILLWAY_BENCH_OF: process.env.SPILLWAY_BENCH_OF ?? checkout }
    : {};
  const preloads = ['replay-preload', 'replay-costs'];
  return runReplay(preloads, methods, budgets, scope, 'items.jsonl', jsonLines, { how: [], env });
}

async function runReplay(preloads, methods, budgets, scope, answer, parse, options = {}) {
  const { how = ['--no-savings'], env = {} } = options;
  const scratch = mkdtempSync(join(tmpdir(), 'spillway-replay-'));
  const loaded = preloads.map((name) => new URL(`./children/${name}.mjs`, import.meta.url).href);
  const commands = methods.flatMap((name) => ['--cmd', `${name}=project ${name} {budget} {kind} {call}`]);
  const files = ['--cache', join(scratch, 'cache'), '--json', join(scratch, 'replay.json')];
  const asked = [...how, '--budgets', budgets.join(','), ...files, ...scope, ...commands];
  const child = spawn(process.execPath, [...loaded.flatMap((url) => ['--import', url]), program, ...asked], {
    stdio: 'ignore',
    env: { ...process.env, ...env, SPILLWAY_REPLAY_ITEMS: join(scratch, 'items.jsonl') },
  });
  const code = await new Promise((done, fail) => child.on('error', fail).on('close', done));
  try {
    if (code !== 0) throw new Error(`replay.mjs ended with ${code}`);
    return parse(readFileSync(join(scratch, answer), 'utf8'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
