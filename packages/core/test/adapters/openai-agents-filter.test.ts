// What the filter and the tools do beside the scenarios: tools of others, handles, streams, errors,
// and what the library's own session keeps.
import {
  Agent,
  type AgentInputItem,
  MemorySession,
  RunToolCallOutputItem,
  run,
  tool as sdkTool,
  setTracingDisabled,
} from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OpenAiAgentsOptions, spillway } from '../../src/adapters/openai-agents.ts';
import { memoryStore, openAgent } from '../../src/index.ts';
import { linesOf } from '../history/opened.ts';

setTracingDisabled(true);
const LONG = linesOf(60_000);
const BUILD = { name: 'build', description: 'Builds.', parameters: z.object({}) };
const call = (callId = 'call_1') => functionCall('build', {}, { callId });

describe("OpenAI Agents' filter", () => {
  it('bounds results of tools that it did not make, and those that the provider ran', async () => {
    const hosted = { type: 'hosted_tool_call', id: 'mcp_1', name: 'mcp_call', status: 'completed' } as const;
    const { model, spill, ask, session } = await opened([[{ ...hosted, output: LONG }, call()], 'Built.']);
    const foreign = sdkTool({ ...BUILD, execute: () => LONG });
    await ask('Build.', [foreign, spill.getArtifact]);
    const sent = sentTo(model, 1);
    expect(sent.map(({ type }) => type)).toEqual([
      'message',
      'hosted_tool_call',
      'function_call',
      'function_call_result',
    ]);
    expect(JSON.stringify(sent).length).toBeLessThan(24_000);
    for (const item of [sent[1], sent[3]]) expect(JSON.stringify(item)).toContain('[Artifact: art_');
    expect(JSON.stringify(await session.getItems()).split(JSON.stringify(LONG)).length).toBe(3);
  });

  it('puts the handle into the custom data of an output, which no model is sent', async () => {
    const { memory, spill, ask, model } = await opened([[call()], 'Built.']);
    const own = { customDataExtractor: () => ({ took: 3 }) };
    const result = await ask('Build.', [spill.tool({ ...BUILD, ...own, execute: () => ({ rows: [LONG] }) })]);
    const [data] = customDataOf(result);
    expect(data).toEqual({ took: 3, artifact_id: expect.stringMatching(/^art_/) });
    const page = await memory.spillway.retrieve({ artifact_id: data?.artifact_id }, 'chat');
    expect(page.text).toContain('rows');
    expect(JSON.stringify(sentTo(model, 1))).not.toContain('took');
    expect(await outputsOf(memory)).toHaveLength(1);
  });

  it('reads a stream that a tool returns to its end, and hands on its text', async () => {
    const { memory, spill, ask, session } = await opened([[call()], 'Built.']);
    const streams = async function* () {
      for (let i = 0; i < LONG.length; i += 1_000) yield LONG.slice(i, i + 1_000);
    };
    await ask('Build.', [spill.tool({ ...BUILD, execute: () => streams() })]);
    expect(JSON.stringify(await session.getItems())).toContain(JSON.stringify(LONG));
    expect((await outputsOf(memory)).map(({ outcome }) => outcome.status)).toEqual(['ok']);
  });

  it("leaves a tool's own words for an error, and shows small errors as they are", async () => {
    const fails = { ...BUILD, execute: () => Promise.reject(new Error('boom')) };
    const plain = await opened([[call()], 'No.']);
    await plain.ask('Build.', [plain.spill.tool(fails)]);
    expect(resultIn(sentTo(plain.model, 1))).toBe('boom');
    expect((await outputsOf(plain.memory)).map(({ outcome }) => outcome.status)).toEqual(['error']);
    const own = await opened([[call()], 'No.']);
    const errorFunction = (_: unknown, error: unknown) => `Sorry: ${(error as Error).message}`;
    await own.ask('Build.', [own.spill.tool({ ...fails, errorFunction })]);
    expect(resultIn(sentTo(own.model, 1))).toBe('Sorry: boom');
  });

  it("compacts a long run, and the library's session keeps the words of the user and every result", async () => {
    const steps = Array.from({ length: 30 }, (_, i) => [call(`call_${i}`)]);
    const { model, spill, ask, session } = await opened([...steps, 'Built.'], { window: 8_000 });
    let number = 0;
    await ask('Build all of it.', [
      spill.tool({ ...BUILD, execute: () => `${number++} ${LONG.slice(0, 9_000)}` }),
    ]);
    expect(JSON.stringify(sentTo(model, 30))).toContain('[Summary of the ');
    const items = await session.getItems();
    const words = items.filter((item) => 'role' in item && item.role === 'user');
    expect(words).toMatchObject([{ role: 'user', content: 'Build all of it.' }]);
    expect(items.filter(({ type }) => type === 'function_call_result')).toHaveLength(30);
    expect(JSON.stringify(items)).not.toContain('art_');
  });

  it('goes on after a run that was given up: every call that is sent has a result', async () => {
    const giveUp = new AbortController();
    const { memory, model, spill, ask } = await opened([[call()], 'Fine.'], { window: 20_000 });
    const tools = [spill.tool({ ...BUILD, execute: () => new Promise<string>(() => giveUp.abort()) })];
    await expect(ask('Build.', tools, giveUp.signal)).rejects.toThrow();
    await ask('Leave it.', tools);
    const sent = sentTo(model, 1);
    const ids = (type: string) => sent.flatMap((item) => (item.type === type ? [item.callId] : []));
    expect(ids('function_call_result')).toEqual(ids('function_call'));
    expect(JSON.stringify(sent)).toContain('Leave it.');
    // The library's own word for it, "aborted", is not recorded beside what is known.
    expect(resultIn(sent)).toBe('[Cancelled. Output incomplete.]\nThis operation was aborted');
    expect((await outputsOf(memory)).map(({ outcome }) => outcome.status)).toEqual(['cancelled']);
  });
});

async function opened(steps: readonly (string | AgentInputItem[])[], options: OpenAiAgentsOptions = {}) {
  const memory = await openAgent({ session: 'chat', store: memoryStore() });
  const spill = spillway(memory, options);
  const model = new ScriptedModel(
    steps.map((step) => (typeof step === 'string' ? [assistantMessage(step)] : step)) as never[],
  );
  const session = new MemorySession();
  const ask = (text: string, tools: readonly unknown[], signal?: AbortSignal) => {
    const agent = new Agent({ name: 'Builder', model, tools: tools as never[] });
    const { callModelInputFilter } = spill;
    const given = signal === undefined ? {} : { signal };
    return run(agent, text, { session, callModelInputFilter, maxTurns: 50, ...given });
  };
  return { memory, spill, model, session, ask };
}

type SentItem = AgentInputItem & { readonly callId?: string };

function sentTo(model: ScriptedModel, index: number): readonly SentItem[] {
  return (model.calls[index]?.request.input ?? []) as SentItem[];
}

function resultIn(sent: readonly SentItem[]): unknown {
  const found = sent.find((item) => item.type === 'function_call_result');
  return (found as { output?: { text?: string } } | undefined)?.output?.text;
}

function customDataOf(result: { readonly newItems: readonly unknown[] }): readonly Record<string, unknown>[] {
  return result.newItems.flatMap((item) =>
    item instanceof RunToolCallOutputItem ? [item.customData ?? {}] : [],
  );
}

async function outputsOf({ spillway: { store }, session }: Awaited<ReturnType<typeof openAgent>>) {
  return (await store.list({ ...session.name, show: 'all', limit: 100 })).items;
}
