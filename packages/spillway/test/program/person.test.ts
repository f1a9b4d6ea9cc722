// What a person looks at in a terminal is no model's fetch; inside an agent it is one.
import { expect, test } from 'vitest';
import { numberedLines, parsed, workspaceWith } from '../program.ts';
import { onTerminal } from '../terminal.ts';

test('artifacts show at a terminal counts as a fetch only inside an agent', async () => {
  const workspace = await workspaceWith({ 'notes.txt': numberedLines(3_000, 'note') });
  await workspace.run(['exec', '--', 'cat', 'notes.txt']);
  const fetches = async () =>
    parsed<{ total: { refetched: number } }>(await workspace.run(['stats', '--json'])).total.refetched;
  const show = ['artifacts', 'show', 'last', '--lines', '1-3'];
  const env = { PATH: process.env.PATH ?? '', HOME: workspace.root };
  expect(await onTerminal(show, { cwd: workspace.root, env }).ended).toBe(0);
  expect(await fetches()).toBe(0);
  expect(await onTerminal(show, { cwd: workspace.root, env: { ...env, CLAUDECODE: '1' } }).ended).toBe(0);
  expect(await fetches()).toBe(1);
});
