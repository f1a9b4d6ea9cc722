/**
 * Two gateways in one agent, as `mcp install` sets them up, in the loops of three frameworks: every
 * tool has one name, and what one gateway cut is read through either of them. The model is a
 * script: it calls what the notice names.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Agent, MCPServerStdio, type Model, run, setTracingDisabled, Usage } from '@openai/agents';
import { generateText, isStepCount, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createAgent } from 'langchain';
import { describe, expect, it } from 'vitest';
import { freshWorkspace } from '../program.ts';
import { program } from './recorded.ts';

interface Entry {
  readonly command: string;
  readonly args: string[];
}

interface Called {
  readonly name: string;
  readonly args: Record<string, string>;
}

/** What a run came to: the names that the model was offered, and what its calls returned. */
interface Ran {
  readonly offered: readonly string[];
  readonly results: readonly string[];
}

const MESSAGE = Array.from({ length: 600 }, (_, i) => `row ${i + 1} of a long message`).join('\n');

/** Two servers of a client, put behind gateways by `mcp install`. */
async function installed(): Promise<{ root: string; servers: Record<string, Entry> }> {
  const workspace = await freshWorkspace();
  const file = join(workspace.root, '.claude.json');
  const entry = (name: string): Entry => ({ command: process.execPath, args: [program(name)] });
  const mcpServers = { everything: entry('server-everything'), memory: entry('server-memory') };
  await writeFile(file, JSON.stringify({ mcpServers }));
  expect((await workspace.run(['mcp', 'install', '--client', 'claude-code'])).code).toBe(0);
  return { root: workspace.root, servers: JSON.parse(await readFile(file, 'utf8')).mcpServers };
}

/**
 * The model's next calls, given what the calls before returned: one large result, then what its
 * notice names, through its own gateway and through the other.
 */
function nextCalls(results: readonly string[]): readonly Called[] {
  if (results.length === 0) return [{ name: 'echo', args: { message: MESSAGE } }];
  if (results.length > 1) return [];
  const [, name = '', artifact_id = ''] =
    /(get_artifact\w*)\(artifact_id="(\w+)"/.exec(results[0] ?? '') ?? [];
  const args = { artifact_id, lines: '300-301' };
  return [name, 'get_artifact_memory'].map((tool) => ({ name: tool, args }));
}

const withIds = (calls: readonly Called[]) =>
  calls.map((call, i) => ({ ...call, id: `call-${calls.length}-${i}` }));

async function inAiSdk(servers: Record<string, Entry>, cwd: string): Promise<Ran> {
  const clients = await Promise.all(
    Object.values(servers).map((entry) =>
      createMCPClient({ transport: new StdioTransport({ ...entry, cwd, stderr: 'ignore' }) }),
    ),
  );
  const lists = await Promise.all(clients.map((client) => client.tools()));
  const results: string[] = [];
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      results.splice(
        0,
        results.length,
        ...prompt
          .filter(({ role }) => role === 'tool')
          .flatMap(({ content }) => content as unknown[])
          .map(textIn),
      );
      const calls = withIds(nextCalls(results));
      return {
        content: calls.map(({ id, name, args }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(args),
        })),
        finishReason: {
          unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const),
          raw: undefined,
        },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
  const tools = Object.assign({}, ...lists) as ToolSet;
  await generateText({ model, tools, prompt: 'Go.', stopWhen: isStepCount(5) });
  await Promise.all(clients.map((client) => client.close()));
  return { offered: lists.flatMap((list) => Object.keys(list)), results };
}

async function inLangChain(servers: Record<string, Entry>, cwd: string): Promise<Ran> {
  const client = new MultiServerMCPClient({
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([name, entry]) => [
        name,
        { ...entry, cwd, transport: 'stdio' as const, stderr: 'ignore' as const },
      ]),
    ),
  });
  const tools = await client.getTools();
  const results: string[] = [];
  const answer = (messages: BaseMessage[]) => {
    results.splice(
      0,
      results.length,
      ...messages.filter((one) => one.getType() === 'tool').map(({ content }) => textIn(content)),
    );
    const tool_calls = withIds(nextCalls(results)).map((call) => ({ ...call, type: 'tool_call' as const }));
    return new AIMessage({ content: 'going on', tool_calls });
  };
  const model = fakeModel().respond(answer).respond(answer).respond(answer);
  await createAgent({ model, tools }).invoke({ messages: [{ role: 'user', content: 'Go.' }] });
  await client.close();
  return { offered: tools.map(({ name }) => name), results };
}

async function inOpenAiAgents(servers: Record<string, Entry>, cwd: string): Promise<Ran> {
  setTracingDisabled(true);
  const mcpServers = Object.entries(servers).map(
    ([name, entry]) => new MCPServerStdio({ name, ...entry, cwd }),
  );
  await Promise.all(mcpServers.map((server) => server.connect()));
  const results: string[] = [];
  const offered: string[] = [];
  const model: Model = {
    async getResponse({ input, tools }) {
      offered.splice(0, offered.length, ...tools.map(({ name }) => name));
      const items = typeof input === 'string' ? [] : input;
      results.splice(
        0,
        results.length,
        ...items.filter(({ type }) => type === 'function_call_result').map(textIn),
      );
      const calls = withIds(nextCalls(results)).map(({ id, name, args }) => ({
        type: 'function_call' as const,
        callId: id,
        name,
        status: 'completed' as const,
        arguments: JSON.stringify(args),
      }));
      const done = {
        type: 'message' as const,
        role: 'assistant' as const,
        status: 'completed' as const,
        content: [{ type: 'output_text' as const, text: 'done' }],
      };
      return { usage: new Usage(), output: calls.length > 0 ? calls : [done] };
    },
    getStreamedResponse() {
      throw new Error('not streamed');
    },
  };
  await run(new Agent({ name: 'agent', model, mcpServers }), 'Go.');
  await Promise.all(mcpServers.map((server) => server.close()));
  return { offered, results };
}

/** Everything that a result says, however a framework wraps it: some write blocks as JSON. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return /^\[?\{"type":/.test(value) ? textIn(JSON.parse(value)) : value;
  if (Array.isArray(value)) return value.map(textIn).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textIn).join('\n');
}

describe.concurrent('an agent with two gateways', () => {
  it.each([
    ['the AI SDK', inAiSdk],
    ['LangChain', inLangChain],
    ['OpenAI Agents', inOpenAiAgents],
  ])('in %s reads what one of them cut through both', async (_framework, runAgent) => {
    const { root, servers } = await installed();
    const { offered, results } = await runAgent(servers, root);
    expect(new Set(offered).size).toBe(offered.length);
    expect(offered.filter((name) => name.startsWith('get_artifact'))).toEqual([
      'get_artifact_everything',
      'get_artifact_memory',
    ]);
    const [cut, own, other] = results;
    expect(cut).toContain('get_artifact_everything(artifact_id="art_');
    expect(cut?.length).toBeLessThan(10_000);
    for (const page of [own, other])
      expect(page).toContain('row 300 of a long message\nrow 301 of a long message');
  });
});
