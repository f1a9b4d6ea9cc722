// Commands of Claude Code through the script of the hook, and bare; real agents, where they are
// installed.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentMatrix, failuresOf } from '../agent-matrix.mjs';
import { compareWays, shellFuzz } from '../agents/shell-fuzz.mjs';
import { root } from '../toolchain.mjs';

const PROGRAM = join(root, 'packages/spillway/bin/spillway.js');

export async function shellCommands({ folder, smoke, random, check, tell }) {
  const home = join(folder, 'shell');
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, SHELL: '/bin/bash', TMPDIR: home };
  execFileSync(process.execPath, [PROGRAM, 'hook', 'install', '--agent', 'claude-code'], { cwd: home, env });
  const script = join(home, '.claude', 'spillway-shell');
  const stored = async (id, cwd) =>
    execFileSync(process.execPath, [PROGRAM, 'artifacts', 'show', id, '--raw'], { cwd, env, maxBuffer: 1e9 });
  const commands = shellFuzz(random, smoke ? 60 : 2_000);
  for (const [i, command] of commands.entries()) {
    const found = await compareWays(command, { folder: join(home, 'runs'), script, env, stored });
    check(found === null, `${JSON.stringify(command)}: ${found}`);
    if (i % 500 === 499) tell(`${i + 1} commands`);
  }
  return { rounds: commands.length, numbers: [`${commands.length} commands, bare and wrapped`] };
}

export async function agents({ smoke, check, tell }) {
  const { rows, differing } = await agentMatrix(smoke ? ['pi'] : undefined, ({ name }) => tell(name), {
    quick: smoke,
  });
  for (const row of rows) for (const failure of failuresOf(row)) check(false, failure);
  check(rows.length > 0 || smoke, 'no agent is installed: node scripts/agents.mjs');
  for (const one of differing ?? []) check(false, `another decision: ${one}`);
  return { rounds: rows.length, numbers: rows.map(({ name, version }) => `${name} ${version}`) };
}
