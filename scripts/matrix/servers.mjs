// The servers of the matrix: packages of npm that run offline and want no credentials. Each has a
// call with a small result and, where it can give one, a call with a large result. `mask` is what
// two runs of the same call say differently by themselves.
import { join } from 'node:path';

const official = '2026.8.31';
const MESSAGE = Array.from({ length: 600 }, (_, i) => `word ${i} é😀 of a long message`).join('\n');

/**
 * Packages that were looked at and are not in the matrix: none of them was used through the gateway.
 * All were installed without their install scripts.
 */
export const LEFT_OUT = [
  ['@wonderwhy-er/desktop-commander 0.2.52', 'npm could not install it'],
  ['@agent-infra/mcp-server-filesystem 1.2.29', 'ended before it answered, directly'],
  ['@mako10k/mcp-shell-server 2.7.1', 'ended before it answered, directly'],
  ['@sveltejs/mcp 0.1.26', 'ended before it answered, directly'],
  ['mcp-ripgrep 0.4.0', 'needs ripgrep, which was not there'],
  ['repomix 1.18.1', 'names its results at random, so that two runs cannot be compared'],
  ['mcp-mermaid 0.4.1, mcp-echarts 0.7.1', 'draw pictures with a browser or a canvas; not tried'],
];

/** `root` is the folder with the files of files.mjs. */
export const servers = (root) => {
  const at = (name) => join(root, name);
  return [
    {
      package: '@modelcontextprotocol/server-everything',
      version: official,
      small: ['get-structured-content', { location: 'Chicago' }],
      large: ['echo', { message: MESSAGE }],
    },
    {
      package: '@modelcontextprotocol/server-filesystem',
      version: official,
      args: [root],
      small: ['read_text_file', { path: at('small.txt') }],
      large: ['read_text_file', { path: at('large.log') }],
    },
    {
      package: '@modelcontextprotocol/server-memory',
      version: official,
      env: { MEMORY_FILE_PATH: at('memory.jsonl') },
      small: ['open_nodes', { names: ['entity 3'] }],
      large: ['read_graph', {}],
    },
    {
      package: '@modelcontextprotocol/server-sequential-thinking',
      version: official,
      small: [
        'sequentialthinking',
        { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      ],
      // Behind a proxy all clients share one server, which counts.
      mask: /(?<=thoughtHistoryLength\\*":\s*(\\n\s*)?)\d+/g,
    },
    {
      package: '@modelcontextprotocol/server-pdf',
      version: '2.0.4',
      args: ['--stdio', at('paper.pdf')],
      small: ['list_pdfs', {}],
      large: ['read_pdf_bytes', { url: at('paper.pdf'), byteCount: 200_000 }],
    },
    {
      package: '@cyanheads/git-mcp-server',
      version: '2.15.3',
      env: { MCP_LOG_LEVEL: 'error', GIT_BASE_DIR: root },
      small: ['git_branch', { path: at('repository'), mode: 'list' }],
      large: ['git_show', { path: at('repository'), object: 'HEAD' }],
    },
    {
      package: '@eslint/mcp',
      version: '0.3.13',
      small: ['lint-files', { filePaths: [at('lint/small.js')] }],
      large: ['lint-files', { filePaths: [at('lint/large.js')] }],
    },
    {
      package: '@kazuph/mcp-taskmanager',
      version: '1.1.1',
      env: { TASK_MANAGER_FILE_PATH: at('tasks.json') },
      small: ['get_next_task', { requestId: 'req-1' }],
      large: ['list_requests', {}],
    },
    {
      package: '@agent-infra/mcp-server-commands',
      version: '1.2.18',
      small: ['run_command', { command: 'cat small.txt', cwd: root }],
      large: ['run_command', { command: 'cat large.log', cwd: root }],
    },
    {
      package: 'mcp-server-commands',
      version: '0.5.0',
      small: ['run_command', { command: 'cat small.txt; exit 3', workdir: root }],
      large: ['run_command', { command: 'cat large.log; cat small.txt >&2', workdir: root }],
    },
    {
      package: 'mcp-server-code-runner',
      version: '0.1.8',
      small: ['run-code', { languageId: 'javascript', code: 'console.log(6 * 7)' }],
      large: [
        'run-code',
        {
          languageId: 'javascript',
          code: 'for (let i = 0; i < 3000; i++) console.log("step", i, i * i)',
        },
      ],
    },
    {
      package: 'fast-filesystem-mcp',
      version: '3.5.2',
      args: ['--allow', root],
      small: ['fast_read_file', { path: at('small.txt') }],
      large: ['fast_read_file', { path: at('large.log') }],
    },
    {
      package: 'mcp-filesystem-server',
      version: '1.0.3',
      args: [root],
      small: ['read_file', { path: at('small.txt') }],
      large: ['read_file', { path: at('large.log') }],
    },
    {
      package: 'mcp-hello-world',
      version: '1.1.2',
      small: ['add', { a: 2, b: 3 }],
      large: ['echo', { message: MESSAGE }],
    },
    { package: '@wrtnlabs/calculator-mcp', version: '0.2.1', small: ['mul', { a: 6, b: 7 }] },
    { package: 'time-mcp', version: '1.0.6', small: ['days_in_month', { date: '2024-02-01' }] },
  ];
};
