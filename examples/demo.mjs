// The product in two minutes: a real failing command, an everyday file and a JSON dump, each as a
// model reads it by default settings; the way back, what was saved, and the inspector. Runs in a
// temporary folder that is removed at the end. Ends with 1 if something is not as it is told here.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { command, count, excerpt, say, show, title, within } from './demo/screen.mjs';
import { openWorkspace, runTests, spillway, startInspector } from './demo/workspace.mjs';

const LIMIT = 8_000;
const FILE = fileURLToPath(new URL('../CHANGELOG.md', import.meta.url));
const workspace = openWorkspace();
const checked = [];

const failing = showFailure();
showFile();
showDump();
showSavings();
showWayBack(failing);
await showInspector();
if (!checked.every(Boolean)) {
  console.error('\nSomething is not as this demo says.');
  process.exitCode = 1;
}
// The inspector's pipes may linger; everything has been said.
process.exit();

function showFailure() {
  const output = runTests(workspace);
  title(`1. A command fails and says too much: ${count(output.length)} chars`);
  command('node --test --test-reporter=tap');
  say(
    'Before: an agent that keeps the first and the last 4,000 chars. It learns that one of 2,000 tests failed, and not which. (┊ counts lines that only this demo folds.)\n',
  );
  const ends = `${output.slice(0, LIMIT / 2)}\n[cut]\n${output.slice(-LIMIT / 2)}`;
  const atEnds = (line, i) => i < 3 || /^\[cut\]$|^# (tests|fail) /.test(line);
  excerpt(ends, atEnds);
  command('node --test --test-reporter=tap | spillway truncate');
  const { content, artifact } = cut(['truncate', '--tool', 'node_test'], output);
  say(`After: ${count(content.length)} chars, by default settings. It stops when more would add little.\n`);
  const failure = within(/^not ok/, 16);
  excerpt(content, (...at) => atEnds(...at) || failure(...at));
  checked.push(
    !ends.includes('order 1187'),
    content.includes('not ok 1187'),
    content.includes('0 !== 1068.3'),
    content.length < ends.length / 2,
  );
  return { output, content, id: artifact.id };
}

function showFile() {
  title('2. An everyday output: a long file');
  command('spillway truncate CHANGELOG.md');
  say('Nothing failed here, so the outline is kept, and each gap says which lines it is.\n');
  const { content } = cut(['truncate', FILE]);
  const section = within(/^#### Frameworks/, 12);
  excerpt(content, (line, i, lines) => i < 2 || /^#{2,4} /.test(line) || section(line, i, lines));
  checked.push(content.includes('## '), /omitted: \d+-\d+/.test(content));
}

function showDump() {
  title('3. A JSON dump stays JSON');
  command('spillway truncate orders.json');
  const { content } = cut(['truncate', 'orders.json']);
  const { orders } = JSON.parse(content);
  say(
    `2,000 orders of ${count(sizeOf('orders.json'))} bytes became ${count(content.length)} chars. They parse, and the one order that is not like the others is among them:
`,
  );
  show(JSON.stringify(orders.find(({ status }) => status === 'payment_failed')));
  checked.push(orders.some(({ status }) => status === 'payment_failed'));
}

function showSavings() {
  title('4. What it saved');
  command('spillway stats');
  show(spillway(workspace, ['stats']).split('\n').slice(0, 2).join('\n'));
}

function showWayBack({ output, content, id }) {
  title('5. Nothing is lost: every gap leads back');
  const [, lines] = /omitted: (\d+-\d+)/.exec(content);
  const first = Number(lines.split('-')[0]);
  const range = `${first}-${first + 4}`;
  command(`spillway artifacts show ${id} --lines ${range}`);
  show(spillway(workspace, ['artifacts', 'show', id, '--lines', range]));
  command(`spillway artifacts show ${id} --grep 'not ok'`);
  show(spillway(workspace, ['artifacts', 'show', id, '--grep', 'not ok']));
  const raw = spillway(workspace, ['artifacts', 'show', id, '--raw']);
  command(`spillway artifacts show ${id} --raw`);
  say(`  ${count(raw.length)} chars: ${raw === output ? 'exactly what the command printed' : 'DIFFERENT'}.`);
  checked.push(raw === output);
}

async function showInspector() {
  title('6. See what the model saw, and why');
  command('spillway inspect');
  const { url, stop } = await startInspector(workspace);
  // In one piece, so that it can be clicked.
  console.log(url);
  checked.push((await fetch(url)).ok);
  console.log('');
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    await terminal.question('Open it in a browser. Enter ends it and removes everything the demo made. ');
    terminal.close();
  } else say('It ran while this demo did. At a terminal, the demo keeps it open for you.');
  await stop();
}

function sizeOf(file) {
  return statSync(join(workspace.app, file)).size;
}

/** What `--json` says; a projection is never over its limit. */
function cut(args, input) {
  const result = JSON.parse(spillway(workspace, [...args, '--json'], input));
  checked.push(result.content.length <= LIMIT);
  return result;
}
