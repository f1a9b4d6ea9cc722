// The README begins with a failing test run, before and after. Both are made here, by default
// settings: every line that the README shows is a line of what is printed, in the same order.
import { expect, test } from 'vitest';
import { workspaceWith } from '../program.ts';
import { blocksOf } from './blocks.ts';

const TESTS = `import { test } from 'node:test';
import assert from 'node:assert/strict';
const total = (i) => (i === 1187 ? i : i * 0.9);
for (let i = 1; i <= 2000; i++) test(\`order \${i} is priced with its discount\`, () => assert.equal(total(i), i * 0.9));
`;

const [before, after] = blocksOf('README.md').filter(({ kind }) => kind === 'text');

test('the README shows a failing test run as it is cut without Spillway, and with it by default', async () => {
  const { shell } = await workspaceWith({ 'test/orders.test.mjs': TESTS });
  const reporter = '--test-reporter=spec';
  const cut = await shell(`'${process.execPath}' --test ${reporter} | head -c 8000`);
  expectLines(cut.stdout, before?.code.replace(/^\$.*\n/, ''));
  expect(cut.stdout).not.toContain('✖');
  const shown = await shell(`spillway exec -- '${process.execPath}' --test ${reporter}`);
  expect(shown.code).toBe(1);
  expect(shown.stdout.length).toBeLessThanOrEqual(2_000);
  expectLines(shown.stdout, after?.code);
});

/** Sizes, durations and the folder differ from run to run; where the cut falls in a line does too. */
function folded(text: string): string {
  return text
    .replaceAll(/\d[\d,.]*|art_\w+|file:\/\/\S*\/test\/|execute_command: .* \(/g, '0')
    .replace(/(with its )d.*/, '$1discount')
    .trim();
}

function expectLines(printed: string, shown = ''): void {
  const lines = printed.split('\n').map(folded);
  let at = 0;
  for (const line of shown.trimEnd().split('\n')) {
    if (line === '…') continue;
    const found = lines.indexOf(folded(line), at);
    expect(found, line).toBeGreaterThanOrEqual(at);
    at = found + 1;
  }
  expect(shown.length).toBeGreaterThan(150);
}
