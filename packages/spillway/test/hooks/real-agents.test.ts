/**
 * The hook inside the real agent, offline: `spillway hook install` writes its settings, a model of
 * our own makes one call with a long result, and is sent what the hook answered. Agents that are
 * not installed (scripts/agents.mjs) are skipped.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshWorkspace } from '../program.ts';

interface Result {
  readonly text: string;
  readonly error: boolean;
}

interface FakeModel extends AsyncDisposable {
  readonly url: string;
  results(): readonly Result[];
}

interface Run {
  readonly args: readonly string[];
  env(model: FakeModel): Readonly<Record<string, string>>;
  /** Settings besides the hook, by their path in the home folder. */
  files?(model: FakeModel): Readonly<Record<string, object | string>>;
  /** Set where the agent cuts what a command printed before its hook sees it. */
  readonly isCut?: true;
  /** A call of the agent's shell. */
  bash(command: string): object;
}

const script = (name: string) =>
  import(new URL(`../../../../scripts/agents/${name}.mjs`, import.meta.url).href);
const { RUNS, programOf }: { RUNS: Record<string, Run>; programOf(agent: string): readonly string[] | null } =
  await script('runs');
const { fakeModel }: { fakeModel(steps: readonly object[]): Promise<FakeModel> } = await script('fake-model');
const LAST = 30_000;
const LONG = Array.from({ length: LAST }, (_, i) => `${i + 1}\n`).join('');
const COMMAND = `seq 1 ${LAST}`;
const FAILING = `seq 1 ${LAST}; echo 'ERROR: it broke'; seq 1 ${LAST}; exit 3`;

describe.each(Object.entries(RUNS))('%s', (agent, run) => {
  const program = installed(agent);
  it.skipIf(program === null)(
    'shows its model what the hook answers, and all of it can be fetched',
    async () => {
      await using model = await fakeModel([run.bash(COMMAND), run.bash(FAILING)]);
      const { workspace, env } = await installedHook(agent, run, model);
      await ended([...(program ?? []), ...run.args], workspace.root, env);
      const [{ text: shown, error } = { text: '', error: true }, failed] = model.results();
      expect(error).toBe(false);
      expect(shown.length).toBeGreaterThan(500);
      expect(shown.length).toBeLessThanOrEqual(8_000);
      expect(shown).toContain(`\n${LAST}`);
      const [, id = ''] = /artifacts show (art_\w+)/.exec(shown) ?? [];
      const { stdout } = await workspace.run(['artifacts', 'show', id, '--raw'], { env });
      if (run.isCut === undefined) expect(stdout).toContain(LONG.trimEnd());
      else expect(stdout).toContain('truncated');
      expect(failed?.text.length).toBeLessThanOrEqual(8_000);
      expect(failed?.text).toMatch(/exit(?:ed with)? code:? 3/i);
      if (run.isCut === undefined) expect(failed?.text).toContain('ERROR: it broke');
    },
    240_000,
  );

  it.skipIf(program === null)(
    'ends a hook that is stuck, and shows its model the result as it was',
    async () => {
      await using model = await fakeModel([run.bash('seq 1 300')]);
      const { workspace, env, file } = await installedHook(agent, run, model);
      const stuck = join(workspace.root, 'stuck.sh');
      const spinning = `echo >> started; exec '${process.execPath}' -e 'for (;;);'`;
      await writeFile(stuck, `#!/bin/sh\ncd '${workspace.root}'; ${spinning}\n`, { mode: 0o755 });
      await writeFile(file, withCommand(await readFile(file, 'utf8'), stuck));
      await ended([...(program ?? []), ...run.args], workspace.root, env);
      expect(existsSync(join(workspace.root, 'started'))).toBe(true);
      expect(model.results()[0]?.text).toContain('\n150\n151\n');
    },
    240_000,
  );
});

async function installedHook(agent: string, run: Run, model: FakeModel) {
  const [workspace, home] = [await freshWorkspace(), await freshWorkspace()];
  for (const [name, content] of Object.entries(run.files?.(model) ?? {})) {
    await mkdir(dirname(join(home.root, name)), { recursive: true });
    await writeFile(join(home.root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const env = { HOME: home.root, IS_SANDBOX: '1', ...run.env(model) };
  const { code, stdout } = await workspace.run(['hook', 'install', '--agent', agent, '--json'], { env });
  expect(code).toBe(0);
  return { workspace, env, file: String(JSON.parse(stdout).file) };
}

/** The settings with another program in the hook, and a tenth of the time that the agent waits. */
function withCommand(settings: string, program: string): string {
  if (settings.startsWith('//'))
    return settings.replace(/spillway\(\[[^\]]*\]\)/, `spillway(["${program}"])`);
  return settings
    .replace(/("(?:command|bash|powershell)": ?)"[^"\n]*spillway[^"\n]*"/g, `$1"${program}"`)
    .replace(/("timeout(?:Sec)?": ?)60(000)?\b/, (_, key: string, thousands = '') => `${key}6${thousands}`);
}

function installed(agent: string): readonly string[] | null {
  const words = programOf(agent);
  if (words === null)
    console.warn(`${agent} is not tested: it is not installed (node scripts/agents.mjs ${agent}).`);
  return words;
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
