// What does a person wait for who types a command?
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logLines } from '../inputs.mjs';
import { inTurns } from '../repeat.mjs';
import { spread, times } from '../report.mjs';
import { scratchFolder } from '../scratch.mjs';

export const question =
  'How long does `spillway truncate` take on a file of 1 KB or 20 KB, beside Node doing nothing?';

const program = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));
const LIMIT_NAME = 'limit: node -e 0';
const CONFIG =
  'tools:\n  truncation:\n    inline_limit: 8000\n    overrides:\n      execute_command:\n        strategy: tail\n';

export async function run({ smoke }) {
  const workspace = workspaceWithFile();
  const configured = workspaceWithFile();
  mkdirSync(join(configured, '.acode'));
  writeFileSync(join(configured, '.acode', 'config.yml'), CONFIG);
  const contenders = [
    { name: LIMIT_NAME, run: () => node(workspace, ['-e', '0']) },
    {
      name: 'spillway truncate, first in a workspace (makes the store)',
      prepare: workspaceWithFile,
      run: (fresh) => node(fresh, [program, 'truncate', 'small.log']),
    },
    { name: 'spillway truncate, cut', run: () => node(workspace, [program, 'truncate', 'small.log']) },
    { name: 'spillway truncate, shown whole', run: () => node(workspace, [program, 'truncate', 'tiny.log']) },
    {
      name: 'spillway truncate, shown whole, with a configuration file',
      run: () => node(configured, [program, 'truncate', 'tiny.log']),
    },
    {
      name: 'spillway truncate --no-store',
      run: () => node(workspace, [program, 'truncate', '--no-store', 'small.log']),
    },
    { name: 'spillway --version', run: () => node(workspace, [program, '--version']) },
  ];
  const measured = await inTurns(contenders, { rounds: smoke ? 2 : 15, warmUp: smoke ? 0 : 2, tidy: false });
  const limit = measured.find(({ name }) => name === LIMIT_NAME).ms.median;
  return [
    {
      title: 'one process, from start to end',
      columns: [
        ['', 'name'],
        ['ms (min–max)', 'ms', spread],
        ['time ÷ limit', 'ofLimit', times],
      ],
      rows: measured.map(({ name, ms }) => ({ name, ms, ofLimit: ms.median / limit })),
    },
  ];
}

function workspaceWithFile() {
  const workspace = scratchFolder();
  writeFileSync(join(workspace, 'small.log'), logLines(20_000, 5));
  writeFileSync(join(workspace, 'tiny.log'), logLines(1_000, 6));
  return workspace;
}

function node(cwd, args) {
  execFileSync(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
}
