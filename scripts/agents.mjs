// Installs agents from npm into .cache/agents/, for the matrix that runs a hook inside the real agent:
// node scripts/agents.mjs [NAME …]. They are no dependencies: most have hundreds of megabytes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './toolchain.mjs';

/** The package of each agent, and the file of it that is run. Cursor is not on npm. */
export const AGENTS = {
  'claude-code': {
    package: '@anthropic-ai/claude-code@2.1.325',
    program: ['@anthropic-ai/claude-code/bin/claude.exe'],
  },
  gemini: { package: '@google/gemini-cli@0.61.0', program: ['node', '@google/gemini-cli/bundle/gemini.js'] },
  codex: { package: '@openai/codex@0.166.0', program: ['node', '@openai/codex/bin/codex.js'] },
  copilot: { package: '@github/copilot@1.0.102', program: ['node', '@github/copilot/npm-loader.js'] },
  opencode: { package: 'opencode-ai@1.18.33', program: ['.bin/opencode'] },
  // 1.5.0 of npm does not install: one of its dependencies is missing.
  pi: {
    package: '@earendil-works/pi-coding-agent@0.87.1',
    program: ['node', '@earendil-works/pi-coding-agent/dist/bundle/cli.js'],
  },
};

/** Where an agent is installed. */
export function agentFolder(name) {
  return join(root, '.cache', 'agents', name);
}

/** Small and quick enough for `npm run verify`. */
const SAMPLE = ['pi'];

/** Installs the sample, unless it is there in its version; what npm does not give is missing. */
export function installSample() {
  const missing = SAMPLE.filter((name) => !isInstalled(name) && !install(name));
  for (const name of missing) console.warn(`${name} is not run: npm could not install it. That is skipped.`);
  return { installed: SAMPLE.filter((name) => !missing.includes(name)), missing };
}

function isInstalled(name) {
  const [, id, version] = /^(.+)@(.+)$/.exec(AGENTS[name].package);
  const manifest = join(agentFolder(name), 'node_modules', id, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
}

function install(name) {
  const folder = agentFolder(name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--fetch-retries=1', AGENTS[name].package];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', timeout: 300_000 });
  console.log(status === 0 ? `${name} is in ${folder}` : `${name} could not be installed`);
  return status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const names = asked.length === 0 ? Object.keys(AGENTS) : asked;
  if (!names.map(install).every(Boolean)) process.exitCode = 1;
}
