// The clients of the matrix. One that cannot be loaded is absent, and its reason is told.
import { join } from 'node:path';
import { root } from '../toolchain.mjs';
import { versionOf } from './packages.mjs';

const FILES = {
  'MCP SDK v1': 'sdk-v1',
  'MCP SDK v2': 'sdk-v2',
  'Inspector CLI': 'inspector',
  'AI SDK': 'ai-sdk',
  LangChain: 'langchain',
  'OpenAI Agents': 'openai-agents',
  'fastmcp (Python)': 'fastmcp',
};

export const clients = Object.entries(FILES).map(([name, file]) => ({
  name,
  async load() {
    const { connect, end, packages, prepare } = await import(`./clients/${file}.mjs`);
    const versions = packages.map((one) => `${one} ${versionOf(join(root, 'node_modules', one))}`);
    if (prepare !== undefined) versions.push(`fastmcp ${prepare()}`);
    return { connect, end, versions };
  },
}));
