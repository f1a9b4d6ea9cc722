// Runs an agent in a project and a home of its own, with what `spillway` installs there.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../toolchain.mjs';
import { fakeModel } from './fake-model.mjs';
import { programOf } from './runs.mjs';

const PROGRAM = join(root, 'packages/spillway/bin/spillway.js');
const TIMEOUT_MS = 240_000;

/**
 * Starts the agent in a project and a home of its own; the results that its model was sent. `stuck`:
 * a file that a hook which never ends leaves behind, in place of ours.
 */
export async function ran(agent, run, { steps, installed, args = run.args, files = {}, stuck }) {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-agents-'));
  const [ws, home] = [join(folder, 'ws'), join(folder, 'home')];
  try {
    layOut(ws);
    mkdirSync(home);
    await using model = await fakeModel(steps(ws));
    for (const [name, content] of Object.entries({ ...run.files?.(model), ...files })) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      SHELL: '/bin/bash',
      IS_SANDBOX: '1',
      ...run.env(model),
    };
    for (const what of installed) {
      const whose = what === 'hook' ? ['--agent', agent] : ['--client', run.client];
      const report = execFileSync(process.execPath, [PROGRAM, what, 'install', ...whose, '--json'], {
        cwd: ws,
        env,
      });
      if (what === 'hook' && stuck !== undefined) writeStuck(JSON.parse(report).file, join(ws, stuck));
    }
    await ended([...programOf(agent), ...args], ws, env);
    const results = model.results().map(({ text, error }) => ({ text: text.replaceAll(folder, ''), error }));
    return stuck === undefined || existsSync(join(ws, stuck)) ? results : [];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function ended([program, ...args], cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'ignore', timeout: TIMEOUT_MS });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

/** A noisy command that succeeds, one that fails with its error in the middle, a long file, hits. */
function layOut(ws) {
  mkdirSync(join(ws, 'src'), { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: ws });
  for (const [name, code] of [
    ['noisy.mjs', 0],
    ['fail.mjs', 1],
  ])
    writeFileSync(
      join(ws, name),
      `let s = ''; for (let i = 1; i <= 4200; i++) s += i === 2100 ? 'ERROR: E_MIDDLE_42 connection refused\\n' : 'step ' + i + ' ok: compiled module number ' + i * 7 + ' in ' + (i % 13) + ' ms, cache hit\\n'; process.stdout.write(s); process.exitCode = ${code};`,
    );
  const lines = Array.from({ length: 3_000 }, (_, i) => {
    const value = i === 1_499 ? "'MIDDLE_MARK'" : (i + 1) * 3;
    return `export const value${i + 1} = ${value}; // line ${i + 1} of the big file, with words\n`;
  });
  writeFileSync(join(ws, 'big.ts'), lines.join(''));
  for (let f = 0; f < 40; f++)
    writeFileSync(
      join(ws, 'src', `mod${f}.ts`),
      `const needle_${f} = compute(${f}); // a hit for the search\n`.repeat(20),
    );
}

/** Puts a program that never ends into settings, and a tenth of the time that the agent waits. */
function writeStuck(file, started) {
  const program = `${started}.sh`;
  const spinning = `echo >> '${started}'; exec '${process.execPath}' -e 'for (;;);'`;
  writeFileSync(program, `#!/bin/sh\n${spinning}\n`, { mode: 0o755 });
  const settings = readFileSync(file, 'utf8');
  const changed = settings.startsWith('//')
    ? settings.replace(/spillway\(\[[^\]]*\]\)/, `spillway(["${program}"])`)
    : settings
        .replace(/("(?:command|bash|powershell)": ?)"[^"\n]*spillway[^"\n]*"/g, `$1"${program}"`)
        .replace(/("timeout(?:Sec)?": ?)60(000)?\b/, (_, key, thousands = '') => `${key}6${thousands}`);
  writeFileSync(file, changed);
}
