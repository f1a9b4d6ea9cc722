/**
 * `spillway hook try`: feeds documented JSON through the hook that an agent's settings name, and
 * says what would happen. Exit code 1 if something would not work.
 */
import { existsSync } from 'node:fs';
import { type CommandDetails, type Given, JSON_FLAG } from '../../flags.ts';
import { installedCommands } from '../../hook/install/change.ts';
import { HOOK_SAMPLES } from '../../hook/samples.ts';
import { type TryFinding, tryHook } from '../../hook/try-hook.ts';
import { print } from '../../output.ts';
import { AGENT_FLAG, agentIn, filesHere } from './install.ts';

export const details: CommandDetails = {
  summary: "Feed documented JSON through the hook that is in an agent's settings, and say what would happen.",
  flags: [AGENT_FLAG, JSON_FLAG],
  examples: ['spillway hook try --agent claude-code', 'spillway hook try --agent gemini --json'],
};

export async function run(given: Given): Promise<number> {
  const target = agentIn(given, 'hook try');
  const { agent } = target.format;
  const files = [...new Set(Object.values(filesHere(target)))].filter((file) => existsSync(file));
  const sample = HOOK_SAMPLES[agent];
  const tried: { file: string; command: string; findings: readonly TryFinding[] }[] = [];
  for (const file of files)
    for (const installed of installedCommands(file, target)) {
      const { command, matcher, missing } = installed;
      if (!given.has('json')) await print(`${file}\n  ${command}\n`);
      const findings: TryFinding[] = [];
      const say = async (finding: TryFinding) => {
        findings.push(finding);
        if (!given.has('json')) await print(`  ${finding.ok ? '✓' : '✗'} ${finding.detail}\n`);
      };
      if (sample === undefined) continue;
      if (!matches(matcher, sample.tool))
        await say({ ok: false, detail: `Its matcher leaves out the tool ${sample.tool}: ${matcher}` });
      if (missing !== undefined) await say({ ok: false, detail: `What it loads is gone: ${missing}` });
      for await (const finding of tryHook(installed, sample, target.loginShell)) await say(finding);
      tried.push({ file, command, findings });
    }
  const ok = tried.length > 0 && tried.every(({ findings }) => findings.every((finding) => finding.ok));
  if (given.has('json')) await print(`${JSON.stringify({ agent, ok, hooks: tried })}\n`);
  else if (tried.length === 0)
    await print(
      `${target.title} has no hook of ours. To put it in: spillway hook install --agent ${agent}\n`,
    );
  return ok ? 0 : 1;
}

/** Agents take an expression, or a star for all. */
function matches(matcher: string | null, tool: string): boolean {
  if (matcher === null || matcher === '' || matcher === '*') return true;
  try {
    return new RegExp(matcher).test(tool);
  } catch {
    return matcher === tool;
  }
}
