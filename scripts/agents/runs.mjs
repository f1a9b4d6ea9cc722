// How each agent is started against a model of ours: its arguments, variables, settings besides the
// hook, how it spells the calls of the matrix, and the name under which `spillway mcp install` knows
// it. Every agent that takes MCP servers has one called `lab`. `model` has a `url`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS, agentFolder } from '../agents.mjs';
import { root } from '../toolchain.mjs';

const LAB = {
  command: process.execPath,
  args: [join(root, 'packages/spillway/test/gateway/raw-server.mjs')],
};

/** A call of a tool of `lab`, by the name that the agent gives it. */
const ofLab = (name, input) => (tools) => {
  const found = tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name?.endsWith(name));
  return { ...found, name: found?.name ?? name, input };
};

const codexSettings = (model) => (url) => ({
  '.codex/config.toml': [
    `model = "${model}"\nmodel_provider = "fake"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"`,
    `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nenv_key = "NO_KEY"\nwire_api = "responses"\n`,
    `[mcp_servers.lab]\ncommand = ${JSON.stringify(LAB.command)}\nargs = ${JSON.stringify(LAB.args)}\n`,
  ].join('\n'),
});

const shell =
  (name, more = {}) =>
  (command) => ({ name, input: { command, ...more } });
const codexShell = (cmd) => ({ name: 'exec_command', input: { cmd } });
const codexScript = (cmd) => ({
  name: 'exec',
  input: `const r = await tools.exec_command({ cmd: ${JSON.stringify(cmd)}, max_output_tokens: 200000 }); text('exit ' + r.exit_code + ', chars ' + r.output.length + ', error ' + r.output.includes('E_MIDDLE_42'));`,
});

export const RUNS = {
  'claude-code': {
    args: ['-p', 'go', '--allowedTools', 'Bash,Read,Edit,Grep,ToolSearch,mcp__lab'],
    client: 'claude-code',
    files: () => ({ '.claude.json': { mcpServers: { lab: LAB } } }),
    // Its model has to look for the tools of servers first.
    finds: (tool) => ({ name: 'ToolSearch', input: { query: `select:mcp__lab__${tool}`, max_results: 5 } }),
    mcp: ofLab,
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    bash: shell('Bash', { description: 'x' }),
    read: (path) => ({ name: 'Read', input: { file_path: path } }),
    range: (path, first, last) => ({
      name: 'Read',
      input: { file_path: path, offset: first, limit: last - first + 1 },
    }),
    search: (pattern, path) => ({
      name: 'Grep',
      input: { pattern, path, output_mode: 'content', '-n': true, head_limit: 0 },
    }),
    edit: (path, before, after) => ({
      name: 'Edit',
      input: { file_path: path, old_string: before, new_string: after },
    }),
  },
  gemini: {
    args: ['-p', 'go', '-y', '-m', 'gemini-2.5-pro'],
    env: ({ url }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    client: 'gemini-cli',
    files: () => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' } },
        mcpServers: { lab: { ...LAB, trust: true } },
      },
    }),
    mcp: ofLab,
    bash: shell('run_shell_command'),
    read: (path) => ({ name: 'read_file', input: { file_path: path } }),
    range: (path, start_line, end_line) => ({
      name: 'read_file',
      input: { file_path: path, start_line, end_line },
    }),
    search: (pattern) => ({ name: 'grep_search', input: { pattern, total_max_matches: 5_000 } }),
    edit: (path, old_string, new_string) => ({
      name: 'replace',
      input: { file_path: path, instruction: 'change', old_string, new_string },
    }),
  },
  codex: {
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', 'go'],
    env: () => ({ NO_KEY: 'none' }),
    client: 'codex',
    files: ({ url }) => codexSettings('gpt-5.5')(url),
    mcp: (name, input) => () => ({ name, namespace: 'mcp__lab', input }),
    bash: codexShell,
    read: (path) => codexShell(`cat ${path}`),
    range: (path, first, last) => codexShell(`sed -n ${first},${last}p ${path}`),
    search: (pattern, path) => codexShell(`grep -rn ${pattern} ${path}`),
    edit: (path, before, after) => codexShell(`sed -i 's/${before}/${after}/' ${path} && echo edited`),
  },
  copilot: {
    args: ['-p', 'go', '--allow-all-tools', '--allow-all-paths'],
    client: 'copilot',
    files: () => ({
      '.copilot/mcp-config.json': { mcpServers: { lab: { type: 'local', ...LAB, tools: ['*'] } } },
    }),
    mcp: ofLab,
    env: ({ url }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'claude-sonnet-4.5',
    }),
    bash: shell('bash', { description: 'x', mode: 'sync' }),
    read: (path) => ({ name: 'view', input: { path, forceReadLargeFiles: true } }),
    range: (path, first, last) => ({ name: 'view', input: { path, view_range: [first, last] } }),
    search: (pattern, paths) => ({
      name: 'grep',
      input: { pattern, paths, output_mode: 'content', '-n': true },
    }),
    edit: (path, old_str, new_str) => ({ name: 'edit', input: { path, old_str, new_str } }),
  },
  opencode: {
    args: ['run', 'go'],
    env: () => ({}),
    files: ({ url }) => ({
      '.config/opencode/opencode.json': {
        model: 'anthropic/claude-sonnet-4-5',
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'none' } } },
        autoupdate: false,
        permission: 'allow',
        mcp: { lab: { type: 'local', command: [LAB.command, ...LAB.args], enabled: true } },
      },
    }),
    client: 'opencode',
    mcp: ofLab,
    bash: shell('bash', { description: 'x' }),
    read: (filePath) => ({ name: 'read', input: { filePath } }),
    range: (filePath, first, last) => ({
      name: 'read',
      input: { filePath, offset: first, limit: last - first + 1 },
    }),
    search: (pattern, path) => ({ name: 'grep', input: { pattern, path } }),
    edit: (filePath, oldString, newString) => ({ name: 'edit', input: { filePath, oldString, newString } }),
  },
  pi: {
    args: ['-p', 'go', '--provider', 'fake', '--model', 'm'],
    env: () => ({ PI_OFFLINE: '1' }),
    files: ({ url }) => ({ '.pi/agent/models.json': { providers: { fake: piProvider(url) } } }),
    bash: shell('bash'),
    read: (path) => ({ name: 'read', input: { path } }),
    range: (path, first, last) => ({ name: 'read', input: { path, offset: first, limit: last - first + 1 } }),
    search: (pattern, path) => shell('bash')(`grep -rn ${pattern} ${path}`),
    edit: (path, oldText, newText) => ({ name: 'edit', input: { path, edits: [{ oldText, newText }] } }),
  },
};

/** Codex with a model that writes scripts around its tools. */
export const CODE_MODE = {
  ...RUNS.codex,
  agent: 'codex',
  files: ({ url }) => codexSettings('gpt-6.1-sol')(url),
  bash: codexScript,
  read: (path) => codexScript(`cat ${path}`),
  range: (path, first, last) => codexScript(`sed -n ${first},${last}p ${path}`),
  search: (pattern, path) => codexScript(`grep -rn ${pattern} ${path}`),
  edit: (path, before, after) => codexScript(`sed -i 's/${before}/${after}/' ${path} && echo edited`),
  mcp: (name, input) => () => ({
    name: 'exec',
    input: `const r = await tools.mcp__lab__${name}(${JSON.stringify(input)}); text('chars ' + r.content[0].text.length + ', blocks ' + r.content.length);`,
  }),
};

function piProvider(url) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: 'm',
    name: 'm',
    contextWindow: 200_000,
    maxTokens: 4_096,
    input: ['text'],
    reasoning: false,
    cost,
  };
  return { baseUrl: url, api: 'anthropic-messages', apiKey: 'none', models: [model] };
}

/** The words that start an installed agent; null if it is not there. */
export function programOf(agent) {
  const modules = join(agentFolder(agent), 'node_modules');
  const words = AGENTS[agent].program.map((word) =>
    word === 'node' ? process.execPath : join(modules, word),
  );
  return words.every((word) => existsSync(word)) ? words : null;
}
