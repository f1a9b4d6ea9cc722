// The program of the campaign: installed from the packed packages (in a sample, the one of the
// workspace), run as a user runs it. Each run is a process in a workspace of its own folder;
// `peakMb` is the most memory that it had resident.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createReadStream, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPacked } from '../packed.mjs';
import { watchOver } from './processes.mjs';
import { removeFolder } from './remove-folder.mjs';

const PEAK = fileURLToPath(new URL('peak.cjs', import.meta.url));
const SOURCES = fileURLToPath(new URL('../../packages/spillway', import.meta.url));

let installed;

/** The file that starts it. */
export function programFile(scene) {
  return join(programFolder(scene), 'bin', 'spillway.js');
}

/** Where the program is: packed and installed once, whoever asks first. */
function programFolder({ folder, smoke }) {
  installed ??= smoke
    ? SOURCES
    : join(installPacked(mkdtempSync(join(folder, 'packed-')), ['pg']), 'node_modules', 'spillway');
  return installed;
}

/** A folder to run it in. */
export function newWorkspace(scene, name) {
  const root = join(scene.folder, name);
  mkdirSync(join(root, '.git'), { recursive: true });
  // A sample runs beside other tests, where the heap grows for want of time to collect it.
  return { root, program: programFile(scene), env: scene.smoke ? { PEAK_COLLECT: '1' } : {} };
}

/**
 * Starts it. `input` is a file, a generator of chunks, or `open` for whoever writes himself. What
 * it prints goes into the file `to`, or is hashed and its first 64 KB kept.
 */
export function start({ root, program, env }, args, { input, to } = {}) {
  const peakFile = join(mkdtempSync(join(tmpdir(), 'spillway-peak-')), 'peak');
  const output = to === undefined ? 'pipe' : openSync(to, 'w');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: root,
      NODE_OPTIONS: `--require ${JSON.stringify(PEAK)}`,
      PEAK_FILE: peakFile,
      ...env,
    },
    stdio: ['pipe', output, 'pipe'],
  });
  watchOver(child);
  if (to !== undefined) closeSync(output);
  const hash = createHash('sha256');
  const seen = { stdout: '', stderr: '', bytes: 0 };
  child.stdout?.on('data', (data) => {
    hash.update(data);
    seen.bytes += data.length;
    if (seen.stdout.length < 65_536) seen.stdout += data;
  });
  child.stderr.on('data', (data) => {
    seen.stderr = (seen.stderr + data).slice(-65_536);
  });
  child.stdin.on('error', () => {});
  if (input !== 'open') feed(child.stdin, input);
  const ended = once(child, 'close').then(([code, signal]) => {
    const peakMb = Number(textOf(peakFile));
    removeFolder(join(peakFile, '..'));
    return { code, signal, ...seen, sha256: hash.digest('hex'), peakMb };
  });
  return { child, ended, seen };
}

export async function run(workspace, args, options) {
  return start(workspace, args, options).ended;
}

async function feed(stdin, input) {
  const chunks = typeof input === 'string' ? createReadStream(input) : (input ?? []);
  try {
    for await (const chunk of chunks) if (!stdin.write(chunk)) await once(stdin, 'drain');
  } catch {
    // It has gone: what it did with what it had is what is looked at.
  }
  stdin.end();
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It was killed.
    return 'NaN';
  }
}
