// A command's output, streamed as it arrives into the workspace's store; exit code and both streams
// survive the cut.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'spillway';

const { spillway, workspace } = await open({ workspace: mkdtempSync(join(tmpdir(), 'spillway-example-')) });
const script =
  "for (let i = 0; i < 4000; i++) console.log('step', i); console.error('disk quota exceeded'); process.exitCode = 3";
const child = spawn(process.execPath, ['-e', script]);
const capture = await spillway.open({
  tool: 'execute_command',
  session: 'demo',
  scope: workspace.scope,
  input: { command: 'build' },
});
const exited = new Promise((resolve) => child.on('close', resolve));

await Promise.all(
  ['stdout', 'stderr'].map(async (name) => {
    const part = capture.part({ name, labelled: true });
    for await (const chunk of child[name]) await part.write(chunk);
  }),
);
const exitCode = await exited;
const { projection } = await capture.finish({ outcome: { status: 'error', exitCode }, complete: true });
await spillway.close();

assert.match(projection.text, /Exit code 3\./);
assert.match(projection.text, /disk quota exceeded/);
assert.ok(projection.text.length <= 8_000);
console.log(projection.text.split('\n').slice(0, 3).join('\n'));
