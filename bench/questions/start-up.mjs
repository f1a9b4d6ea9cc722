// What does a person wait for who types a command?
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claudeCommand } from '../../scripts/agents/shell-fuzz.mjs';
import { hasBefore, programBefore } from '../before.mjs';
import { goalTable } from '../goals.mjs';
import { logLines } from '../inputs.mjs';
import { inTurns, summary } from '../repeat.mjs';
import { spread, times } from '../report.mjs';
import { scratchFolder } from '../scratch.mjs';

export const question =
  'How long do `spillway truncate`, `spillway hook` and `spillway exec` take for 1 KB or 20 KB, and the import of the library, beside Node doing nothing and the bare command?';

export const notes = [
  'Processor time is that of the whole process, threads included: on a busy machine it is the one to read.',
  'Every text is new, as it is for a hook.',
  'A command that fails prints 20 KB. The script is the one that `hook install` writes for Claude Code.',
  'The goals are held against processor time, the only one that other work on the machine leaves alone.',
];

const program = fileURLToPath(new URL('../../packages/spillway/bin/spillway.js', import.meta.url));
/** As users import it, and as the compiler writes it, file by file. */
const IMPORTS = [
  { name: "import '@spillway/core'", file: built('core/lib/index.js') },
  { name: "import '@spillway/core', not bundled", file: built('core/dist/index.js') },
  { name: "import 'spillway'", file: built('spillway/lib/index.js') },
];
const FAILING = ['sh', '-c', 'cat small.log; exit 3'];
const LIMIT_NAME = 'limit: node -e 0';
const CUT_LIMIT = 'code that runs for the first time';
const WHOLE_LIMIT =
  'reading compiled code back and the compilers of V8, a sixth each; the rest runs for the first time';
const CONFIG =
  'tools:\n  truncation:\n    inline_limit: 8000\n    overrides:\n      execute_command:\n        strategy: tail\n';

export async function run({ smoke }) {
  const workspace = workspaceWithFile();
  const configured = workspaceWithFile();
  mkdirSync(join(configured, '.acode'));
  writeFileSync(join(configured, '.acode', 'config.yml'), CONFIG);
  const script = installedScript(workspace);
  const used = new Map();
  const timed = ({ name, prepare = () => workspace, run }) => ({
    name,
    prepare: async () => renewed(await prepare()),
    run(folder) {
      used.set(name, [...(used.get(name) ?? []), run(folder)]);
    },
  });
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
      prepare: () => configured,
      run: () => node(configured, [program, 'truncate', 'tiny.log']),
    },
    {
      name: 'spillway truncate --no-store',
      run: () => node(workspace, [program, 'truncate', '--no-store', 'small.log']),
    },
    {
      name: 'spillway hook claude-code, cut',
      run: () => node(workspace, [program, 'hook', 'claude-code'], { input: 'small.json' }),
    },
    {
      name: 'spillway hook claude-code, shown whole',
      run: () => node(workspace, [program, 'hook', 'claude-code'], { input: 'tiny.json' }),
    },
    { name: 'true', run: () => processor(workspace, ['true']) },
    {
      name: 'spillway exec -- true',
      run: () => node(workspace, [program, 'exec', '--', 'true']),
    },
    { name: 'a command that fails', run: () => processor(workspace, FAILING, { ends: 3 }) },
    {
      name: 'the same in spillway exec, cut',
      run: () => node(workspace, [program, 'exec', '--', ...FAILING], { ends: 3 }),
    },
    {
      name: 'the same through the script of the hook, cut',
      run: () => processor(workspace, [script, claudeCommand(FAILING[2], 'cwd')], { ends: 3 }),
    },
    { name: 'spillway --version', run: () => node(workspace, [program, '--version']) },
    ...IMPORTS.map(({ name, file }) => ({ name, run: () => node(workspace, [file]) })),
    ...(hasBefore ? contendersBefore(workspace) : []),
  ].map(timed);
  // What was compiled is kept after a few runs of each.
  const warmUp = smoke ? 0 : 6;
  const measured = await inTurns(contenders, { rounds: smoke ? 2 : 15, warmUp, tidy: false });
  const usedBy = (name) => summary(used.get(name).slice(warmUp));
  const limit = measured.find(({ name }) => name === LIMIT_NAME).ms.median;
  const ratio = (name) => usedBy(name).median / usedBy(LIMIT_NAME).median;
  return [
    {
      title: 'one process, from start to end',
      columns: [
        ['', 'name'],
        ['ms (min–max)', 'ms', spread],
        ['time ÷ limit', 'ofLimit', times],
        ['processor, ms', 'used', spread],
        ['processor ÷ limit', 'usedOfLimit', times],
      ],
      rows: measured.map(({ name, ms }) => ({
        name,
        ms,
        ofLimit: ms.median / limit,
        used: usedBy(name),
        usedOfLimit: ratio(name),
      })),
    },
    goalTable([
      ...['truncate', 'hook claude-code'].flatMap((command) => [
        {
          name: `spillway ${command}, cut`,
          ratio: ratio(`spillway ${command}, cut`),
          atMost: 3,
          limit: CUT_LIMIT,
        },
        {
          name: `spillway ${command}, shown whole`,
          ratio: ratio(`spillway ${command}, shown whole`),
          atMost: 1.5,
          limit: WHOLE_LIMIT,
        },
      ]),
    ]),
  ];
}

/** The same by the program of SPILLWAY_BENCH_BEFORE. */
function contendersBefore(workspace) {
  return [
    ['truncate, cut', ['truncate', 'small.log']],
    ['truncate, shown whole', ['truncate', 'tiny.log']],
    ['hook claude-code, cut', ['hook', 'claude-code'], 'small.json'],
    ['hook claude-code, shown whole', ['hook', 'claude-code'], 'tiny.json'],
  ].map(([name, args, input]) => ({
    name: `before: ${name}`,
    run: () => node(workspace, [programBefore, ...args], { input }),
  }));
}

function built(path) {
  return fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));
}

function workspaceWithFile() {
  const workspace = scratchFolder();
  mkdirSync(join(workspace, '.git'));
  writeFileSync(join(workspace, 'small.txt'), logLines(20_000, 5));
  writeFileSync(join(workspace, 'tiny.txt'), logLines(1_000, 6));
  return workspace;
}

let round = 0;

/** New texts in a workspace: files, and what an agent tells its hook. */
function renewed(workspace) {
  round++;
  for (const name of ['small', 'tiny']) {
    const text = `${readFileSync(join(workspace, `${name}.txt`), 'utf8')}round ${round}\n`;
    writeFileSync(join(workspace, `${name}.log`), text);
    writeFileSync(join(workspace, `${name}.json`), JSON.stringify(toolCall(workspace, text)));
  }
  return workspace;
}

function toolCall(cwd, stdout) {
  return {
    session_id: 'bench',
    cwd,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: `toolu_${round}`,
    tool_input: { command: 'make' },
    tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
  };
}

/** The script through which Claude Code runs commands. */
function installedScript(home) {
  const env = { ...process.env, HOME: home };
  execFileSync(process.execPath, [program, 'hook', 'install', '--agent', 'claude-code'], { cwd: home, env });
  return join(home, '.claude', 'spillway-shell');
}

function node(cwd, args, given) {
  return processor(cwd, [process.execPath, ...args], given);
}

/** Runs a command to its end; its processor time in milliseconds, as the shell tells it. */
function processor(cwd, words, { input = '/dev/null', ends = 0 } = {}) {
  const script = 'TIMEFORMAT="%3U %3S"; input="$1"; shift; : >shown; time "$@" <"$input" >>shown 2>told';
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', input, ...words], {
    cwd,
    encoding: 'utf8',
  });
  if (status !== ends) throw new Error(`${words.join(' ')} ended with ${status}.`);
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return (user + system) * 1_000;
}
