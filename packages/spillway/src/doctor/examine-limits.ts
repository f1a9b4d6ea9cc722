/** Limits that somebody set above what an agent passes on: they are lowered, and that is said. */
import { existsSync } from 'node:fs';
import { formatCount, Settings } from '@spillway/core/plugin';
import { applyLayers, type Config } from '../config/load.ts';
import { MOST_CHARS } from '../hook/claude-code.ts';
import { installedCommands } from '../hook/install/installed.ts';
import { type AgentFolders, HOOK_TARGETS } from '../hook/install/targets.ts';
import { knownNames } from '../open.ts';
import { type Finding, warning } from './findings.ts';

export function examineLimits(folders: AgentFolders, config: Config | null): readonly Finding[] {
  const target = HOOK_TARGETS['claude-code'];
  if (config === null || target === undefined) return [];
  const files = Object.values(target.files(folders)).filter((file) => existsSync(file));
  if (!files.some((file) => isHooked(file, target))) return [];
  const settings = new Settings(knownNames());
  applyLayers(settings, config.layers);
  return Object.entries(MOST_CHARS).flatMap(([tool, most]) => {
    const { policy, origins } = settings.effective(tool);
    if (policy.inlineLimit <= most) return [];
    return warning(
      'Limits in Claude Code',
      `inline_limit of ${tool} (${formatCount(policy.inlineLimit)}, from ${origins.inlineLimit.source}) is above the ${formatCount(most)} chars that Claude Code passes on: ${formatCount(most)} apply`,
      `Set at most that: spillway config set inline_limit ${most} --tool ${tool}`,
    );
  });
}

function isHooked(file: string, target: NonNullable<(typeof HOOK_TARGETS)[string]>): boolean {
  try {
    return installedCommands(file, target).length > 0;
  } catch {
    // That the file cannot be read is told with the hooks.
    return false;
  }
}
