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
  const page = readFileSync(at('docs/agents.md'), 'utf8');
  const rows = page.split('\n');
  const named = Object.keys(HOOK_TARGETS).map((agent) => `\`${agent}\``);
  expect(page).toContain(
    `\`--agent\` takes ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(named)}.\n`,
  );
  for (const [agent, { title }] of Object.entries(HOOK_TARGETS)) {
    const [, guide = '', version] =
      rows.find((row) => row.startsWith(`| [${title}](`))?.match(/\((.*?\.md).*?\) \| (.*?) \|/) ?? [];
    expect(existsSync(at(`docs/${guide}`)), agent).toBe(true);
    if (guide === 'agents.md') expect(rows, agent).toContain(`## ${title}`);
    const tested = AGENTS[agent]?.package.replace(/.*@/, '') ?? 'not on npm';
    expect(version, agent).toBe(tested);
  }
});
