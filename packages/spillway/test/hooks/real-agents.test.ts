/**
 * The hook inside the real agent, offline: `spillway hook install` writes its settings, a model of
 * our own makes one call with a long result, and is sent what the hook answered. Agents that are
 * not installed (scripts/agents.mjs) are skipped.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace } from '../program.ts';
import { type FakeModel, fakeModel, type ScriptedCall } from './fake-model.ts';

interface Installed {
  readonly AGENTS: Readonly<Record<string, { readonly program: readonly string[] }>>;
  readonly agentFolder: (agent: string) => string;
}

const installed: Installed = await import(new URL('../../../../scripts/agents.mjs', import.meta.url).href);
const LAST = 30_000;
const LONG = Array.from({ length: LAST }, (_, i) => `${i + 1}\n`).join('');
const COMMAND = `seq 1 ${LAST}`;

interface Run {
  readonly call: ScriptedCall;
  readonly args: readonly string[];
  env(model: FakeModel): Readonly<Record<string, string>>;
  /** Settings besides the hook, by their path in the home folder. */
  files?(model: FakeModel): Readonly<Record<string, object | string>>;
  /** Set where the agent cuts what a command printed before its hook sees it. */
  readonly isCut?: true;
}

const RUNS: Readonly<Record<string, Run>> = {
  'claude-code': {
    call: { name: 'Bash', input: { command: COMMAND, description: 'count' } },
    args: ['-p', 'go', '--allowedTools', 'Bash'],
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  gemini: {
    call: { name: 'run_shell_command', input: { command: COMMAND } },
    args: ['-p', 'go', '-y', '-m', 'gemini-2.5-pro'],
    env: ({ url }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    files: () => ({ '.gemini/settings.json': { security: { auth: { selectedType: 'gemini-api-key' } } } }),
  },
  codex: {
    call: { name: 'exec_command', input: { cmd: COMMAND } },
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', 'go'],
    env: () => ({ NO_KEY: 'none' }),
    files: ({ url }) => ({
      '.codex/config.toml': [
        'model = "gpt-5"\nmodel_provider = "fake"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"',
        `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nenv_key = "NO_KEY"\nwire_api = "responses"\n`,
      ].join('\n'),
    }),
    isCut: true,
  },
  copilot: {
    call: { name: 'bash', input: { command: COMMAND, description: 'count', mode: 'sync' } },
    args: ['-p', 'go', '--allow-all-tools'],
    env: ({ url }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'claude-sonnet-4.5',
    }),
  },
  opencode: {
    call: { name: 'bash', input: { command: COMMAND, description: 'count' } },
    args: ['run', 'go'],
    env: () => ({}),
    files: ({ url }) => ({
      '.config/opencode/opencode.json': {
        model: 'anthropic/claude-sonnet-4-5',
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'none' } } },
        autoupdate: false,
        permission: 'allow',
      },
    }),
  },
  pi: {
    call: { name: 'bash', input: { command: COMMAND } },
    args: ['-p', 'go', '--provider', 'fake', '--model', 'm'],
    env: () => ({ PI_OFFLINE: '1' }),
    files: ({ url }) => ({
      '.pi/agent/models.json': {
        providers: {
          fake: {
            baseUrl: url,
            api: 'anthropic-messages',
            apiKey: 'none',
            models: [
              {
                id: 'm',
                name: 'm',
                contextWindow: 200_000,
                maxTokens: 4_096,
                input: ['text'],
                reasoning: false,
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              },
            ],
          },
        },
      },
    }),
  },
};

describe.each(Object.entries(RUNS))('%s', (agent, run) => {
  const program = programOf(agent);
  it.skipIf(program === null)(
    'shows its model what the hook answers, and all of it can be fetched',
    async () => {
      await using model = await fakeModel([run.call]);
      const [workspace, home] = [await freshWorkspace(), await freshWorkspace()];
      for (const [name, content] of Object.entries(run.files?.(model) ?? {})) {
        await mkdir(dirname(join(home.root, name)), { recursive: true });
        await writeFile(
          join(home.root, name),
          typeof content === 'string' ? content : JSON.stringify(content),
        );
      }
      const env = { HOME: home.root, IS_SANDBOX: '1', ...run.env(model) };
      expect((await workspace.run(['hook', 'install', '--agent', agent], { env })).code).toBe(0);
      await ended([...(program ?? []), ...run.args], workspace.root, env);
      const [shown = ''] = model.results();
      expect(shown.length).toBeGreaterThan(500);
      expect(shown.length).toBeLessThanOrEqual(8_000);
      expect(shown).toContain(`\n${LAST}`);
      const [, id = ''] = /artifacts show (art_\w+)/.exec(shown) ?? [];
      const { stdout } = await workspace.run(['artifacts', 'show', id, '--raw'], { env });
      if (run.isCut === undefined) expect(stdout).toContain(LONG.trimEnd());
      else expect(stdout).toContain('truncated');
    },
    240_000,
  );
});

function programOf(agent: string): readonly string[] | null {
  const modules = join(installed.agentFolder(agent), 'node_modules');
  const words = installed.AGENTS[agent]?.program.map((word) =>
    word === 'node' ? process.execPath : join(modules, word),
  );
  if (words?.every((word) => existsSync(word))) return words;
  console.warn(`${agent} is not tested: it is not installed (node scripts/agents.mjs ${agent}).`);
  return null;
}

function ended(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 200_000,
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
}
