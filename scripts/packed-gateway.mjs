// The packed gateway in front of servers from npm, used by the SDK's own client: the tools are the
// server's and `get_artifact`, a long result comes bounded, and the call that its notice names
// brings the rest.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './toolchain.mjs';

const installed = createRequire(join(root, 'packages', 'spillway', 'package.json'));
const entities = Array.from({ length: 900 }, (_, i) => ({
  name: `e${i}`,
  entityType: 'thing',
  observations: [],
}));

/** A long result of each server, and what it is started with. */
const servers = {
  filesystem: {
    words: (folder) => [folder],
    tool: 'read_text_file',
    args: (folder) => ({ path: join(folder, 'long.txt') }),
  },
  everything: { tool: 'echo', args: () => ({ message: 'a word '.repeat(9_000) }) },
  memory: { tool: 'create_entities', args: () => ({ entities }) },
};

/** `program`: the words that start the packed program; `folder`: an empty workspace. */
export async function checkGateway({ program, folder, env, check }) {
  writeFileSync(join(folder, 'long.txt'), 'a line of a file\n'.repeat(9_000));
  for (const [name, { words = () => [], tool, args }] of Object.entries(servers)) {
    const file = installed.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
    const server = [process.execPath, file, ...words(folder)];
    try {
      const how = { folder, env: { ...env, MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
      const direct = await withClient(server, how, toolNames);
      const gateway = [...program, 'mcp', '--name', name, '--', ...server];
      await withClient(gateway, how, async (client) => {
        const names = await toolNames(client);
        check(`gateway, ${name}: the tools and get_artifact`, String(names) === `${direct},get_artifact`);
        // The notice of JSON is a block of its own behind it.
        const { content } = await client.callTool({ name: tool, arguments: args(folder) });
        const text = content.map((block) => block.text ?? '').join('\n');
        const more = argumentsIn(text);
        const page = await client.callTool({ name: 'get_artifact', arguments: more });
        const fetched = page.isError !== true && page.content[0].text.includes(more.artifact_id);
        check(
          `gateway, ${name}: a long result comes bounded, with its rest`,
          text.length <= 8_000 && fetched,
        );
      });
    } catch (error) {
      check(`gateway, ${name}: ${error.message}`, false);
    }
  }
}

async function withClient([command, ...args], { folder, env }, work) {
  const { Client } = await sdk('client/index.js');
  const { StdioClientTransport } = await sdk('client/stdio.js');
  const client = new Client({ name: 'packed', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env, stderr: 'ignore' }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function sdk(path) {
  return import(pathToFileURL(installed.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
}

async function toolNames(client) {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** `More: get_artifact(artifact_id="art_…", lines="13-186")` as arguments. */
function argumentsIn(notice) {
  const [, call = ''] = /More: get_artifact\((.*)\)\]/.exec(notice) ?? [];
  return Object.fromEntries(
    [...call.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, key, value]) => [key, JSON.parse(value)]),
  );
}
