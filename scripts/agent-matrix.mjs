// The matrix of agents: each installed one (node scripts/agents.mjs) is run offline against a model
// of ours, without and with the hook, on the same calls; then commands under rules, bare and wrapped.
// `node scripts/agent-matrix.mjs` writes docs/agent-matrix.md from what happened; `--agents a,b` runs
// some and writes nothing. Needs a bundle of the program.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fakeModel } from './agents/fake-model.mjs';
import { CODE_MODE, programOf, RUNS } from './agents/runs.mjs';
import { AGENTS } from './agents.mjs';
import { root } from './toolchain.mjs';

const PROGRAM = join(root, 'packages/spillway/bin/spillway.js');
const CALLS = ['success', 'failure', 'read', 'range', 'search', 'edit', 'fetch'];
const TIMEOUT_MS = 240_000;
/** Commands that rules allow, ask for and deny, in the modes of Claude Code that ask. */
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'];
const RULES = {
  allow: ['Bash(echo:*)', 'Bash(node noisy.mjs:*)', 'Bash(tail:*)'],
  deny: ['Bash(rm:*)'],
  ask: ['Bash(git push:*)'],
};
const COMMANDS = [
  ...['echo allowed', 'node noisy.mjs | tail -1', 'echo a && rm -f x', 'rm -f x', 'node fail.mjs | head -1'],
  ...[
    'git push origin',
    'ls',
    'cat package.json',
    'touch made',
    'echo x > made2',
    'git status && rm -rf src',
  ],
  ...['cd src && touch t', 'cd /etc && touch z', 'curl http://127.0.0.1:1', 'sh -c "rm x"', 'FOO=1 rm x'],
  ...['cd ..; pwd', '`rm x`'],
];

/** All cells, and whether every decision was the same. */
export async function agentMatrix(asked, report = () => {}) {
  const rows = [];
  for (const [name, run] of [...Object.entries(RUNS), ['codex, code mode', CODE_MODE]]) {
    const agent = run.agent ?? name;
    if ((asked !== undefined && !asked.includes(agent)) || programOf(agent) === null) continue;
    const [without, withHook] = [await cells(agent, run, false), await cells(agent, run, true)];
    const row = { name, version: AGENTS[agent].package.replace(/.*@/, ''), without, withHook };
    rows.push(row);
    report(row);
  }
  const asksClaude = asked === undefined || asked.includes('claude-code');
  const differing = asksClaude && programOf('claude-code') !== null ? await differingDecisions() : null;
  return { rows, differing };
}

async function cells(agent, run, isHooked) {
  const steps = (ws) => [
    run.bash('node noisy.mjs'),
    run.bash('node fail.mjs'),
    run.read(join(ws, 'big.ts')),
    run.range(join(ws, 'big.ts'), 1_000, 1_299),
    run.search('needle', join(ws, 'src')),
    run.edit(join(ws, 'big.ts'), 'MIDDLE_MARK', 'CHANGED_MARK'),
    ([first = '']) => run.bash(/More: ([^\]\n]+)\]/.exec(first)?.[1] ?? 'echo no handle'),
  ];
  const results = await ran(agent, run, { steps, isHooked });
  return Object.fromEntries(
    CALLS.map((call, i) => {
      const { text = '', error = true } = results[i] ?? {};
      return [call, { chars: text.length, error, text }];
    }),
  );
}

/** Starts the agent in a project and a home of its own; the results that its model was sent. */
async function ran(agent, run, { steps, isHooked, args = run.args, files = {} }) {
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
    if (isHooked)
      execFileSync(process.execPath, [PROGRAM, 'hook', 'install', '--agent', agent], { cwd: ws, env });
    await ended([...programOf(agent), ...args], ws, env);
    return model.results().map(({ text, error }) => ({ text: text.replaceAll(folder, ''), error }));
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

/** Decisions of Claude Code that are not the same with the hook as without it. */
async function differingDecisions() {
  const run = RUNS['claude-code'];
  const steps = () => COMMANDS.map((command) => run.bash(command));
  const files = { '.claude/settings.json': { permissions: RULES } };
  const found = [];
  for (const mode of MODES) {
    const args = ['-p', 'go', '--permission-mode', mode];
    const [bare, wrapped] = [
      await ran('claude-code', run, { steps, isHooked: false, args, files }),
      await ran('claude-code', run, { steps, isHooked: true, args, files }),
    ];
    for (const [i, command] of COMMANDS.entries())
      if (bare[i] === undefined || JSON.stringify(bare[i]) !== JSON.stringify(wrapped[i]))
        found.push(`${mode}: ${command}`);
  }
  return found;
}

/** What does not hold of a row, a sentence each. */
export function failuresOf({ name, without, withHook }) {
  const failures = [];
  const check = (holds, what) => holds || failures.push(`${name}: ${what}`);
  const isScript = name.includes('code mode');
  for (const call of CALLS) {
    const { chars, error } = withHook[call];
    check(chars > 0, `${call} has no result`);
    const most = call === 'read' || call === 'range' ? 36_000 : call === 'fetch' ? 17_000 : 8_000;
    check(isScript || chars <= most, `${call} shows ${chars} chars`);
    check(error === without[call].error, `${call} is ${error ? '' : 'not '}flagged as an error`);
  }
  check(/exit(?:ed with)? code:? 1|exit 1/i.test(withHook.failure.text), 'the exit code is not shown');
  if (name !== 'codex') check(/E_MIDDLE_42|error true/.test(withHook.failure.text), 'the error is not shown');
  return failures;
}

function page({ rows, differing }) {
  const cell = (row, call) => {
    const [before, after] = [row.without[call].chars, row.withHook[call].chars];
    return before === after
      ? before.toLocaleString('en')
      : `${before.toLocaleString('en')} → ${after.toLocaleString('en')}`;
  };
  const lines = rows.map(
    (row) => `| ${row.name} ${row.version} | ${CALLS.map((call) => cell(row, call)).join(' | ')} |`,
  );
  const failures = rows.flatMap(failuresOf);
  const errors = rows.map(({ name, without, withHook }) => {
    const isShown = ({ text }) => (/E_MIDDLE_42|error true/.test(text) ? 'yes' : 'no');
    return `| ${name} | ${isShown(without.failure)} | ${isShown(withHook.failure)} |`;
  });
  return `# Matrix of agents

Real agents, offline, against a model of ours that makes the same calls: a command of 280 KB that
succeeds and one that fails with its error in the middle, a file of 3,000 lines, 300 lines of it, a
search with 800 hits, an edit, and the command that a notice names. Chars that the model was sent,
without the hook → with it. Written by \`node scripts/agent-matrix.mjs\` on
${new Date().toISOString().slice(0, 10)}.

| agent | ${CALLS.join(' | ')} |
|---|${CALLS.map(() => '---').join('|')}|
${lines.join('\n')}

In code mode the model's script reads the results, and prints a line about each.

The error of the command that fails, in what the model reads:

| agent | without | with |
|---|---|---|
${errors.join('\n')}

Codex cuts what a command printed before any hook sees it.

${failures.length === 0 ? 'With the hook every result was within its limit, none was flagged as an error that was\nnot one without it, and the exit code of the failing command was shown.' : `**Failed**: ${failures.join('; ')}.`}

## Decisions

Commands in Claude Code under rules that allow, ask and deny (${COMMANDS.length} commands, the modes
${MODES.join(', ')}), without the hook and with it:
${differing === null ? 'not run.' : differing.length === 0 ? 'every decision and every result was the same.' : `**${differing.join('; ')}**.`}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { agents: { type: 'string' } } });
  const matrix = await agentMatrix(values.agents?.split(','), ({ name, without, withHook }) =>
    console.log(
      name,
      CALLS.map((call) => `${call} ${without[call].chars}→${withHook[call].chars}`).join(', '),
    ),
  );
  for (const failure of [...matrix.rows.flatMap(failuresOf), ...(matrix.differing ?? [])]) {
    console.error(failure);
    process.exitCode = 1;
  }
  if (values.agents === undefined) writeFileSync(join(root, 'docs/agent-matrix.md'), page(matrix));
}
