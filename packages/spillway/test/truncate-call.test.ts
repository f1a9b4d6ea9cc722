// `spillway truncate --call FILE`: what a host knows of a call decides what is shown.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshWorkspace, parsed, workspaceWith } from './program.ts';

const PARAGRAPHS = Array.from({ length: 400 }, (_, i) => `Paragraph ${i} speaks of plain matters.\n`);
const TEXT = [
  ...PARAGRAPHS.slice(0, 250),
  'One speaks of the invoice ledger.\n',
  ...PARAGRAPHS.slice(250),
].join('');

async function truncated(call: unknown, ...flags: string[]) {
  const { run, root } = await freshWorkspace();
  const file = join(root, 'call.json');
  await writeFile(file, typeof call === 'string' ? call : JSON.stringify(call));
  return run(['truncate', '--call', file, '--limit', '2000', ...flags], { input: TEXT });
}

describe.concurrent('the call that a file tells of', () => {
  test('says what the agent is after: what touches it is shown', async () => {
    const flags = ['--strategy', 'reading'];
    const asked = await truncated(
      { tool: 'fetch', about: { last_message: 'Where are invoices kept?' } },
      ...flags,
    );
    expect(asked.stdout).toContain('the invoice ledger');
    const pattern = await truncated({ tool: 'fetch', input: { pattern: 'invoice' } }, ...flags);
    expect(pattern.stdout).toContain('the invoice ledger');
  });

  test('tells the tool, unless --tool does, and how it ended', async () => {
    const call = { tool: 'deploy', exit_code: 3, is_error: true };
    const reported = parsed<{ metadata: { outcome: unknown } }>(await truncated(call, '--json'));
    expect(reported.metadata.outcome).toEqual({ status: 'error', exit_code: 3 });
    const named = await truncated({ ...call, exit_code: null }, '--tool', 'build', '--json');
    expect(named.stdout).toContain('"tool":"build"');
  });

  test.each([
    ['no JSON', '{', 'it is not JSON'],
    ['no object', '[]', 'it must be an object'],
    [
      'an unknown field',
      { tol: 'x' },
      '"tol" is not a field of it; fields: tool, call_id, input, exit_code, is_error, about',
    ],
    ['a wrong tool', { tool: 1 }, '"tool" must be the name of a tool'],
    ['a wrong code', { exit_code: 'x' }, '"exit_code" must be a whole number'],
    ['a wrong flag', { is_error: 1 }, '"is_error" must be true or false'],
    ['a wrong text', { about: { task: 1 } }, '"about.task" must be a text'],
  ])('is refused with %s', async (_, call, why) => {
    const { code, stdout, stderr } = await truncated(call);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cannot be used: ${why}.`);
  });
});

describe.concurrent('a command that exec runs', () => {
  test('says by its words what is asked for: what touches them is shown', async () => {
    const { run } = await workspaceWith({ 'invoices.md': TEXT, 'notes.md': TEXT });
    const printed = (name: string) => run(['exec', '--limit', '2000', '--', 'cat', name]);
    expect((await printed('invoices.md')).stdout).toContain('the invoice ledger');
    expect((await printed('notes.md')).stdout).not.toContain('the invoice ledger');
  });
});
