// The main job, on a real failing command: a test run whose output is too long for a model. Runs in
// a temporary workspace and shows what an agent gets today, what it gets through Spillway, and that
// every byte can be fetched back.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../packages/spillway/bin/spillway.js', import.meta.url));
const workspace = mkdtempSync(join(tmpdir(), 'spillway-demo-'));
const LIMIT = 2_000;

const output = failingTestRun(workspace);
title(`1. A real command fails: node --test (${output.length.toLocaleString('en-US')} chars)`);
console.log('An agent that keeps the first 2,000 chars sees this, and no failure at all:\n');
console.log(indent(`${output.slice(0, 200)}…`));

title(`2. The same output through: spillway truncate --limit ${LIMIT}`);
const { content, artifact } = JSON.parse(
  spillway(['truncate', '--tool', 'node_test', '--limit', String(LIMIT), '--json'], output),
);
console.log(indent(content));

title('3. Nothing was lost: every byte is behind the handle');
const raw = spillway(['artifacts', 'show', artifact.id, '--raw']);
console.log(
  indent(
    `${artifact.id}: ${raw.length.toLocaleString('en-US')} chars stored, ${raw === output ? 'identical to what the command said' : 'DIFFERENT'}`,
  ),
);
console.log(indent(`\n$ spillway artifacts show ${artifact.id} --grep '✖|AssertionError'`));
console.log(indent(spillway(['artifacts', 'show', artifact.id, '--grep', '✖|AssertionError'])));
title('4. See what the model saw: spillway inspect');
console.log(indent(`$ cd ${workspace} && node ${program} inspect`));
console.log(
  indent('A local page: what was shown and left out, why, and what other settings would have shown.'),
);
if (raw !== output || content.length > LIMIT) process.exitCode = 1;

/** A project of 400 passing tests with one that fails in the middle. */
function failingTestRun(folder) {
  mkdirSync(join(folder, 'test'));
  const source = `import { test } from 'node:test';
import assert from 'node:assert/strict';
for (let i = 1; i <= 400; i++) {
  test('order ' + i + ' is priced with its discount', () => assert.equal(i === 187 ? 187 * 0.9 : 0, 0));
}
`;
  writeFileSync(join(folder, 'test', 'orders.test.mjs'), source);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, ['--test', '--test-reporter=spec'], {
    cwd: folder,
    encoding: 'utf8',
    env,
  }).stdout;
}

function spillway(args, input = '') {
  return execFileSync(process.execPath, [program, ...args], {
    cwd: workspace,
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

function title(text) {
  console.log(`\n\u2500\u2500 ${text}\n`);
}

function indent(text) {
  return text.replace(/^/gm, '    ');
}
