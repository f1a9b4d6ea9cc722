// The session of the pictures, run in a copy of the sources of the library: an agent widens a type, and
// the build tells it what that breaks. Every result is what the command or the file really gave.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { openAgent } from 'spillway';

const agent = await openAgent({ session: 'widen-breaks', shape: 'openai_chat' });
const asExec = {
  result: ({ stdout, stderr, status }) => ({ kind: 'exec', stdout, stderr, exitCode: status }),
};

agent.tool(({ query }) => execFileSync('grep', ['-rn', query, 'src'], { encoding: 'utf8' }), {
  name: 'search_files',
});
agent.tool(({ path }) => readFileSync(path, 'utf8'), { name: 'read_file' });
agent.tool(
  ({ path, from, to }) => {
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
    return `Patched ${path}: 1 replacement.`;
  },
  { name: 'apply_patch' },
);
agent.tool(({ command }) => spawnSync('sh', ['-c', command], { encoding: 'utf8' }), {
  name: 'execute_command',
  ...asExec,
});

let number = 0;
async function step(text, name, input) {
  number += 1;
  const call = {
    id: `call_${number}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  };
  const { calls } = await agent.take({ role: 'assistant', content: text, tool_calls: [call] });
  await agent.run(calls);
  return agent.request({ window: 32_000, reserve: 4_000 });
}

await agent.say({
  role: 'system',
  parts: [
    { type: 'text', text: 'You change TypeScript sources. Build after every change; leave no error behind.' },
  ],
});
await agent.say('Extent counts line breaks as a number. Widen it to bigint, and make sure it still builds.');
await step('First I look for everything that counts breaks.', 'search_files', { query: 'breaks' });
await step(null, 'read_file', { path: 'src/text/measure.ts' });
await step('Who touched this last, and why?', 'execute_command', {
  command: 'git log --stat -n 60 -- packages/core/src/model packages/core/src/text',
});
await step('I change the declaration.', 'apply_patch', {
  path: 'src/model/extent.ts',
  from: 'readonly breaks: number',
  to: 'readonly breaks: bigint',
});
const { body } = await step('Now the build.', 'execute_command', { command: 'npx tsc --pretty -p .' });
const handles = JSON.stringify(body).match(/art_\d+_\w+/g) ?? [];
await agent.fetch({ artifact_id: handles.at(-1), lines: '250-320' });
await agent.request({ window: 32_000, reserve: 4_000 });
console.log(JSON.stringify({ build: handles.at(-1) }));
await agent.close();
