/** The page of agents names those that there are, in the versions that are tested. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HOOK_AGENTS } from '../../src/hook/agents.ts';
import { HOOK_TARGETS } from '../../src/hook/install/targets.ts';
import { HOOK_SAMPLES } from '../../src/hook/samples.ts';

const at = (path: string) => new URL(`../../../../${path}`, import.meta.url);
const { AGENTS } = await import(at('scripts/agents.mjs').href);

test('every agent can be hooked, tried and installed', () => {
  for (const table of [HOOK_TARGETS, HOOK_SAMPLES])
    expect(Object.keys(table)).toEqual(Object.keys(HOOK_AGENTS));
});

test('every agent has its row with the tested version, and its guide', () => {
  const rows = readFileSync(at('docs/agents.md'), 'utf8').split('\n');
  for (const [agent, { title }] of Object.entries(HOOK_TARGETS)) {
    const [, guide = '', version] =
      rows.find((row) => row.startsWith(`| [${title}](`))?.match(/\((.*?\.md).*?\) \| (.*?) \|/) ?? [];
    expect(existsSync(at(`docs/${guide}`)), agent).toBe(true);
    const tested = AGENTS[agent]?.package.replace(/.*@/, '') ?? 'not on npm';
    expect(version, agent).toBe(tested);
    expect(readFileSync(at(`docs/${guide}`), 'utf8')).toContain(`spillway hook install --agent ${agent}\n`);
  }
});
