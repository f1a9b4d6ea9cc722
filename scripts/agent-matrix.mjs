// The matrix of agents: each one is run offline against a model of ours, without and with the hook, on
// the same calls; then with an MCP server, directly and through the gateway; then commands under
// rules, bare and wrapped. `node scripts/agent-matrix.mjs` runs those that are installed
// (node scripts/agents.mjs) and writes docs/agent-matrix.md; `--agents a,b` runs some and writes
// nothing; `--sample` installs a small one first, and says so if that cannot be done. Needs a bundle of
// the program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ran } from './agents/project.mjs';
import { CODE_MODE, programOf, RUNS } from './agents/runs.mjs';
import { AGENTS, installSample } from './agents.mjs';
import { reportCounts } from './counts.mjs';
import { root } from './toolchain.mjs';

const CALLS = ['success', 'failure', 'read', 'range', 'search', 'edit', 'fetch'];
/** What is installed besides the agent, where its model calls a tool of an MCP server. */
const WAYS = { without: [], gateway: ['mcp'], both: ['hook', 'mcp'] };
/** The tool that a notice of the gateway names. */
const NAMED = /(\w*get_artifact)\(artifact_id="(art_\w+)"/;
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

/**
 * All cells, and whether every decision was the same. `quick` leaves out hooks that are stuck: an agent
 * waits a minute for one.
 */
export async function agentMatrix(asked, report = () => {}, { quick = false } = {}) {
  const rows = [];
  for (const [name, run] of [...Object.entries(RUNS), ['codex, code mode', CODE_MODE]]) {
    const agent = run.agent ?? name;
    if ((asked !== undefined && !asked.includes(agent)) || programOf(agent) === null) continue;
    const [without, withHook] = [await cells(agent, run, []), await cells(agent, run, ['hook'])];
    const mcp = run.client === undefined ? null : await mcpCells(agent, run);
    const version = AGENTS[agent].package.replace(/.*@/, '');
    const row = { name, version, without, withHook, mcp, stuck: quick ? null : await stuckCell(agent, run) };
    rows.push(row);
    report(row);
  }
  const asksClaude = asked === undefined || asked.includes('claude-code');
  const differing = asksClaude && programOf('claude-code') !== null ? await differingDecisions() : null;
  return { rows, differing };
}

async function cells(agent, run, installed) {
  const steps = (ws) => [
    run.bash('node noisy.mjs'),
    run.bash('node fail.mjs'),
    run.read(join(ws, 'big.ts')),
    run.range(join(ws, 'big.ts'), 1_000, 1_299),
    run.search('needle', join(ws, 'src')),
    run.edit(join(ws, 'big.ts'), 'MIDDLE_MARK', 'CHANGED_MARK'),
    ([first = '']) => run.bash(/More: ([^\]\n]+)\]/.exec(first)?.[1] ?? 'echo no handle'),
  ];
  const results = await ran(agent, run, { steps, installed });
  return Object.fromEntries(
    CALLS.map((call, i) => {
      const { text = '', error = true } = results[i] ?? {};
      return [call, { chars: text.length, error, text }];
    }),
  );
}

/** A long result of an MCP server: without the gateway, through it, and through it under the hook. */
async function mcpCells(agent, run) {
  const steps = () => [
    ...(run.finds === undefined ? [] : [run.finds('emit')]),
    (_, tools) => run.mcp('emit', { chars: 60_000 })(tools),
    (results, tools) => {
      const [, name = 'echo', id = ''] = NAMED.exec(results.at(-1) ?? '') ?? [];
      return run.mcp(name, id === '' ? {} : { artifact_id: id, pattern: 'line 500 ' })(tools);
    },
    ...(run.finds === undefined ? [] : [run.finds('rows')]),
    // JSON, whose notice is a block of its own.
    (_, tools) => run.mcp('rows', { rows: 2_000 })(tools),
  ];
  const found = {};
  for (const [way, installed] of Object.entries(WAYS)) {
    const results = await ran(agent, run, { steps, installed });
    const [{ text = '', error = true } = {}, fetched] = results.slice(run.finds === undefined ? 0 : 1);
    found[way] = {
      chars: text.length,
      error,
      text,
      fetched: fetched?.text ?? '',
      rows: results.at(-1)?.text ?? '',
    };
  }
  return found;
}

/** What the model is sent where the hook never ends: the agent ends it, and the result passes. */
async function stuckCell(agent, run) {
  const steps = () => [run.bash('seq 1 300')];
  const [result] = await ran(agent, run, { steps, installed: ['hook'], stuck: 'started' });
  return result?.text ?? '';
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
      await ran('claude-code', run, { steps, installed: [], args, files }),
      await ran('claude-code', run, { steps, installed: ['hook'], args, files }),
    ];
    for (const [i, command] of COMMANDS.entries())
      if (bare[i] === undefined || JSON.stringify(bare[i]) !== JSON.stringify(wrapped[i]))
        found.push(`${mode}: ${command}`);
  }
  return found;
}

/** What does not hold of a row, a sentence each. */
export function failuresOf({ name, without, withHook, mcp, stuck }) {
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
  check(
    isScript || stuck === null || stuck.includes('\n150\n151\n'),
    'a hook that is stuck keeps the result back',
  );
  for (const [way, { chars, error, text, fetched, rows }] of Object.entries(mcp ?? {})) {
    check(chars > 0 && !error, `${way}: MCP has no result`);
    if (NAMED.test(text))
      check(fetched.includes('line 500 '), `${way}: the tool that is named fetches nothing`);
    for (const shown of [text, rows])
      check(shown.split('[Showing ').length <= 2, `${way}: a result is cut twice`);
  }
  for (const chars of mcp === null ? [] : [mcp.both.chars, mcp.both.rows.length])
    check(chars <= 8_000, `MCP under hook and gateway shows ${chars} chars`);
  return failures;
}

function page({ rows, differing }) {
  const cell = (...chars) => [...new Set(chars)].map((each) => each.toLocaleString('en')).join(' → ');
  const lines = rows.map(({ name, version, without, withHook }) => {
    const cells = CALLS.map((call) => cell(without[call].chars, withHook[call].chars));
    return `| ${name} ${version} | ${cells.join(' | ')} |`;
  });
  const servers = rows.flatMap(({ name, mcp }) =>
    mcp === null
      ? []
      : [
          `| ${name} | ${cell(mcp.without.chars, mcp.gateway.chars)} | ${cell(mcp.without.chars, mcp.both.chars)} |`,
        ],
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

Codex cuts what a command printed before any hook sees it, and keeps 64 KB of it elsewhere.

${failures.length === 0 ? 'With the hook every result was within its limit, none was flagged as an error that was\nnot one without it, and the exit code of the failing command was shown. Every agent ended a hook\nthat was stuck, and its model was sent the result as it was.' : `**Failed**: ${failures.join('; ')}.`}

## MCP

A result of 60,000 chars of an MCP server: without the gateway → through it, and under hook and
gateway together. Where the notice names a tool, the model called it and got the line that it asked
for. pi takes no servers. For Codex, whose models write programs, the gateway stores results and
cuts none.

| agent | MCP | hook + gateway |
|---|---|---|
${servers.join('\n')}

## Decisions

Commands in Claude Code under rules that allow, ask and deny (${COMMANDS.length} commands, the modes
${MODES.join(', ')}), without the hook and with it:
${differing === null ? 'not run.' : differing.length === 0 ? 'every decision and every result was the same.' : `**${differing.join('; ')}**.`}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { agents: { type: 'string' }, sample: { type: 'boolean' } } });
  const sample = values.sample === true ? installSample() : null;
  const asked = sample?.installed ?? values.agents?.split(',');
  const report = ({ name, without, withHook }) =>
    console.log(
      name,
      CALLS.map((call) => `${call} ${without[call].chars}→${withHook[call].chars}`).join(', '),
    );
  const matrix = await agentMatrix(asked, report, { quick: sample !== null });
  const failures = [...matrix.rows.flatMap(failuresOf), ...(matrix.differing ?? [])];
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
  const passed = matrix.rows.length * CALLS.length - failures.length;
  const skipped = (sample?.missing.length ?? 0) * CALLS.length;
  reportCounts({ passed: Math.max(0, passed), failed: failures.length, skipped, failures });
  if (asked === undefined) writeFileSync(join(root, 'docs/agent-matrix.md'), page(matrix));
}
